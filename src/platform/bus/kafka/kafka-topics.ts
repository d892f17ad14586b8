import { type Admin, findErrorBy } from '@platformatic/kafka';
import type { TopicDefinition } from '../port.ts';

type Retention = TopicDefinition['retention'];

export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly retention: Retention;
  /** Dead letters carry their reason on top of a message of any size that the broker took. */
  readonly messageBytesMax?: number;
  /** Partitions are added when there are fewer than wanted: for topics whose messages need no order between them. */
  readonly grows?: boolean;
}

/**
 * Makes the topics that are missing. One that exists is left alone, except that fewer partitions than declared are
 * refused: keys would land elsewhere than the outbox says, and two relays could reorder them. Returns how many
 * partitions each topic has that was there before.
 */
export async function ensureTopics(
  admin: Admin,
  wanted: readonly WantedTopic[],
  replication: number,
): Promise<ReadonlyMap<string, number>> {
  const existing = new Set(await admin.listTopics());
  for (const topic of wanted) if (!existing.has(topic.name)) await createTopic(admin, topic, replication);
  const present = wanted.filter((topic) => existing.has(topic.name));
  if (present.length === 0) return new Map();
  const { topics } = await admin.metadata({ topics: present.map((topic) => topic.name), forceUpdate: true });
  const counts = new Map<string, number>();
  for (const { name, partitions, grows } of present) {
    const found = topics.get(name)?.partitionsCount ?? 0;
    counts.set(name, found);
    if (found < partitions) {
      if (grows === true) {
        await admin.createPartitions({ topics: [{ name, count: partitions }] });
        continue;
      }
      throw new Error(
        `the Kafka topic ${name} has ${found} partitions, and ${partitions} are needed: add partitions while it is empty`,
      );
    }
  }
  return counts;
}

async function createTopic(admin: Admin, topic: WantedTopic, replication: number): Promise<void> {
  const configs = [{ name: 'retention.ms', value: retentionMs(topic.retention) }];
  if (topic.messageBytesMax !== undefined)
    configs.push({ name: 'max.message.bytes', value: String(topic.messageBytesMax) });
  try {
    await admin.createTopics({ topics: [topic.name], partitions: topic.partitions, replicas: replication, configs });
  } catch (error) {
    // Another process starts at the same moment.
    if (!(error instanceof Error) || findErrorBy(error, 'apiId', 'TOPIC_ALREADY_EXISTS') === null) throw error;
  }
}

function retentionMs(retention: Retention): string {
  return retention === 'forever' ? '-1' : String(retention.hours * 3_600_000);
}
