import type { Clock } from '#platform/clock.ts';
import { createIdMarks, createReportBuffer, type ReportMarks } from '#platform/concurrency/report-buffer.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { generalLane, type PlaceOrder } from '../domain/place-order.ts';
import type { EnterResult, EventStates, QueueConfig, QueueStore } from '../ports.ts';
import { touchMax } from '../ports.ts';
import { createPlaceOrderMarks } from './place-order-marks.ts';

/**
 * Polls and heartbeats of this process, gathered and reported to the store by the hundreds. A user is reported at most once in
 * 20 s and, while polling, at least once in 40 s and one poll more; absent is who was silent for 90 s. Where absence
 * begins sooner, people are reported more often in proportion. Whom the store does not know, after a loss or because they were
 * silent for long, comes back by the order in the ticket: a page that only sends heartbeats has no other way.
 */
export interface SignsOfLife {
  /** On the path of every poll. Whose order is known is remembered by it, which costs two bits and no look-up of a text. */
  note(eventId: string, sign: SignOfLife): void;
  /** The store did not know this user at the last report: left in another tab, or forgotten. Ask it. */
  isGone(eventId: string, userId: string): boolean;
  /** The store has just said whether this user has a place or a slot. */
  heard(eventId: string, userId: string, isPlaced: boolean): void;
  /** No sign of life of this event has been buffered for more than 2.5 s. False: people may seem absent who are not. */
  isFlushed(eventId: string): boolean;
  /** Which epoch the event has. In another one than before everybody is reported anew: the store knows nobody's last sign. */
  epochIs(eventId: string, epoch: number): void;
  flush(): Promise<void>;
}

/** A waiting ticket is one. */
export interface SignOfLife {
  readonly userId: string;
  readonly order: PlaceOrder | null;
}

const quietMaxMs = 20_000;
const quietShare = 2 / 9;
const goneMs = 600_000;
const goneMax = 100_000;
/** More users than this between two flushes are reported with their next poll. */
const bufferMax = 200_000;
/** What could not be sent is tried again for so long; then the user's next poll reports. */
const keptMs = 60_000;
/** Flushes come every second, and the longest takes about one. */
const lateMs = 2_500;
/** Remembered as reported without their order, per event and generation. Beyond it a user is reported more often than needed, nothing worse. */
const marksMax = 100_000;
/** Calls to the store in one flush of one event; what is left waits for the next. */
const batchesMax = 100;

export function createSignsOfLife(deps: {
  store: Pick<QueueStore, 'touch' | 'enter'>;
  states: EventStates;
  clock: Clock;
  logger: Logger;
  config: Pick<QueueConfig, 'absentMs' | 'activeTtlMs'>;
}): SignsOfLife {
  const { store, states, clock, logger, config } = deps;
  const gone = createGone(clock);
  const signs = createReportBuffer<SignOfLife>({
    limits: {
      ...{ batchMax: touchMax, batchesMax, bufferMax, keptMs },
      quietMs: Math.min(quietMaxMs, config.absentMs * quietShare),
    },
    clock,
    createMarks: createSignMarks,
    async send(eventId, batch) {
      const userIds = batch.map(idOf);
      const { unknown } = await states.withState(eventId, () => store.touch({ eventId, userIds }));
      await bringBack(eventId, batch, new Set(unknown));
      return 'sent';
    },
    onFault: (eventId, error) => logger.warn({ err: error, eventId }, 'signs of life could not be sent to the store'),
  });

  async function bringBack(eventId: string, batch: readonly SignOfLife[], unknown: ReadonlySet<string>): Promise<void> {
    const strangers = batch.filter(({ userId }) => unknown.has(userId));
    const returns = strangers.map(async ({ userId, order }) => {
      if (order !== null && (await isBack(eventId, userId, order))) gone.delete(eventId, userId);
      else gone.add(eventId, userId);
    });
    await Promise.all(returns);
  }

  async function isBack(eventId: string, userId: string, ticketOrder: PlaceOrder): Promise<boolean> {
    const call = { eventId, userId, lane: generalLane, roomOn: false, activeTtlMs: config.activeTtlMs, ticketOrder };
    const { status } = await states.withState<EnterResult>(eventId, () => store.enter({ ...call, mode: 'return' }));
    return status === 'waiting' || status === 'active';
  }

  return {
    note: signs.note,
    isGone: gone.has,
    heard(eventId, userId, isPlaced) {
      if (isPlaced) gone.delete(eventId, userId);
      else gone.add(eventId, userId);
    },
    isFlushed: (eventId) => signs.isFlushed(eventId, lateMs),
    epochIs: signs.receiverIs,
    async flush() {
      await signs.flush();
      gone.forgetOld();
    },
  };
}

function idOf({ userId }: SignOfLife): string {
  return userId;
}

/** By order where it is known, else by the ids of users. */
function createSignMarks(): ReportMarks<SignOfLife> {
  const orders = createPlaceOrderMarks();
  const users = createIdMarks({ idOf, countMax: marksMax });
  return {
    has: (sign) => (sign.order === null ? users.has(sign) : orders.has(sign.order)),
    add: (sign) => (sign.order === null ? users.add(sign) : orders.add(sign.order)),
    delete: (sign) => (sign.order === null ? users.delete(sign) : orders.delete(sign.order)),
    get isEmpty() {
      return orders.isEmpty && users.isEmpty;
    },
  };
}

/** Users of an event whom the store does not know, each for ten minutes. */
function createGone(clock: Clock) {
  /** Event → user → until when, in order of insertion, which is the order of their ends. */
  const events = new Map<string, Map<string, number>>();
  return {
    has(eventId: string, userId: string): boolean {
      const users = events.get(eventId);
      const untilMs = users?.get(userId);
      return untilMs !== undefined && untilMs > clock.monotonicMs();
    },
    add(eventId: string, userId: string): void {
      const users = events.get(eventId) ?? new Map<string, number>();
      events.set(eventId, users);
      users.delete(userId);
      users.set(userId, clock.monotonicMs() + goneMs);
      for (const oldest of users.keys()) {
        if (users.size <= goneMax) break;
        users.delete(oldest);
      }
    },
    delete(eventId: string, userId: string): void {
      events.get(eventId)?.delete(userId);
    },
    forgetOld(): void {
      const nowMs = clock.monotonicMs();
      for (const [eventId, users] of events) {
        for (const [userId, untilMs] of users) {
          if (untilMs > nowMs) break;
          users.delete(userId);
        }
        if (users.size === 0) events.delete(eventId);
      }
    },
  };
}
