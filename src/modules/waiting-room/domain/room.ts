import type { Branding } from './branding.ts';
import { drawOf, type RoomDraw, stageOf } from './draw.ts';
import { presentSegment, type Segment } from './lines.ts';

/** A room as PostgreSQL has it: what operators decided, and what the counters were a moment ago. */
export interface Room {
  /** Of an event, or `*` for the whole site. */
  readonly eventId: string;
  readonly title: string;
  readonly isActive: boolean;
  readonly era: number;
  readonly epoch: number;
  readonly begun: boolean;
  readonly given: number;
  readonly serving: number;
  readonly bound: number;
  readonly toTell: boolean;
  readonly paused: boolean;
  /** People a second; null: as configured. */
  readonly rate: number | null;
  /** From each time on, its rate; earliest first. */
  readonly ramp: readonly RampStep[] | null;
  /** The rate follows the line behind the room. */
  readonly isAuto: boolean;
  /** How much the line behind may hold: what it can admit in this time. Null: as usual. */
  readonly admitWithinSeconds: number | null;
  /** The last decision of the automatic rate. */
  readonly autoRate: number | null;
  /** How hard the work before a number is; null: none is asked for. */
  readonly proofDigits: number | null;
  readonly branding: Branding | null;
  /** Behind the room nothing is free, held or being paid. */
  readonly soldOut: boolean;
  readonly opensAtMs: number | null;
  readonly closesAtMs: number | null;
  readonly message: string | null;
  readonly failMode: 'open' | 'closed';
  /** Of all its eras that had one. */
  readonly draws: readonly RoomDraw[];
  /** Oldest first; the last one is the present epoch's. */
  readonly segments: readonly Segment[];
}

export interface RampStep {
  readonly atMs: number;
  readonly rate: number;
}

export const admitWithinSecondsUsual = 120;

export const wholeSite = '*';

export const phases = ['prequeue', 'frozen', 'open', 'paused', 'closed'] as const;
export type Phase = (typeof phases)[number];

/**
 *   prequeue ──opensAt──▶ open ⇄ paused
 *       │ with a draw ──freeze──▶ frozen ──reveal──▶ open ⇄ paused
 *       └────────────────────┴───▶ closed (the sale is over)
 */
export function phaseOf(room: Room, nowMs: number): Phase {
  const { paused, opensAtMs, closesAtMs } = room;
  if (closesAtMs !== null && nowMs >= closesAtMs) return 'closed';
  const draw = presentDraw(room);
  if (draw !== null) {
    const stage = stageOf(draw);
    if (stage === 'entering') return 'prequeue';
    if (stage !== 'drawn') return 'frozen';
    return paused ? 'paused' : 'open';
  }
  if (opensAtMs !== null && nowMs < opensAtMs) return 'prequeue';
  return paused ? 'paused' : 'open';
}

/** Of the present era; null: its numbers go by arrival. */
export function presentDraw({ draws, era }: Pick<Room, 'draws' | 'era'>): RoomDraw | null {
  return drawOf(draws, era);
}

/** People a second at this moment. */
export function rateOf(room: Room, at: { nowMs: number; usual: number }): number {
  if (phaseOf(room, at.nowMs) !== 'open') return 0;
  const planned = plannedRate(room, at);
  if (!room.isAuto) return planned;
  if (room.soldOut) return 0;
  // A plan is then the most there may be; without one and without a decision, the usual rate is where it begins.
  const most = room.ramp === null && room.autoRate !== null ? Number.POSITIVE_INFINITY : planned;
  return Math.min(most, room.autoRate ?? planned);
}

/** By the ramp, from its first time on; else as it was set. */
function plannedRate({ rate, ramp }: Room, { nowMs, usual }: { nowMs: number; usual: number }): number {
  return ramp?.findLast(({ atMs }) => atMs <= nowMs)?.rate ?? rate ?? usual;
}

/** How many places in line there are, when so many numbers of the present epoch were given. */
export function lastLineOf({ segments }: Room, given: number): number {
  return presentSegment(segments).lineOffset + given;
}

const afterSaleMs = 24 * 3_600_000;
const withoutSaleMs = 7 * 24 * 3_600_000;

/** Until when what was issued then is good. */
export function requestEndsAtMs({ closesAtMs }: Pick<Room, 'closesAtMs'>, issuedAtMs: number): number {
  return closesAtMs === null ? issuedAtMs + withoutSaleMs : closesAtMs + afterSaleMs;
}

const boundLeadMin = 10_000;
const boundLeadSeconds = 20;

/** How far the durable bound is ahead: at least so many seconds at the rate seen, since it costs a round trip to raise it. */
export function boundLead(givenPerSecond: number): number {
  return Math.max(boundLeadMin, Math.ceil(givenPerSecond * boundLeadSeconds));
}
