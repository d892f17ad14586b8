import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { generalLane, type Order } from '../domain/order.ts';
import type { EnterResult, EventStates, QueueConfig, QueueStore } from '../ports.ts';
import { touchMax } from '../ports.ts';
import { createOrderMarks, type OrderMarks } from './order-marks.ts';

/**
 * Polls and heartbeats of this process, gathered and told to the store by the hundreds. A user is told at most once in
 * 20 s and, while polling, at least once in 40 s and one poll more; absent is who was silent for 90 s. Where absence
 * begins sooner, people are told more often in proportion. Whom the store does not know, after a loss or because they were
 * silent for long, comes back by the order in the ticket: a page that only sends heartbeats has no other way.
 */
export interface SignsOfLife {
  /** On the path of every poll. Whose order is known is remembered by it, which costs two bits and no look-up of a text. */
  note(eventId: string, userId: string, order: Order | null): void;
  /** The store did not know this user when told: left in another tab, or forgotten. Ask it. */
  isGone(eventId: string, userId: string): boolean;
  /** The store has just said whether this user has a place or a slot. */
  heard(eventId: string, userId: string, isPlaced: boolean): void;
  /** Nothing that was noted of this event waits to be told, but for the last moment. False: people may seem absent who are not. */
  areTold(eventId: string): boolean;
  /** Which epoch the event has. In another one than before everybody is told anew: the store knows nobody's last sign. */
  epochIs(eventId: string, epoch: number): void;
  flush(): Promise<void>;
}

const generationMaxMs = 20_000;
const generationShare = 2 / 9;
const goneMs = 600_000;
const goneMax = 100_000;
/** More users than this in one event between two flushes are told with their next poll. */
const bufferMax = 100_000;
/** What could not be told is tried again for so long; then the user's next poll tells it. */
const keptMs = 60_000;
/** Flushes come every second, and the longest takes about one. */
const lateMs = 2_500;
/** Remembered as told without their order, per event and generation. Beyond it a user is told more often than needed, nothing worse. */
const toldMax = 100_000;
/** Calls to the store in one flush of one event; what is left waits for the next. */
const flushCallsMax = 100;

interface Sign {
  readonly userId: string;
  readonly order: Order | null;
  readonly notedAtMs: number;
}

/** Users who were told or are about to be: by order where it is known, else by their ids. */
interface Told {
  readonly orders: OrderMarks;
  readonly users: Set<string>;
}

interface EventSigns {
  /** In this generation and in the one before. */
  young: Told;
  old: Told;
  generationEndsMs: number;
  /** The oldest first. */
  buffer: Sign[];
  epoch: number | null;
  /** user → until when */
  readonly gone: Map<string, number>;
}

export function createSignsOfLife(deps: {
  store: Pick<QueueStore, 'touch' | 'enter'>;
  states: EventStates;
  clock: Clock;
  logger: Logger;
  config: Pick<QueueConfig, 'absentMs' | 'activeTtlMs'>;
}): SignsOfLife {
  const { store, states, clock, logger, config } = deps;
  const generationMs = Math.min(generationMaxMs, config.absentMs * generationShare);
  const events = new Map<string, EventSigns>();

  function signsOf(eventId: string): EventSigns {
    const known = events.get(eventId);
    if (known !== undefined) return known;
    const generationEndsMs = clock.monotonicMs() + generationMs;
    const told = { young: nobodyTold(), old: nobodyTold(), generationEndsMs };
    const fresh = { ...told, buffer: [], epoch: null, gone: new Map() };
    events.set(eventId, fresh);
    return fresh;
  }

  async function flushEvent(eventId: string, signs: EventSigns): Promise<void> {
    for (let calls = 0; calls < flushCallsMax && signs.buffer.length > 0; calls++) {
      const told = signs.buffer.splice(0, touchMax);
      const userIds = told.map(({ userId }) => userId);
      try {
        const { unknown } = await states.withState(eventId, () => store.touch({ eventId, userIds }));
        await bringBack(eventId, signs, told, new Set(unknown));
      } catch (error) {
        putBack(signs, told);
        throw error;
      }
    }
  }

  /** Not told after all. */
  function putBack(signs: EventSigns, untold: readonly Sign[]): void {
    const sinceMs = clock.monotonicMs() - keptMs;
    for (const sign of untold) {
      if (sign.notedAtMs >= sinceMs) continue;
      forget(signs.young, sign);
      forget(signs.old, sign);
    }
    signs.buffer = [...untold.filter(({ notedAtMs }) => notedAtMs >= sinceMs), ...signs.buffer];
  }

  async function bringBack(
    eventId: string,
    signs: EventSigns,
    told: readonly Sign[],
    unknown: ReadonlySet<string>,
  ): Promise<void> {
    const strangers = told.filter(({ userId }) => unknown.has(userId));
    const returns = strangers.map(async ({ userId, order }) => {
      if (order !== null && (await isBack(eventId, userId, order))) signs.gone.delete(userId);
      else remember(signs, userId);
    });
    await Promise.all(returns);
  }

  async function isBack(eventId: string, userId: string, ticketOrder: Order): Promise<boolean> {
    const call = { eventId, userId, lane: generalLane, roomOn: false, activeTtlMs: config.activeTtlMs, ticketOrder };
    const { status } = await states.withState<EnterResult>(eventId, () => store.enter({ ...call, mode: 'return' }));
    return status === 'waiting' || status === 'active';
  }

  function remember({ gone }: EventSigns, userId: string): void {
    gone.delete(userId);
    gone.set(userId, clock.monotonicMs() + goneMs);
    for (const oldest of gone.keys()) {
      if (gone.size <= goneMax) break;
      gone.delete(oldest);
    }
  }

  /** In order of insertion, which is the order of their ends. */
  function forgetOld(eventId: string, signs: EventSigns, nowMs: number): void {
    for (const [userId, untilMs] of signs.gone) {
      if (untilMs > nowMs) break;
      signs.gone.delete(userId);
    }
    if (nowMs < signs.generationEndsMs) return;
    signs.old = nowMs < signs.generationEndsMs + generationMs ? signs.young : nobodyTold();
    signs.young = nobodyTold();
    signs.generationEndsMs = nowMs + generationMs;
    if (isNobody(signs.old) && signs.gone.size === 0 && signs.buffer.length === 0) events.delete(eventId);
  }

  return {
    note(eventId, userId, order) {
      const signs = signsOf(eventId);
      const { young, old, buffer } = signs;
      const isTold =
        order === null
          ? young.users.has(userId) || old.users.has(userId)
          : young.orders.has(order) || old.orders.has(order);
      if (isTold || buffer.length >= bufferMax) return;
      if (order !== null) young.orders.add(order);
      else if (young.users.size < toldMax) young.users.add(userId);
      buffer.push({ userId, order, notedAtMs: clock.monotonicMs() });
    },
    isGone(eventId, userId) {
      const gone = events.get(eventId)?.gone;
      if (gone === undefined || gone.size === 0) return false;
      const untilMs = gone.get(userId);
      return untilMs !== undefined && untilMs > clock.monotonicMs();
    },
    heard(eventId, userId, isPlaced) {
      if (isPlaced) events.get(eventId)?.gone.delete(userId);
      else remember(signsOf(eventId), userId);
    },
    areTold(eventId) {
      const [oldest] = events.get(eventId)?.buffer ?? [];
      return oldest === undefined || clock.monotonicMs() - oldest.notedAtMs <= lateMs;
    },
    epochIs(eventId, epoch) {
      const signs = events.get(eventId);
      if (signs === undefined || signs.epoch === epoch) return;
      if (signs.epoch !== null) Object.assign(signs, { young: nobodyTold(), old: nobodyTold() });
      signs.epoch = epoch;
    },
    async flush() {
      const now = clock.monotonicMs();
      for (const [eventId, signs] of events) {
        try {
          await flushEvent(eventId, signs);
        } catch (error) {
          logger.warn({ err: error, eventId }, 'signs of life could not be told to the store');
        }
        forgetOld(eventId, signs, now);
      }
    },
  };
}

function nobodyTold(): Told {
  return { orders: createOrderMarks(), users: new Set() };
}

function isNobody({ orders, users }: Told): boolean {
  return orders.isEmpty && users.size === 0;
}

function forget({ orders, users }: Told, { userId, order }: Sign): void {
  if (order === null) users.delete(userId);
  else orders.delete(order);
}
