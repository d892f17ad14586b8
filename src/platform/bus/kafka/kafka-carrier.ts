import { type Lane, laneKey, markPublished, type OutboxRow, readLanes } from '../outbox.ts';
import { holdBehind } from '../refused.ts';
import type { Carrier } from '../relay.ts';
import { createTurnQuota } from '../turn-quota.ts';
import { backoffMs } from '../waiting.ts';
import type { KafkaCarrierOptions } from './kafka-carrier-options.ts';
import type { TopicLook } from './kafka-catalogue.ts';
import { runLoneLane } from './kafka-lone-lane.ts';
import { toRecord, type Verdict } from './kafka-producer.ts';
import { rememberFirstTopicId } from './kafka-replaced.ts';
import { createStuckTopics } from './kafka-stuck.ts';
import { isSilence } from './kafka-verdicts.ts';

interface SortedLanes {
  /** By `laneKey`. */
  readonly well: ReadonlySet<string>;
  /** Lanes whose topic's id is not remembered yet. */
  readonly seenFirst: readonly { readonly lane: Lane; readonly id: string }[];
}

const brokerBackoff = { baseMs: 100, maxMs: 3_000 };
const lookAtAllEveryMs = 5_000;
/** A request without any answer so many times in a row, from a broker that answers otherwise: its lanes are tried one by one. */
const unansweredMax = 2;

/**
 * Carries lanes to Kafka. Those that are well share requests. A lane whose topic or partition fails leaves them and is
 * sent alone, through a producer of its own, until it is well again; nobody else waits for it.
 */
export function createKafkaCarrier(options: KafkaCarrierOptions): Carrier & { close(): Promise<void> } {
  const { control, catalogue, declared, logger, observe } = options;
  const producer = options.createProducer();
  const quota = createTurnQuota();
  const stuck = createStuckTopics({ logger, observe });
  const alone = new Map<string, { partition: number; stopping: AbortController; done: Promise<void> }>();
  let lookAtAllAt = 0;
  let away = { failures: 0, until: 0 };
  let unansweredInRow = 0;

  function isolate(lane: Lane): void {
    const key = laneKey(lane);
    if (alone.has(key)) return;
    const stopping = new AbortController();
    const done = runLoneLane({ ...options, lane, stuck, signal: stopping.signal }).finally(() => alone.delete(key));
    alone.set(key, { partition: lane.partition, stopping, done });
  }

  function brokerAway(error: unknown): void {
    const failures = away.failures + 1;
    if (failures === 1) logger.warn({ err: error }, 'Kafka does not answer; events wait in the outbox');
    away = { failures, until: performance.now() + backoffMs(failures, brokerBackoff) };
  }

  /** What Kafka says about the topics of these lanes. Lanes that cannot be sent to as they are go on alone. */
  async function sortOut(lanes: readonly Lane[], withRows: ReadonlySet<string>): Promise<SortedLanes> {
    const all = performance.now() >= lookAtAllAt;
    if (all) lookAtAllAt = performance.now() + lookAtAllEveryMs;
    const looked = lanes.filter((lane) => withRows.has(laneKey(lane)) || (all && declared.has(lane.topic)));
    // After a failure nothing that was seen before it counts.
    const ageMaxMs = away.failures > 0 ? 0 : undefined;
    const states = await catalogue.look(
      looked.map(({ topic }) => topic),
      ageMaxMs === undefined ? undefined : { ageMaxMs },
    );
    const well = new Set<string>();
    const seenFirst: { lane: Lane; id: string }[] = [];
    for (const lane of looked) {
      const state = states.get(lane.topic) ?? null;
      if (!isAsRemembered(lane, state)) isolate(lane);
      else {
        well.add(laneKey(lane));
        if (lane.topicId === null && state !== null && 'id' in state) seenFirst.push({ lane, id: state.id });
      }
    }
    return { well, seenFirst };
  }

  /** Returns the lanes whose topic was replaced since they were read; they go on alone. */
  async function rememberSeenFirst(seenFirst: SortedLanes['seenFirst']): Promise<ReadonlySet<string>> {
    const replaced = new Set<string>();
    for (const { lane, id } of seenFirst) {
      if ((await rememberFirstTopicId(control, lane, id)) === id) continue;
      replaced.add(laneKey(lane));
      isolate(lane);
    }
    return replaced;
  }

  /** What was sent is marked before anything else happens: it must not be sent again because another lane failed. */
  async function settle(lanes: readonly Lane[], rows: readonly OutboxRow[], verdicts: ReadonlyMap<string, Verdict>) {
    const sent = sentRows(rows, verdicts);
    if (sent.length > 0) {
      await options.failpoint('relay-sent');
      await markPublished(
        control,
        sent.map((row) => row.id),
      );
      if (away.failures > 0) logger.info({ failures: away.failures }, 'Kafka takes events again');
      away = { failures: 0, until: 0 };
    }
    const failureOf = (lane: Lane) => verdicts.get(laneKey(lane))?.failure ?? null;
    const failed = lanes.filter((lane) => failureOf(lane) !== null);
    const silent = failed.filter((lane) => isSilence(failureOf(lane)));
    unansweredInRow = silent.length === 0 ? 0 : unansweredInRow + 1;
    const suspect = unansweredInRow >= unansweredMax;
    for (const lane of failed) if (suspect || !silent.includes(lane)) isolate(lane);
    if (silent[0] !== undefined && !suspect) brokerAway(failureOf(silent[0])?.cause);
    if (suspect) unansweredInRow = 0;
    return countByLane(sent);
  }

  return {
    async carry(lanes) {
      if (performance.now() < away.until) return { moved: [], more: false };
      const well = lanes.filter((lane) => !alone.has(laneKey(lane)));
      const limits = quota.perLane();
      const rows = await readLanes(control, well, limits);
      await holdBehind(
        control,
        rows.filter((row) => row.held),
      );
      const free = rows.filter((row) => !row.held);
      let sorted: SortedLanes;
      try {
        sorted = await sortOut(well, new Set(free.map(laneKey)));
      } catch (error) {
        brokerAway(error);
        return { moved: [], more: false };
      }
      const replaced = await rememberSeenFirst(sorted.seenFirst);
      const sendable = free.filter((row) => sorted.well.has(laneKey(row)) && !replaced.has(laneKey(row)));
      if (sendable.length === 0) return { moved: [], more: false };
      const verdicts = await producer.produce(sendable.map(toRecord));
      const moved = await settle(well, sendable, verdicts);
      for (const { lane, count } of moved) observe.relayed?.(lane.topic, count);
      quota.used(moved.length);
      return { moved, more: moved.length > 0 && hasFullLane(rows, limits) };
    },

    async release(partition) {
      const leaving = [...alone.values()].filter((lane) => lane.partition === partition);
      for (const lane of leaving) lane.stopping.abort();
      await Promise.all(leaving.map((lane) => lane.done));
    },

    async close() {
      for (const lane of alone.values()) lane.stopping.abort();
      await Promise.all([producer.close(), ...[...alone.values()].map((lane) => lane.done)]);
    },
  };
}

function isAsRemembered(lane: Lane, state: TopicLook): boolean {
  if (state === null || 'problem' in state || lane.partition >= state.partitions) return false;
  return lane.topicId === null || lane.topicId === state.id;
}

/** Of each lane the first ones, as many as its verdict says. */
function sentRows(rows: readonly OutboxRow[], verdicts: ReadonlyMap<string, Verdict>): OutboxRow[] {
  const places = new Map<string, number>();
  return rows.filter((row) => {
    const key = laneKey(row);
    const place = places.get(key) ?? 0;
    places.set(key, place + 1);
    return place < (verdicts.get(key)?.sent ?? 0);
  });
}

function countByLane(rows: readonly OutboxRow[]): { lane: OutboxRow; count: number }[] {
  const lanes = new Map<string, { lane: OutboxRow; count: number }>();
  for (const row of rows) {
    const found = lanes.get(laneKey(row));
    if (found === undefined) lanes.set(laneKey(row), { lane: row, count: 1 });
    else found.count += 1;
  }
  return [...lanes.values()];
}

function hasFullLane(rows: readonly OutboxRow[], limits: { rowsMax: number; bytesMax: number }): boolean {
  const filled = new Map<string, { rows: number; bytes: number }>();
  for (const row of rows) {
    const lane = filled.get(laneKey(row)) ?? { rows: 0, bytes: 0 };
    lane.rows += 1;
    lane.bytes += row.bytes;
    filled.set(laneKey(row), lane);
    if (lane.rows >= limits.rowsMax || lane.bytes >= limits.bytesMax) return true;
  }
  return false;
}
