import { type Admin, ListOffsetTimestamps } from '@platformatic/kafka';
import { platformErrors } from '#platform/errors.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { ConsumerName } from '../options.ts';
import type { PartitionLag, TopicDefinition } from '../port.ts';
import { kafkaGroup } from './kafka-options.ts';
import { brokerAnswer, isUnknownTopic } from './kafka-verdicts.ts';

/** An earlier version kept its place in the dead-letter topics by the offsets of this group. */
const replayGroup = 'urr-replay';

/** A topic about which Kafka has no good answer is left out; the others are told. */
export async function kafkaLag(
  admin: Admin,
  topics: readonly TopicDefinition[],
  logger: Logger,
): Promise<PartitionLag[]> {
  const groups = [...(await admin.listGroups()).keys()];
  const lags: PartitionLag[] = [];
  for (const topic of topics) {
    try {
      lags.push(...(await lagOfTopic(admin, topic, groups)));
    } catch (error) {
      if (!isUnknownTopic(error) && brokerAnswer(error) === null) throw error;
      logger.warn({ err: error, topic: topic.name }, 'the lag of a topic is not known');
    }
  }
  return lags;
}

async function lagOfTopic(
  admin: Admin,
  { name: topic, partitions }: TopicDefinition,
  groups: readonly string[],
): Promise<PartitionLag[]> {
  const suffix = kafkaGroup({ group: '', topic });
  const own = groups.filter((group) => group.endsWith(suffix) && group !== kafkaGroup({ group: replayGroup, topic }));
  if (own.length === 0) return [];
  const ends = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.LATEST });
  const starts = await offsetsOf(admin, { topic, partitions, at: ListOffsetTimestamps.EARLIEST });
  const lags: PartitionLag[] = [];
  for (const groupId of own) {
    const committed = await committedOf(admin, { groupId, topic });
    for (let partition = 0; partition < partitions; partition++) {
      const end = ends.get(partition) ?? 0;
      const next = committed.get(partition) ?? starts.get(partition) ?? 0;
      const lag = Math.max(0, end - next);
      lags.push({ topic, group: groupId.slice(0, -suffix.length), partition, committed: next, end, lag });
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
