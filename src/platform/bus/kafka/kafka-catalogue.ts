import type { Admin } from '@platformatic/kafka';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { brokerAnswer, isUnknownTopic } from './kafka-verdicts.ts';

export interface TopicState {
  /** A topic that is deleted and made again has another. */
  readonly id: string;
  readonly partitions: number;
}

/** Kafka answers, but not about this topic: no right to see it, a name that it does not take, a partition without a leader. */
export interface TopicProblem {
  readonly problem: string;
}

export type TopicLook = TopicState | TopicProblem | null;

/** What the broker says about topics, remembered for a moment. */
export interface KafkaCatalogue {
  /** `null`: there is no such topic. Throws when the broker does not answer. */
  look(topics: readonly string[], options?: { ageMaxMs: number }): Promise<ReadonlyMap<string, TopicLook>>;
}

const lookTimeoutMs = 5_000;
/** A topic that is replaced while it is sent to is noticed as late as this; a question costs about a millisecond. */
const ageMaxDefaultMs = 100;

export function createKafkaCatalogue({ admin }: { admin: Admin }): KafkaCatalogue {
  const known = new Map<string, { state: TopicLook; at: number }>();

  async function ask(topics: readonly string[]): Promise<void> {
    const { topics: found } = await withTimeout(
      admin.metadata({ topics: [...topics], forceUpdate: true }),
      lookTimeoutMs,
      () => new Error('Kafka did not answer in time'),
    );
    for (const topic of topics) {
      const one = found.get(topic);
      const state = one === undefined ? null : { id: one.id, partitions: one.partitionsCount };
      known.set(topic, { state, at: performance.now() });
    }
  }

  /** One topic about which Kafka has no good answer fails the question for all, and the error may name another. */
  async function askOneByOne(topics: readonly string[]): Promise<void> {
    for (const topic of topics) {
      try {
        await ask([topic]);
      } catch (error) {
        const state = stateInstead(error);
        if (state === undefined) throw error;
        known.set(topic, { state, at: performance.now() });
      }
    }
  }

  return {
    async look(topics, { ageMaxMs } = { ageMaxMs: ageMaxDefaultMs }) {
      const oldest = performance.now() - ageMaxMs;
      const stale = [...new Set(topics)].filter(
        (topic) => (known.get(topic)?.at ?? Number.NEGATIVE_INFINITY) <= oldest,
      );
      if (stale.length > 0) {
        await ask(stale).catch((error: unknown) => {
          if (stateInstead(error) === undefined) throw error;
          return askOneByOne(stale);
        });
      }
      return new Map(topics.map((topic) => [topic, known.get(topic)?.state ?? null]));
    },
  };
}

/** Undefined: the broker did not answer at all. */
function stateInstead(error: unknown): TopicProblem | null | undefined {
  if (isUnknownTopic(error)) return null;
  const problem = brokerAnswer(error);
  return problem === null ? undefined : { problem };
}
