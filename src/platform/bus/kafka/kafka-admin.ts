import { type Admin, Consumer as KafkaClient, ListOffsetTimestamps } from '@platformatic/kafka';
import { platformErrors } from '#platform/errors.ts';
import { replayTarget } from '../dead-letter.ts';
import type { ConsumerName } from '../options.ts';
import type { PartitionLag, TopicDefinition } from '../port.ts';
import { settledWithin } from '../waiting.ts';
import { connectionOptions, type KafkaBusOptions, kafkaGroup } from './kafka-options.ts';
import type { KafkaRecord } from './kafka-producer.ts';
import type { KafkaSender } from './kafka-sender.ts';

/** The offsets of this group say which dead letters have been replayed already. */
const replayGroup = 'urr-replay';
const replayTimeoutMs = 30_000;
const closeTimeoutMs = 3_000;

export async function kafkaLag(admin: Admin, topics: readonly TopicDefinition[]): Promise<PartitionLag[]> {
  const groups = [...(await admin.listGroups()).keys()];
  const lags: PartitionLag[] = [];
  for (const { name: topic, partitions } of topics) {
    const suffix = kafkaGroup({ group: '', topic });
    const own = groups.filter((group) => group.endsWith(suffix) && group !== kafkaGroup({ group: replayGroup, topic }));
    if (own.length === 0) continue;
    const ends = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.LATEST });
    const starts = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.EARLIEST });
    for (const groupId of own) {
      const committed = await committedOf(admin, { groupId, topic });
      for (let partition = 0; partition < partitions; partition++) {
        const end = ends.get(partition) ?? 0;
        const next = committed.get(partition) ?? starts.get(partition) ?? 0;
        lags.push({
          topic,
          group: groupId.slice(0, -suffix.length),
          partition,
          committed: next,
          end,
          lag: Math.max(0, end - next),
        });
      }
    }
  }
  return lags;
}

export async function replayKafkaFromBeginning(
  admin: Admin,
  { topic, group, partitions }: ConsumerName & { partitions: number },
): Promise<void> {
  const groupId = kafkaGroup({ group, topic });
  const described = (await admin.describeGroups({ groups: [groupId] })).get(groupId);
  if (described !== undefined && described.members.size > 0) {
    throw platformErrors.fault('CONFLICT', {
      detail: `The group ${group} is consuming ${topic}. Stop its consumers first.`,
    });
  }
  const starts = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.EARLIEST });
  const partitionOffsets = [...starts].map(([partition, offset]) => ({ partition, offset: BigInt(offset) }));
  await admin.alterConsumerGroupOffsets({ groupId, topics: [{ name: topic, partitionOffsets }] });
}

/** Sends first and remembers then: after a crash between the two a letter is replayed twice, and the inbox knows it. */
export async function replayKafkaDeadLetters(options: {
  admin: Admin;
  kafka: KafkaBusOptions;
  sender: KafkaSender;
  topic: string;
  limit: number;
}): Promise<number> {
  const { admin, kafka, sender, topic, limit } = options;
  if (!(await admin.listTopics()).includes(topic)) return 0;
  const groupId = kafkaGroup({ group: replayGroup, topic });
  const { topics } = await admin.metadata({ topics: [topic] });
  const partitions = topics.get(topic)?.partitionsCount ?? 0;
  const ends = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.LATEST });
  const positions = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.EARLIEST });
  for (const [partition, offset] of await committedOf(admin, { groupId, topic })) positions.set(partition, offset);
  const caughtUp = () => [...ends].every(([partition, end]) => (positions.get(partition) ?? 0) >= end);

  const client = new KafkaClient({ ...connectionOptions(kafka), groupId, autocommit: false, maxWaitTime: 200 });
  const records: KafkaRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    if (limit <= 0 || caughtUp()) return 0;
    const stream = await client.consume({
      topics: [topic],
      mode: 'manual',
      offsets: [...positions].map(([partition, offset]) => ({ topic, partition, offset: BigInt(offset) })),
    });
    timer = setTimeout(() => stream.destroy(platformErrors.fault('BUS_UNAVAILABLE')), replayTimeoutMs);
    for await (const message of stream) {
      positions.set(message.partition, Number(message.offset) + 1);
      const target = replayTarget(
        Object.fromEntries(message.headerEntries.map(([name, value]) => [String(name), String(value)])),
      );
      // A letter of a foreign producer may have no key, whatever the types say.
      if (target !== null) records.push({ ...target, key: message.key?.toString() ?? '', value: message.value });
      if (records.length >= limit || caughtUp()) break;
    }
    await sender.send(records);
    await client.commit({
      offsets: [...positions].map(([partition, offset]) => ({
        topic,
        partition,
        offset: BigInt(offset),
        leaderEpoch: -1,
      })),
    });
    return records.length;
  } finally {
    clearTimeout(timer);
    await settledWithin(client.close(true), closeTimeoutMs);
  }
}

async function offsetsOf(
  admin: Admin,
  options: { topic: string; partitions: number; at: bigint },
): Promise<Map<number, number>> {
  const wanted = Array.from({ length: options.partitions }, (_, partitionIndex) => ({
    partitionIndex,
    timestamp: options.at,
  }));
  const [listed] = await admin.listOffsets({ topics: [{ name: options.topic, partitions: wanted }] });
  return new Map(listed?.partitions.map(({ partitionIndex, offset }) => [partitionIndex, Number(offset)]) ?? []);
}

async function committedOf(admin: Admin, options: { groupId: string; topic: string }): Promise<Map<number, number>> {
  const [group] = await admin.listConsumerGroupOffsets({ groups: [options.groupId] });
  const topic = group?.topics.find(({ name }) => name === options.topic);
  const known = topic?.partitions.filter(({ committedOffset }) => committedOffset >= 0n) ?? [];
  return new Map(known.map(({ partitionIndex, committedOffset }) => [partitionIndex, Number(committedOffset)]));
}
