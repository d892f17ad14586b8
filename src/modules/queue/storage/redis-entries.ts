import { isFault } from '#platform/errors.ts';
import type { Redis } from '#platform/redis/port.ts';
import type { EnterCall, EnterResult, Lost, QueueStore } from '../ports.ts';
import { enterQueue } from '../scripts/scripts.generated.ts';
import { eventKeys } from './redis-keys.ts';
import { lost, toEnterResults } from './redis-replies.ts';

/** What one script call decides at most: some tenths of a millisecond in which the server does nothing else. */
export const entriesPerBatch = 64;

interface Pending {
  readonly call: EnterCall;
  resolve(result: EnterResult | Lost): void;
  reject(error: unknown): void;
}

/** The calls of one event. While there are none, the event is not remembered. */
interface Line {
  readonly eventId: string;
  waiting: Pending[];
  batchesUnderWay: number;
  scheduled: boolean;
}

/**
 * `enter`, sent in batches: a round trip and the reading of the event's state cost more than a decision. Calls of one turn
 * of the event loop go out together, in their order, and so do those that come while a batch is on its way; a full batch
 * waits for nobody. So a lone call goes out at once, and no call waits longer than for one answer before its own.
 */
export function createEntries(options: {
  redis: Redis;
  /** Before anybody is told of the answers. `first`: the event was empty before. */
  onPlaced(eventId: string, first: boolean): Promise<void>;
}): QueueStore['enter'] {
  const { redis, onPlaced } = options;
  const lines = new Map<string, Line>();

  function lineOf(eventId: string): Line {
    const known = lines.get(eventId);
    if (known !== undefined) return known;
    const line: Line = { eventId, waiting: [], batchesUnderWay: 0, scheduled: false };
    lines.set(eventId, line);
    return line;
  }

  function schedule(line: Line): void {
    if (line.scheduled) return;
    if (line.batchesUnderWay > 0 && line.waiting.length < entriesPerBatch) return;
    line.scheduled = true;
    // After everything that this turn has read from its sockets, and before it waits for more.
    setImmediate(flush, line);
  }

  function flush(line: Line): void {
    line.scheduled = false;
    while (line.waiting.length > 0) {
      const batch = takeBatch(line.waiting);
      line.waiting = line.waiting.slice(batch.length);
      line.batchesUnderWay += 1;
      // Settles every call of the batch and never rejects.
      void send(line, batch);
    }
  }

  async function send(line: Line, batch: readonly Pending[]): Promise<void> {
    try {
      const results = await run(line.eventId, batch);
      for (const [n, { resolve }] of batch.entries()) resolve(results?.[n] ?? lost);
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // Nothing was sent for those who wait behind; one after the other they would wait for the same silence.
      if (isFault(error, 'STORE_UNAVAILABLE')) for (const { reject } of line.waiting.splice(0)) reject(error);
    }
    line.batchesUnderWay -= 1;
    if (line.waiting.length > 0) schedule(line);
    else if (line.batchesUnderWay === 0) lines.delete(line.eventId);
  }

  /** Null: the event is lost. */
  async function run(eventId: string, batch: readonly Pending[]): Promise<EnterResult[] | null> {
    const [head] = batch;
    if (head === undefined) return [];
    const { activeTtlMs, nowMs = -1 } = head.call;
    const calls = batch.flatMap(({ call }) => [call.userId, asked(call)]);
    const answer = await enterQueue(redis, eventKeys(eventId), { eventId, activeTtlMs, nowMs, calls });
    if (answer.epoch === 0) return null;
    const userIds = batch.map(({ call }) => call.userId);
    const results = toEnterResults(answer.answers, userIds, answer.epoch);
    if (results.some(({ status }) => status === 'waiting' || status === 'active'))
      await onPlaced(eventId, answer.first);
    return results;
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const line = lineOf(call.eventId);
      line.waiting.push({ call, resolve, reject });
      schedule(line);
    });
}

/** The first ones that may share a script call. Only tests and a changed configuration make calls that may not. */
function takeBatch(waiting: readonly Pending[]): Pending[] {
  const [head] = waiting;
  const differs = ({ call }: Pending) => call.nowMs !== head?.call.nowMs || call.activeTtlMs !== head?.call.activeTtlMs;
  const end = waiting.findIndex((pending, n) => n === entriesPerBatch || differs(pending));
  return waiting.slice(0, end === -1 ? waiting.length : end);
}

/** As `enter.lua` reads it. */
function asked({
  mode,
  roomOn,
  lane,
  unattended = false,
  withoutSlot = false,
  ticketOrder,
  numbered,
}: EnterCall): string {
  const isReturn = mode === 'return';
  const flags = String(
    Number(mode !== 'enter') +
      2 * Number(roomOn) +
      4 * lane +
      8 * Number(isReturn || unattended) +
      16 * Number(isReturn || withoutSlot),
  );
  if (ticketOrder === undefined && numbered === undefined) return flags;
  return `${flags} ${ticketOrder ?? 0} ${numbered ?? 0}`;
}
