import { type Admin, findErrorBy } from '@platformatic/kafka';
import { platformErrors } from '#platform/errors.ts';
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
  /** How many it has, where Kafka says at least that. */
  readonly partitions: number | null;
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
  return {
    async look(topics, { ageMaxMs } = { ageMaxMs: ageMaxDefaultMs }) {
      const oldest = performance.now() - ageMaxMs;
      const stale = [...new Set(topics)].filter(
        (topic) => (known.get(topic)?.at ?? Number.NEGATIVE_INFINITY) <= oldest,
      );
      for (const [topic, state] of await lookAtTopics(admin, stale)) known.set(topic, { state, at: performance.now() });
      return new Map(topics.map((topic) => [topic, known.get(topic)?.state ?? null]));
    },
  };
}

/**
 * What the broker says about these topics, each by itself. In one question as long as all is well; the library fails it
 * for all when the broker has no good answer about one, and the error may name another.
 */
export async function lookAtTopics(admin: Admin, topics: readonly string[]): Promise<ReadonlyMap<string, TopicLook>> {
  const [only] = topics;
  if (only === undefined) return new Map();
  try {
    const { topics: found } = await withTimeout(
      admin.metadata({ topics: [...topics], forceUpdate: true }),
      lookTimeoutMs,
      () => platformErrors.fault('BUS_UNAVAILABLE'),
    );
    return new Map(topics.map((topic) => [topic, stateOf(found.get(topic))]));
  } catch (error) {
    const instead = stateInstead(error, only);
    if (instead === undefined) throw error;
    if (topics.length === 1) return new Map([[only, instead]]);
    const looks = new Map<string, TopicLook>();
    for (const topic of topics) for (const [name, look] of await lookAtTopics(admin, [topic])) looks.set(name, look);
    return looks;
  }
}

function stateOf(found: { id: string; partitionsCount: number } | undefined): TopicState | null {
  return found === undefined ? null : { id: found.id, partitions: found.partitionsCount };
}

/** Undefined: the broker did not answer at all. */
function stateInstead(error: unknown, topic: string): TopicProblem | null | undefined {
  if (isUnknownTopic(error)) return null;
  const problem = brokerAnswer(error);
  return problem === null ? undefined : { problem, partitions: partitionsInAnswer(error, topic) };
}

/** The library hangs the broker's answer on its error; its types do not tell. */
function partitionsInAnswer(error: unknown, topic: string): number | null {
  const failed = error instanceof Error ? findErrorBy(error, 'code', 'PLT_KFK_RESPONSE') : null;
  const { response } = (failed ?? {}) as {
    response?: { topics?: { name: string | null; errorCode: number; partitions: unknown[] }[] };
  };
  const found = response?.topics?.find(({ name, errorCode }) => name === topic && errorCode === 0);
  return found?.partitions.length ?? null;
}
