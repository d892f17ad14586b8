import type { Queryable, Transaction } from '#platform/postgres/database.ts';
import type { Branding } from '../domain/branding.ts';
import type { RoomDraw } from '../domain/draw.ts';
import type { Segment } from '../domain/lines.ts';
import type { RampStep, Room } from '../domain/room.ts';

interface RoomRow {
  readonly event_id: string;
  readonly title: string;
  readonly is_active: boolean;
  readonly era: number;
  readonly epoch: number;
  readonly begun: boolean;
  readonly is_beginning: boolean;
  readonly given: string;
  readonly serving: string;
  readonly bound: string;
  readonly to_tell: boolean;
  readonly paused: boolean;
  readonly rate: number | null;
  readonly ramp: readonly RampStep[] | null;
  readonly is_auto: boolean;
  readonly admit_within_seconds: number | null;
  readonly auto_rate: number | null;
  readonly proof_digits: number | null;
  readonly branding: Branding | null;
  readonly sold_out: boolean;
  readonly opens_at: Date | null;
  readonly closes_at: Date | null;
  readonly message: string | null;
  readonly fail_mode: 'open' | 'closed';
  readonly segments: readonly SegmentRow[];
  /** Named in SQL as the domain has them. */
  readonly draws: readonly RoomDraw[];
}

/** As JSON has them: its numbers are exact up to 2^53, and numbers of a line stay below 2^37. */
interface SegmentRow {
  readonly epoch: number;
  readonly era: number;
  readonly first: number;
  readonly last: number | null;
  readonly line_offset: number;
}

/** A room as its row was read: somebody may be bringing the counters to the present epoch at this moment. */
export type ReadRoom = Room & { readonly isBeginning: boolean };

const columns = `event_id, title, is_active, era, epoch, begun, begin_until > urr.now() AS is_beginning, given, serving, bound, to_tell, paused,
  rate, ramp, is_auto, admit_within_seconds, auto_rate, proof_digits, branding, sold_out, opens_at, closes_at, message, fail_mode,
  (SELECT coalesce(json_agg(s ORDER BY s.epoch), '[]') FROM waiting_room.segments s WHERE s.event_id = r.event_id) AS segments,
  (SELECT coalesce(json_agg(json_build_object('era', d.era, 'commitment', encode(d.commitment, 'hex'), 'beacon', d.beacon ->> 'kind',
     'signInRequired', d.sign_in_required, 'entries', d.entries, 'head', encode(d.head, 'hex'), 'frozenAtMs', d.frozen_ms, 'round', d.round,
     'seed', encode(d.seed, 'hex'), 'voidReason', d.void_reason)), '[]')
   FROM waiting_room.draws d WHERE d.event_id = r.event_id) AS draws`;

const roomsMax = 10_000;

/** Those that are on, and those whose numbers are still good. */
export async function currentRooms(on: Queryable): Promise<ReadRoom[]> {
  const { rows } = await on.query<RoomRow>(
    `SELECT ${columns} FROM waiting_room.rooms r
     WHERE is_active OR to_tell OR coalesce(closes_at + interval '1 day', changed_at + interval '7 days') > urr.now()
     ORDER BY is_active DESC, changed_at DESC LIMIT ${roomsMax}`,
  );
  return rows.map(toRoom).filter(wasEverOn);
}

export function wasEverOn({ segments }: Pick<Room, 'segments'>): boolean {
  return segments.length > 0;
}

export async function roomById(on: Queryable, eventId: string): Promise<ReadRoom | null> {
  const { rows } = await on.query<RoomRow>(`SELECT ${columns} FROM waiting_room.rooms r WHERE event_id = $1`, [
    eventId,
  ]);
  return rows[0] === undefined ? null : toRoom(rows[0]);
}

/** Nobody else changes it until the transaction ends. */
export async function lockRoom(tx: Transaction, eventId: string): Promise<ReadRoom | null> {
  await tx.query('SELECT 1 FROM waiting_room.rooms WHERE event_id = $1 FOR UPDATE', [eventId]);
  return roomById(tx, eventId);
}

export interface RoomFacts {
  readonly title: string;
  readonly opensAtMs: number | null;
  readonly closesAtMs: number | null;
}

/**
 * Before tier 2 is told that a room is on: should it never be, tier 2 has to hear so. One that was never on has no segment, and is none yet.
 */
export async function noteActivation(on: Queryable, eventId: string, facts: RoomFacts): Promise<void> {
  await on.query(
    `INSERT INTO waiting_room.rooms AS r
       (event_id, title, is_active, era, epoch, begun, begin_until, given, serving, bound, opens_at, closes_at, to_tell)
     VALUES ($1, $2, false, 0, 1, false, urr.now(), 0, 0, 0, $3, $4, true)
     ON CONFLICT (event_id) DO UPDATE SET to_tell = true WHERE NOT r.is_active AND NOT r.to_tell`,
    [eventId, facts.title, dateOf(facts.opensAtMs), dateOf(facts.closesAtMs)],
  );
}

const beginLeaseSeconds = 3;

/**
 * Raises the epoch: its numbers begin behind those of the segment, and whoever raised it has some seconds to bring it to the
 * counters. `closedAt`: the last number of the epoch before.
 */
export async function raiseEpoch(
  tx: Transaction,
  eventId: string,
  next: { segment: Segment; closedAt: number | null; bound: number; serving: number },
): Promise<void> {
  const { segment, closedAt, bound, serving } = next;
  if (closedAt !== null)
    await tx.query(`UPDATE waiting_room.segments SET last = greatest($2, first) WHERE event_id = $1 AND last IS NULL`, [
      eventId,
      closedAt,
    ]);
  await tx.query(
    `INSERT INTO waiting_room.segments (event_id, epoch, era, first, line_offset) VALUES ($1, $2, $3, $4, $5)`,
    [eventId, segment.epoch, segment.era, segment.first, segment.lineOffset],
  );
  await tx.query(
    `UPDATE waiting_room.rooms
     SET epoch = $2, era = $3, begun = false, begin_until = urr.now() + make_interval(secs => ${beginLeaseSeconds}),
       given = $4, serving = $5, bound = $6, saved_at = urr.now(), changed_at = urr.now()
     WHERE event_id = $1`,
    [eventId, segment.epoch, segment.era, segment.first, serving, bound],
  );
}

export async function markBegun(on: Queryable, { eventId, epoch }: { eventId: string; epoch: number }): Promise<void> {
  await on.query('UPDATE waiting_room.rooms SET begun = true WHERE event_id = $1 AND epoch = $2', [eventId, epoch]);
}

export interface SavedCounters {
  readonly eventId: string;
  readonly epoch: number;
  readonly given: number;
  readonly serving: number;
}

/** In one statement for all rooms. Of an epoch that is over nothing is written. */
export async function saveCounters(on: Queryable, counters: readonly SavedCounters[]): Promise<void> {
  await on.query(
    `UPDATE waiting_room.rooms r
     SET given = greatest(r.given, n.given), serving = greatest(r.serving, n.serving), saved_at = urr.now()
     FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[]) AS n (event_id, epoch, given, serving)
     WHERE r.event_id = n.event_id AND r.epoch = n.epoch`,
    [
      counters.map(({ eventId }) => eventId),
      counters.map(({ epoch }) => epoch),
      counters.map(({ given }) => given),
      counters.map(({ serving }) => serving),
    ],
  );
}

/** The bound that holds now; null: the epoch is over. */
export async function raiseBound(
  on: Queryable,
  { eventId, epoch, bound }: { eventId: string; epoch: number; bound: number },
): Promise<number | null> {
  const { rows } = await on.query<{ bound: string }>(
    `UPDATE waiting_room.rooms SET bound = greatest(bound, $3) WHERE event_id = $1 AND epoch = $2 RETURNING bound`,
    [eventId, epoch, bound],
  );
  return rows[0] === undefined ? null : Number(rows[0].bound);
}

/** What operators change. */
export interface RoomChanges {
  readonly isActive?: boolean;
  readonly toTell?: boolean;
  readonly paused?: boolean;
  readonly rate?: number | null;
  readonly ramp?: readonly RampStep[] | null;
  readonly isAuto?: boolean;
  readonly admitWithinSeconds?: number | null;
  readonly proofDigits?: number | null;
  readonly branding?: Branding | null;
  readonly opensAtMs?: number | null;
  readonly message?: string | null;
  readonly failMode?: Room['failMode'];
}

export async function changeRoom(tx: Transaction, eventId: string, changes: RoomChanges): Promise<void> {
  const { isActive, toTell, paused, rate, ramp, isAuto, admitWithinSeconds, opensAtMs, message, failMode } = changes;
  const { proofDigits, branding } = changes;
  const sets: [string, unknown][] = [
    ['is_active', isActive],
    ['to_tell', toTell],
    ['paused', paused],
    ['rate', rate],
    // As text: the driver would write a list as an array of PostgreSQL.
    ['ramp', ramp == null ? ramp : JSON.stringify(ramp)],
    ['is_auto', isAuto],
    ['admit_within_seconds', admitWithinSeconds],
    ['proof_digits', proofDigits],
    ['branding', branding],
    ['opens_at', opensAtMs === undefined ? undefined : dateOf(opensAtMs)],
    ['message', message],
    ['fail_mode', failMode],
  ];
  const given = sets.filter(([, value]) => value !== undefined);
  const assigned = given.map(([column], n) => `${column} = $${n + 2}`);
  await tx.query(
    `UPDATE waiting_room.rooms SET ${[...assigned, 'changed_at = urr.now()'].join(', ')} WHERE event_id = $1`,
    [eventId, ...given.map(([, value]) => value)],
  );
}

export interface SavedFlow {
  readonly eventId: string;
  readonly autoRate: number | null;
  readonly soldOut: boolean;
}

/** What was decided by the line behind the rooms. */
export async function saveFlows(on: Queryable, flows: readonly SavedFlow[]): Promise<void> {
  await on.query(
    `UPDATE waiting_room.rooms r SET auto_rate = n.auto_rate, sold_out = n.sold_out
     FROM unnest($1::text[], $2::double precision[], $3::boolean[]) AS n (event_id, auto_rate, sold_out)
     WHERE r.event_id = n.event_id AND (r.auto_rate, r.sold_out) IS DISTINCT FROM (n.auto_rate, n.sold_out)`,
    [flows.map(({ eventId }) => eventId), flows.map(({ autoRate }) => autoRate), flows.map(({ soldOut }) => soldOut)],
  );
}

/** What the catalog says of the event by now. */
export async function renewFacts(on: Queryable, eventId: string, facts: Omit<RoomFacts, 'opensAtMs'>): Promise<void> {
  await on.query(
    `UPDATE waiting_room.rooms SET title = $2, closes_at = $3
     WHERE event_id = $1 AND (title, closes_at) IS DISTINCT FROM ($2, $3::timestamptz)`,
    [eventId, facts.title, dateOf(facts.closesAtMs)],
  );
}

/** Tier 2 has to hear that these are off. */
export async function roomsToTell(on: Queryable): Promise<string[]> {
  const { rows } = await on.query<{ event_id: string }>(
    `SELECT event_id FROM waiting_room.rooms WHERE to_tell AND NOT is_active ORDER BY event_id LIMIT ${roomsMax}`,
  );
  return rows.map(({ event_id }) => event_id);
}

export async function markTold(on: Queryable, eventId: string): Promise<void> {
  await on.query('UPDATE waiting_room.rooms SET to_tell = false WHERE event_id = $1 AND NOT is_active', [eventId]);
}

function dateOf(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms);
}

function toRoom(row: RoomRow): ReadRoom {
  return {
    eventId: row.event_id,
    title: row.title,
    isActive: row.is_active,
    era: row.era,
    epoch: row.epoch,
    begun: row.begun,
    isBeginning: !row.begun && row.is_beginning,
    given: Number(row.given),
    serving: Number(row.serving),
    bound: Number(row.bound),
    toTell: row.to_tell,
    paused: row.paused,
    rate: row.rate,
    ramp: row.ramp,
    isAuto: row.is_auto,
    admitWithinSeconds: row.admit_within_seconds,
    autoRate: row.auto_rate,
    proofDigits: row.proof_digits,
    branding: row.branding,
    soldOut: row.sold_out,
    opensAtMs: row.opens_at?.getTime() ?? null,
    closesAtMs: row.closes_at?.getTime() ?? null,
    message: row.message,
    failMode: row.fail_mode,
    draws: row.draws,
    segments: row.segments.map(({ epoch, era, first, last, line_offset }) => ({
      epoch,
      era,
      first,
      last,
      lineOffset: line_offset,
    })),
  };
}
