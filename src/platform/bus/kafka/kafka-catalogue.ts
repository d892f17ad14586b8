import type { Admin } from '@platformatic/kafka';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { isUnknownTopic } from './kafka-verdicts.ts';

export interface TopicState {
  /** A topic that is deleted and made again has another. */
  readonly id: string;
  readonly partitions: number;
}

/** What the broker says about topics, remembered for a moment. */
export interface KafkaCatalogue {
  /** `null`: there is no such topic. Throws when the broker does not answer. */
  look(topics: readonly string[], options?: { ageMaxMs: number }): Promise<ReadonlyMap<string, TopicState | null>>;
}

const lookTimeoutMs = 5_000;
/** A topic that is replaced while it is sent to is noticed as late as this; a question costs about a millisecond. */
const ageMaxDefaultMs = 100;

export function createKafkaCatalogue({ admin }: { admin: Admin }): KafkaCatalogue {
  const known = new Map<string, { state: TopicState | null; at: number }>();

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

  /** One topic that is not there fails the question for all, and the answer may name another. */
  async function askOneByOne(topics: readonly string[]): Promise<void> {
    for (const topic of topics) {
      try {
        await ask([topic]);
      } catch (error) {
        if (!isUnknownTopic(error)) throw error;
        known.set(topic, { state: null, at: performance.now() });
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
          if (!isUnknownTopic(error)) throw error;
          return askOneByOne(stale);
        });
      }
      return new Map(topics.map((topic) => [topic, known.get(topic)?.state ?? null]));
    },
  };
}
