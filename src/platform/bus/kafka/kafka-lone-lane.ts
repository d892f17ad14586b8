import { isFault } from '#platform/errors.ts';
import { describeThrown } from '#platform/telemetry/thrown.ts';
import { engineFaultOf } from '../outage.ts';
import { type LaneName, laneKey, markPublished, type OutboxRow, readLanes } from '../outbox.ts';
import { holdBehind, markRefused } from '../refused.ts';
import { backoffMs, sleep } from '../waiting.ts';
import type { KafkaCarrierOptions } from './kafka-carrier-options.ts';
import { type KafkaProducer, toRecord } from './kafka-producer.ts';
import { rememberFirstTopicId, resendLane } from './kafka-replaced.ts';
import type { StuckTopics } from './kafka-stuck.ts';
import { brokerAnswer, type Failure, isSilence, isUnreached, tooFew } from './kafka-verdicts.ts';

export interface LoneLaneOptions extends KafkaCarrierOptions {
  readonly lane: LaneName;
  readonly stuck: StuckTopics;
  /** The partition goes to another relay, or the program stops. */
  readonly signal: AbortSignal;
}

const laneBackoff = { baseMs: 100, maxMs: 3_000 };
const limits = { rowsMax: 500, bytesMax: 2 * 1_024 * 1_024 };

/** Sends one lane through a producer of its own until it has no trouble any more. */
export async function runLoneLane(options: LoneLaneOptions): Promise<void> {
  const { lane, stuck, signal, logger } = options;
  const producer = options.createProducer();
  try {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        const failure = await tryLane(options, producer);
        if (failure === null) {
          stuck.well(lane);
          return;
        }
        // Without an answer it is the broker that is away, not the topic that is bad; that is told elsewhere.
        if (!isSilence(failure)) stuck.stuck(lane, failure.reason);
      } catch (error) {
        logger.debug({ err: error, ...lane }, 'a lane could not be tried');
        if (!isEngineAway(error)) stuck.stuck(lane, describeThrown(error).reason);
      }
      await sleep(backoffMs(failures, laneBackoff), signal);
    }
    stuck.leave(lane);
  } finally {
    await producer.close();
  }
}

/** Neither the database nor the broker could be asked: no fault of this lane. */
function isEngineAway(error: unknown): boolean {
  const inner = isFault(error) && error.cause instanceof Error ? error.cause : error;
  return engineFaultOf(inner) !== null || isUnreached(inner);
}

/** One try. `null`: some rows went or were refused for good, or there were none; the lane may go with the others again. */
async function tryLane(options: LoneLaneOptions, producer: KafkaProducer): Promise<Failure | null> {
  const { lane, control } = options;
  const problem = await topicProblem(options);
  if (problem !== null) return problem;
  const rows = await readLanes(control, [lane], limits);
  await holdBehind(
    control,
    rows.filter((row) => row.held),
  );
  return deliver(
    options,
    producer,
    rows.filter((row) => !row.held),
  );
}

async function topicProblem(options: LoneLaneOptions): Promise<Failure | null> {
  const { lane, control, catalogue, logger, signal } = options;
  const { topic, partition } = lane;
  const state = (await catalogue.look([topic], { ageMaxMs: 0 })).get(topic) ?? null;
  if (state === null) {
    const refused = await makeTopic(options);
    if (refused !== null)
      return { kind: 'stuck', reason: `there is no such topic in Kafka, and it cannot be made: ${refused}` };
    logger.warn({ topic }, 'a topic was not there and was made again');
    return { kind: 'absent', reason: 'there is no such topic in Kafka; it is made again' };
  }
  if ('problem' in state) return { kind: 'stuck', reason: state.problem };
  if (partition >= state.partitions) return tooFew(topic, partition, state.partitions);
  if ((await rememberFirstTopicId(control, lane, state.id)) !== state.id) {
    options.stuck.replaced(topic, state.id);
    if (!(await resendLane(control, lane, { id: state.id, signal }))) return { kind: 'stuck', reason: 'interrupted' };
  }
  return null;
}

/** Says why the broker refuses, or null. Throws when it does not answer. */
async function makeTopic({ makeTopic: make, lane }: LoneLaneOptions): Promise<string | null> {
  try {
    await make(lane.topic);
    return null;
  } catch (error) {
    const refused = brokerAnswer(isFault(error) ? error.cause : error);
    if (refused === null) throw error;
    return refused;
  }
}

/**
 * In order. A batch that is refused for good is halved until the row is found that is to blame; that one waits for a person, and
 * the later rows of its key stay. The broker writes a refused batch not at all, so nothing is sent twice by this.
 */
async function deliver(
  options: LoneLaneOptions,
  producer: KafkaProducer,
  rows: readonly OutboxRow[],
  refusedKeys: Set<string> = new Set(),
): Promise<Failure | null> {
  const { lane, control, observe, logger } = options;
  const going = rows.filter((row) => !refusedKeys.has(row.key));
  if (going.length === 0 || options.signal.aborted) return null;
  const verdict = (await producer.produce(going.map(toRecord))).get(laneKey(lane));
  const sent = going.slice(0, verdict?.sent ?? 0);
  if (sent.length > 0) {
    await options.failpoint('relay-sent');
    await markPublished(
      control,
      sent.map((row) => row.id),
    );
    observe.relayed?.(lane.topic, sent.length);
  }
  const failure = verdict?.failure ?? null;
  if (failure === null || failure.kind !== 'refused') return failure;
  const rest = going.slice(sent.length);
  const [first] = rest;
  if (rest.length === 1 && first !== undefined) {
    await markRefused(control, first, failure.reason);
    refusedKeys.add(first.key);
    logger.error(
      { ...lane, row: first.id, key: first.key, reason: failure.reason },
      'Kafka refuses an event for good; it waits for a person, and later events of its key wait behind it',
    );
    observe.refused?.(lane.topic, failure.reason);
    return null;
  }
  const half = Math.ceil(rest.length / 2);
  return (
    (await deliver(options, producer, rest.slice(0, half), refusedKeys)) ??
    deliver(options, producer, rest.slice(half), refusedKeys)
  );
}
