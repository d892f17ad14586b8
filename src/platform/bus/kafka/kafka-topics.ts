import { type Admin, findErrorBy } from '@platformatic/kafka';
import type { TopicDefinition } from '../port.ts';
import { lookAtTopics } from './kafka-catalogue.ts';

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
 * refused: keys would land elsewhere than the outbox says, and two relays could reorder them. A topic about which Kafka
 * has no good answer (a partition without a leader, no right to see it) keeps nobody from starting: the relay tells it.
 */
export async function ensureTopics(admin: Admin, wanted: readonly WantedTopic[], replication: number): Promise<void> {
  const found = await makeMissingTopics(admin, wanted, replication);
  for (const { name, partitions, grows } of wanted) {
    const count = found.get(name);
    if (count === undefined || count >= partitions) continue;
    if (grows !== true)
      throw new Error(`the Kafka topic ${name} has ${count} partitions, and ${partitions} are needed: add partitions`);
    await admin.createPartitions({ topics: [{ name, count: partitions }] });
  }
}

/** Only of these topics: another one of the cluster is none of our business. Returns how many partitions each has that was there before. */
export async function makeMissingTopics(
  admin: Admin,
  wanted: readonly WantedTopic[],
  replication: number,
): Promise<ReadonlyMap<string, number>> {
  const looks = await lookAtTopics(
    admin,
    wanted.map(({ name }) => name),
  );
  const counts = new Map<string, number>();
  for (const topic of wanted) {
    const look = looks.get(topic.name) ?? null;
    if (look === null) await createTopic(admin, topic, replication);
    else if (look.partitions !== null) counts.set(topic.name, look.partitions);
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
