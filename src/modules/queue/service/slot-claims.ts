import type { Clock } from '#platform/clock.ts';
import { createIdMarks, createReportBuffer } from '#platform/concurrency/report-buffer.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { isStoredSlot } from '../domain/slot-id.ts';
import { claimMax, type QueueConfig, type QueueStore, type SlotClaim } from '../ports.ts';

/**
 * Protected calls of this process's gateway, reported to the store by the hundreds: a call claims the slot, and is a sign of
 * life of its user. A slot is reported once in some seconds, however often its user calls.
 */
export interface SlotClaims {
  /** On the path of every protected call: it neither throws nor waits. */
  note(claim: SlotClaim & { eventId: string }): void;
  flush(): Promise<void>;
}

/** A slot in use is reported every 5 s, */
const quietMaxMs = 2_500;
/** or several times within the time after which an unseen user loses it. */
const quietShare = 1 / 9;
/** Slots of one event remembered as reported, in each generation. Beyond it one is reported more often than needed, nothing worse. */
const marksMax = 100_000;
/** Beyond it the user's next call reports. */
const bufferMax = 100_000;
/** A store that is away is tried again for so long; then the user's next call reports. */
const keptMs = 60_000;
/** Calls to the store in one flush of one event; what is left waits for the next. */
const batchesMax = 100;

export function createSlotClaims(deps: {
  store: Pick<QueueStore, 'claim'>;
  clock: Clock;
  logger: Logger;
  config: Pick<QueueConfig, 'activeSeenTtlMs'>;
}): SlotClaims {
  const { store, clock, logger, config } = deps;
  const quietMs = Math.min(quietMaxMs, (config.activeSeenTtlMs ?? Infinity) * quietShare);
  const claims = createReportBuffer<SlotClaim>({
    limits: { batchMax: claimMax, batchesMax, bufferMax, quietMs, keptMs },
    clock,
    createMarks: () => createIdMarks<SlotClaim>({ idOf: ({ slotId }) => slotId, countMax: marksMax }),
    async send(eventId, batch) {
      // Looked at here and not at every call: where the queue is off, a token names a slot that the store knows nothing of.
      const stored = batch.filter(({ slotId }) => isStoredSlot(eventId, slotId));
      if (stored.length === 0) return 'sent';
      const answer = await store.claim({ eventId, claims: stored.map(({ userId, slotId }) => ({ userId, slotId })) });
      // The processes of the queue bring a lost event back; until then it is as if the store were away.
      return 'status' in answer ? 'later' : 'sent';
    },
    onFault: (eventId, error) =>
      logger.warn({ err: error, eventId }, 'claims of slots could not be sent to the store; they are tried again'),
  });
  return {
    note: (claim) => claims.note(claim.eventId, claim),
    flush: claims.flush,
  };
}
