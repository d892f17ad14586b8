import type { Consumer as KafkaClient } from '@platformatic/kafka';
import type { Logger } from '#platform/telemetry/logger.ts';
import { sleep } from '../waiting.ts';

export interface KafkaCommits {
  /** The group has done everything of this partition before `offset`. */
  mark(partition: number, offset: number): void;
  /** At the end: resolves when what was marked before has been committed, or could not be. */
  flush(): Promise<void>;
  /** What is marked, and what will be, belongs to a topic that is no more. */
  discard(): void;
}

/** Between two commits: one per message would cost more than the messages themselves. */
const commitEveryMs = 100;
const triesMax = 50;

/**
 * Commits in the background, one request at a time with the newest offsets: a commit that comes late, or never, only
 * means that messages are delivered again and found in the inbox.
 */
export function createKafkaCommits(options: {
  client: KafkaClient;
  topic: string;
  logger: Logger;
  /** Throws when what is marked must not be committed. */
  verify: () => Promise<void>;
}): KafkaCommits {
  const { client, topic, logger, verify } = options;
  let discarded = false;
  const marked = new Map<number, number>();
  const flushing = new AbortController();
  let committing: Promise<void> | null = null;

  async function commitAll(): Promise<void> {
    for (let tries = 0; marked.size > 0 && tries < triesMax && !discarded; ) {
      const snapshot = [...marked];
      marked.clear();
      try {
        await verify();
        if (discarded) return;
        await client.commit({
          offsets: snapshot.map(([partition, offset]) => ({
            topic,
            partition,
            offset: BigInt(offset),
            leaderEpoch: -1,
          })),
        });
        tries = 0;
      } catch (error) {
        tries += 1;
        for (const [partition, offset] of snapshot) marked.set(partition, Math.max(offset, marked.get(partition) ?? 0));
        if (client.closed) return;
        logger.debug({ err: error, topic }, 'offsets were not committed and are tried again');
      }
      await sleep(commitEveryMs, flushing.signal);
    }
  }

  return {
    mark(partition, offset) {
      marked.set(partition, Math.max(offset, marked.get(partition) ?? 0));
      committing ??= commitAll().finally(() => {
        committing = null;
      });
    },
    discard() {
      discarded = true;
    },
    async flush() {
      flushing.abort();
      await committing;
    },
  };
}
