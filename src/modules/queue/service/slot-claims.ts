import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { isStoredSlot } from '../domain/slot-id.ts';
import { claimMax, type QueueConfig, type QueueStore, type SlotClaim } from '../ports.ts';

/**
 * Protected calls of this process's gateway, told to the store by the hundreds: a call claims the slot, and is a sign of
 * life of its user. A slot is told once in some seconds, however often its user calls.
 */
export interface SlotClaims {
  /** On the path of every protected call: it neither throws nor waits. */
  note(claim: SlotClaim & { eventId: string }): void;
  flush(): Promise<void>;
}

const generationMaxMs = 5_000;
/** Of the time after which an unseen user loses the slot: told several times within it. */
const generationShare = 2 / 9;
/** Slots told or about to be, in this generation. Beyond it one is told more often than needed, nothing worse. */
const toldMax = 200_000;
/** Slots that wait to be told, of all events. Beyond it the user's next call tells. */
const waitingMax = 100_000;
/** A store that is away is tried again for so long; then the user's next call tells. */
const keptMs = 60_000;
/** Calls to the store in one flush of one event; what is left waits for the next. */
const flushCallsMax = 100;

interface Noted extends SlotClaim {
  readonly notedAtMs: number;
}

export function createSlotClaims(deps: {
  store: Pick<QueueStore, 'claim'>;
  clock: Clock;
  logger: Logger;
  config: Pick<QueueConfig, 'activeSeenTtlMs'>;
}): SlotClaims {
  const { store, clock, logger } = deps;
  const generationMs = Math.min(generationMaxMs, (deps.config.activeSeenTtlMs ?? Infinity) * generationShare);
  /** By event and slot, in the order in which they were noted. */
  const waiting = new Map<string, Map<string, Noted>>();
  let waitingCount = 0;
  const told = new Set<string>();
  let generationEndsMs = clock.monotonicMs() + generationMs;

  async function flushEvent(eventId: string, noted: Map<string, Noted>): Promise<void> {
    for (let calls = 0; calls < flushCallsMax && noted.size > 0; calls++) {
      const claims = firstOf(noted);
      const answer = await store.claim({ eventId, claims });
      // The processes of the queue bring it back; until then it is as if the store were away.
      if ('status' in answer) return;
      for (const { slotId } of claims) drop(noted, slotId);
    }
  }

  function drop(noted: Map<string, Noted>, slotId: string): void {
    if (noted.delete(slotId)) waitingCount -= 1;
  }

  function dropOld(noted: Map<string, Noted>, nowMs: number): void {
    for (const { slotId, notedAtMs } of noted.values()) {
      if (nowMs - notedAtMs <= keptMs) return;
      drop(noted, slotId);
    }
  }

  function turnGeneration(nowMs: number): void {
    if (nowMs < generationEndsMs) return;
    told.clear();
    generationEndsMs = nowMs + generationMs;
  }

  return {
    note({ eventId, userId, slotId }) {
      if (told.has(slotId) || waitingCount >= waitingMax) return;
      if (!isStoredSlot(eventId, slotId)) return;
      if (told.size < toldMax) told.add(slotId);
      const noted = waiting.get(eventId) ?? new Map<string, Noted>();
      waiting.set(eventId, noted);
      if (noted.has(slotId)) return;
      noted.set(slotId, { userId, slotId, notedAtMs: clock.monotonicMs() });
      waitingCount += 1;
    },
    async flush() {
      const now = clock.monotonicMs();
      for (const [eventId, noted] of waiting) {
        await flushEvent(eventId, noted).catch((error: unknown) =>
          logger.warn({ err: error, eventId }, 'claims of slots could not be told to the store; they are tried again'),
        );
        dropOld(noted, now);
        if (noted.size === 0) waiting.delete(eventId);
      }
      turnGeneration(now);
    },
  };
}

function firstOf(noted: ReadonlyMap<string, Noted>): SlotClaim[] {
  const claims: SlotClaim[] = [];
  for (const { userId, slotId } of noted.values()) {
    if (claims.length === claimMax) break;
    claims.push({ userId, slotId });
  }
  return claims;
}
