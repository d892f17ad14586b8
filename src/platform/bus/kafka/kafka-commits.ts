import type { Consumer as KafkaClient } from '@platformatic/kafka';
import type { Logger } from '#platform/telemetry/logger.ts';

export interface KafkaCommits {
  /** The group has done everything of this partition before `offset`. */
  mark(partition: number, offset: number): void;
  /** Resolves when what was marked before has been committed, or could not be. */
  flush(): Promise<void>;
}

const retryMs = 250;
const triesMax = 20;

/**
 * Commits in the background, one request at a time with the newest offsets: a commit that comes late, or never, only
 * means that messages are delivered again and found in the inbox.
 */
export function createKafkaCommits(options: { client: KafkaClient; topic: string; logger: Logger }): KafkaCommits {
  const { client, topic, logger } = options;
  const marked = new Map<number, number>();
  let committing: Promise<void> | null = null;

  async function commitAll(): Promise<void> {
    for (let tries = 0; marked.size > 0 && tries < triesMax; ) {
      const snapshot = [...marked];
      marked.clear();
      try {
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
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  return {
    mark(partition, offset) {
      marked.set(partition, Math.max(offset, marked.get(partition) ?? 0));
      committing ??= commitAll().finally(() => {
        committing = null;
      });
    },
    async flush() {
      await committing;
    },
  };
}
