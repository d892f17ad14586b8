import { type BatchLimits, createBatcher } from '#platform/concurrency/batcher.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import type { Redis } from '#platform/redis/port.ts';
import type { EnterCall, EnterResult, Lost, QueueStore } from '../ports.ts';
import { enterQueue } from '../scripts/scripts.generated.ts';
import { eventKeys } from './redis-keys.ts';
import { lost, toEnterResults } from './redis-replies.ts';

export const entryLimits: BatchLimits = {
  /** What one script call decides at most: some tenths of a millisecond in which the server does nothing else. */
  batchMax: 64,
  /** Reached only while the server is silent: it answers a batch in a millisecond or two. */
  batchesMax: 64,
  callsMax: 50_000,
  waitMaxMs: 5_000,
};

/** `enter`, sent in batches of one event: a round trip and the reading of the event's state cost more than a decision. */
export function createEntries(options: {
  redis: Redis;
  /** Before anybody is told of the answers. `first`: the event was empty before. */
  onPlaced(eventId: string, first: boolean): Promise<void>;
}): QueueStore['enter'] {
  const { redis, onPlaced } = options;

  async function run(eventId: string, batch: readonly EnterCall[]): Promise<readonly (EnterResult | Lost)[]> {
    const [head] = batch;
    if (head === undefined) return [];
    const { activeTtlMs, nowMs = -1 } = head;
    const calls = batch.flatMap((call) => [call.userId, asked(call)]);
    const answer = await enterQueue(redis, eventKeys(eventId), { eventId, activeTtlMs, nowMs, calls });
    if (answer.epoch === 0) return batch.map(() => lost);
    const userIds = batch.map(({ userId }) => userId);
    const results = toEnterResults(answer.answers, userIds, answer.epoch);
    if (results.some(({ status }) => status === 'waiting' || status === 'active'))
      await onPlaced(eventId, answer.first);
    return results;
  }

  const entries = createBatcher<EnterCall, EnterResult | Lost>({
    limits: entryLimits,
    run,
    overloaded: () => platformErrors.fault('STORE_UNAVAILABLE'),
    // Only tests and a changed configuration make calls that differ in these.
    canJoin: (head, call) => call.nowMs === head.nowMs && call.activeTtlMs === head.activeTtlMs,
    isOutage: (fault) => isFault(fault, 'STORE_UNAVAILABLE'),
  });
  return (call) => entries.call(call.eventId, call);
}

/** As `enter.lua` reads it. */
function asked({
  mode,
  roomOn,
  lane,
  unattended = false,
  withoutSlot = false,
  pastRoom = false,
  ticketOrder,
  numbered,
}: EnterCall): string {
  const isReturn = mode === 'return';
  const flags = String(
    Number(mode !== 'enter') +
      2 * Number(roomOn) +
      4 * lane +
      8 * Number(isReturn || unattended) +
      16 * Number(isReturn || withoutSlot) +
      32 * Number(pastRoom),
  );
  if (ticketOrder === undefined && numbered === undefined) return flags;
  return `${flags} ${ticketOrder ?? 0} ${numbered ?? 0}`;
}
