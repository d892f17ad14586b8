import { estimateWait, type WaitEstimate } from '../domain/estimate.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { EventFacts, QueueConfig, StoreSnapshot } from '../ports.ts';
import type { KnownSpent } from './spent-mirror.ts';

/** One event as this process knows it: enough to answer a poll without asking anybody. */
export interface EventView {
  readonly eventId: string;
  facts: EventFacts;
  snapshot: StoreSnapshot;
  /** Null: only the store knows. */
  spent: KnownSpent | null;
  /** The part of every answer that is the same for all of the event, as text. */
  shared: string;
  /** The store did not answer at the last refresh. */
  stale: boolean;
  /** Nobody is in it, so it is looked at only when somebody asks. */
  isIdle: boolean;
  refreshedAtMs: number;
  usedAtMs: number;
  /** Waits by position, as far as they were asked for since the refresh. */
  readonly estimates: Map<number, KnownWait>;
  readonly history: HistoryPoint[];
}

export interface HistoryPoint {
  readonly atMs: number;
  readonly waiting: number;
  readonly parked: number;
  readonly active: number;
  readonly threshold: number;
}

export interface KnownWait extends WaitEstimate {
  /** As it stands in an answer. */
  readonly json: string;
}

/** Epochs of the store begin at 1. */
const noEpoch = 0;

/** Nobody waits or shops, because the event has no state in the store. */
export function notInStore({ threshold }: EventFacts, atMs: number): StoreSnapshot {
  return {
    status: 'ok',
    epoch: noEpoch,
    era: 0,
    atMs,
    watermark: 0,
    waiting: 0,
    parked: 0,
    active: 0,
    settings: { threshold: threshold ?? 0, paused: false, closed: false, message: null },
    recovering: false,
    admittedPerSecond: [],
    totals: { joined: 0, admitted: 0, left: 0, noShows: 0, forgotten: 0 },
    breakpoints: [],
    denied: [],
    settingsVersion: 0,
    room: { on: false, era: 0, version: 0 },
    numbered: 0,
    deniedMark: { epoch: noEpoch, serial: 0 },
    cleared: { count: 0, upTo: [0, 0] },
  };
}

export function isInStore({ snapshot }: Pick<EventView, 'snapshot'>): boolean {
  return snapshot.epoch !== noEpoch;
}

/** Only the store knows whether this place still is one: nobody behind the watermark was admitted, of those before it each may have been. */
export function mayBeOver({ snapshot, spent }: EventView, order: PlaceOrder): boolean {
  return order <= snapshot.watermark && spent?.has(order) !== false;
}

/** No number counts yet: the store is away, or it was lost and a position is that among those who are back already. */
export function isUnsure({ stale, snapshot }: Pick<EventView, 'stale' | 'snapshot'>): boolean {
  return stale || snapshot.recovering;
}

/** Far back, neighbours share an estimate: half a percent of a position is nothing beside its spread. */
const exactUntil = 1_000;
const sharePerEstimate = 0.005;

export function estimateFor(view: EventView, position: number, config: QueueConfig): KnownWait {
  const { estimates, snapshot } = view;
  const step = position <= exactUntil ? 1 : Math.floor(powerBelow(position) * sharePerEstimate);
  const rounded = Math.ceil(position / step) * step;
  const known = estimates.get(rounded);
  if (known !== undefined) return known;
  const { seconds, highSeconds } = estimateWait({ position: rounded, snapshot, config });
  const json = `"estimatedWait":${seconds},"estimatedWaitHigh":${highSeconds}`;
  const estimate = { seconds, highSeconds, json };
  estimates.set(rounded, estimate);
  return estimate;
}

/** The largest power of two that is not above it; of a position that fits 31 bits. */
function powerBelow(position: number): number {
  return 1 << (31 - Math.clz32(position));
}
