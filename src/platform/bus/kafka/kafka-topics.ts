import { type Admin, findErrorBy } from '@platformatic/kafka';
import type { TopicDefinition } from '../port.ts';

type Retention = TopicDefinition['retention'];

export interface WantedTopic {
  readonly name: string;
  readonly partitions: number;
  readonly retention: Retention;
  /** Dead letters carry their reason on top of a message of any size that the broker took. */
  readonly messageBytesMax?: number;
}

/**
 * Makes the topics that are missing. One that exists is left alone, except that fewer partitions than declared are
 * refused: keys would land elsewhere than the outbox says, and two relays could reorder them.
 */
export async function ensureTopics(admin: Admin, wanted: readonly WantedTopic[], replication: number): Promise<void> {
  const existing = new Set(await admin.listTopics());
  for (const topic of wanted) if (!existing.has(topic.name)) await createTopic(admin, topic, replication);
  const present = wanted.filter((topic) => existing.has(topic.name));
  if (present.length === 0) return;
  const { topics } = await admin.metadata({ topics: present.map((topic) => topic.name), forceUpdate: true });
  for (const { name, partitions } of present) {
    const found = topics.get(name)?.partitionsCount ?? 0;
    if (found < partitions) {
      throw new Error(
        `the Kafka topic ${name} has ${found} partitions, and ${partitions} are needed: add partitions while it is empty`,
      );
    }
  }
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
