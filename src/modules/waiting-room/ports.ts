import type { Beacon } from '#edge/draw/published.ts';
import type { Room } from './domain/room.ts';

/**
 * The counters of a room: how many numbers were given, and how far the line is served. They hold nothing of any visitor. What
 * they forget is never guessed: a loss begins a new epoch, whose numbers lie behind everything that was given before.
 */
export interface Counters {
  /** Begins an epoch, unless there is this one or a later one. Called once for each epoch, by whoever raised it. */
  begin(call: BeginCall): Promise<void>;
  /** The next numbers, as many of them as the bound allows. */
  assign(call: AssignCall): Promise<Assigned | NotThis>;
  /** The bound was raised in PostgreSQL before. A lower one changes nothing. */
  raiseBound(call: { eventId: string; epoch: number; bound: number }): Promise<void>;
  /**
   * Serves the line at this rate since the last call, never past the last number. Any number of processes may call it: one has
   * the lease, and the others get `held`. The rate is kept by the time of the counters, whoever calls.
   */
  advance(call: AdvanceCall): Promise<CountersRead | { readonly status: 'held' } | NotThis>;
  /** So many at once, by an operator, never past the last number. */
  serve(call: { eventId: string; epoch: number; by: number }): Promise<CountersRead | NotThis>;
  read(call: { eventId: string; epoch: number }): Promise<CountersRead | NotThis>;
}

export interface BeginCall {
  readonly eventId: string;
  readonly epoch: number;
  /** The first number is the next one after this. */
  readonly first: number;
  readonly bound: number;
  /** Place in line of number n: `lineOffset` + n. */
  readonly lineOffset: number;
  readonly serving: number;
}

export interface AdvanceCall {
  readonly eventId: string;
  readonly epoch: number;
  readonly ratePerSecond: number;
  readonly owner: string;
  readonly leaseMs: number;
  /** For tests. Otherwise the counters' own time. */
  readonly nowMs?: number;
}

export interface AssignCall {
  readonly eventId: string;
  readonly epoch: number;
  readonly count: number;
  /** For each number that is asked for, the proof of work that came with it, or nothing. Left out: none came with any. */
  readonly proofs?: readonly string[];
  /** For tests. Otherwise the counters' own time. */
  readonly nowMs?: number;
}

export interface Assigned {
  readonly status: 'ok';
  readonly first: number;
  readonly granted: number;
  /** Those whose proof was used before, by where they stand. Nobody behind the first granted + refused ones was looked at: the bound is reached. */
  readonly refused: readonly number[];
}

export const proofGoodMs = 120_000;
/** For longer than a challenge is good, since the process that checks it again may have a slow clock. */
export const proofKeptMs = proofGoodMs + 60_000;

export interface CountersRead {
  readonly status: 'ok';
  /** The last number that was given. */
  readonly given: number;
  readonly bound: number;
  /** The place in line up to which everybody may go on. */
  readonly serving: number;
}

export type NotThis = Lost | Superseded;

/** The counters do not have this epoch, or may have forgotten some of it. */
export interface Lost {
  readonly status: 'lost';
}

/** They have a later epoch, whose numbers go up to this bound. */
export interface Superseded {
  readonly status: 'superseded';
  readonly epoch: number;
  readonly bound: number;
}

/** Longer without an `advance` than this and the line stands still for the rest: a stopped job is not made up for in one rush. */
export const catchUpMaxMs = 2_000;

/** Numbers need an era that no other line of the event uses. */
export interface EraSource {
  /** The era of a room that is being switched on, later than `laterThan` if there was one. Repeating it answers the same. */
  switchOn(call: { eventId: string; laterThan: number | null }): Promise<number>;
  /** Repeating it is harmless. */
  switchOff(eventId: string): Promise<void>;
}

/** Public randomness: one value every few seconds, known to nobody before. */
export interface BeaconSource {
  readonly chain: Extract<Beacon, { kind: 'drand' }>;
  /** Of a round, in hexadecimal; null: there is no such round yet. Throws while the beacon cannot be reached. */
  signatureOf(round: number): Promise<string | null>;
}

export interface WaitingRoomConfig {
  /** People a second, where the operator says nothing else. */
  readonly ratePerSecond: number;
}

export type { Room };
