import { lockNameOf } from '#platform/idempotency.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { HoldLines } from '../domain/hold-lines.ts';
import { holdTimes } from '../domain/reservation.ts';
import type { HoldRequest } from '../ports.ts';
import { ticketingTopicPartitions } from '../topics.ts';
import { type ReservationRow, reservationOf } from './reservation-row.ts';

/** A request with all that its reservation would be. */
export interface PreparedHold {
  readonly request: Omit<HoldRequest, 'offer'>;
  readonly reservationId: string;
  readonly number: string;
  readonly lines: HoldLines;
  /** From when on this buyer may buy; null: never. */
  readonly opensAtMs: number | null;
}

/** What `ticketing.hold_batch` says of one request. */
export type HoldAnswer =
  | {
      readonly verdict: 'granted';
      /** The largest; 0 for standing. */
      readonly fence: number;
      /** Of each seat. */
      readonly fences: readonly number[];
      readonly createdAtMs: number;
      readonly expiresAtMs: number;
    }
  | { readonly verdict: 'same' | 'replayed'; readonly reservationId: string }
  | { readonly verdict: 'taken'; readonly seats: readonly TakenSeat[] }
  | { readonly verdict: 'short'; readonly left: readonly { readonly ticketTypeId: string; readonly left: number }[] }
  | { readonly verdict: 'limit'; readonly limit: number; readonly have: number }
  | { readonly verdict: PlainVerdict };

const plainVerdicts = [
  'mismatch',
  'in-flight',
  'stale',
  'unknown-event',
  'unknown-seat',
  'unknown-type',
  'unknown-replaced',
  'not-open',
  'tier-not-open',
  'over',
  'not-ready',
  'busy',
] as const;
type PlainVerdict = (typeof plainVerdicts)[number];

export interface TakenSeat {
  readonly seatNo: number;
  /** Null: blocked, or on its way back. */
  readonly userId: string | null;
  readonly fence: number;
  /** Null: not by time. */
  readonly heldForMs: number | null;
}

/** Null: nothing to say, after a lone grant. */
interface Row {
  readonly decided_at: Date;
  readonly verdicts: string[];
  readonly answer_ids: (string | null)[] | null;
  /** Null: as those of the seats are. */
  readonly fences: number[] | null;
  readonly granted_fences: number[];
  readonly ends_at: (Date | null)[];
  readonly have: number[] | null;
  readonly purchase_limit: number | null;
  readonly items_left: number[] | null;
  readonly taken_requests: number[] | null;
  readonly taken_seats: number[] | null;
  readonly taken_users: (string | null)[] | null;
  readonly taken_fences: number[] | null;
  readonly taken_until: (Date | null)[] | null;
  readonly freed_nos: number[] | null;
  /** Lists of bigint come as texts. */
  readonly freed_fences: string[] | null;
}

const statement = `SELECT * FROM ticketing.hold_batch($1, $2, $3, $4, $5, $6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::uuid[],
  $11::timestamptz[], $12::integer[], $13::integer[], $14::integer[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[],
  $20::text[], $21::integer[], $22::integer[], $23::text[], $24::integer[], $25::uuid[], $26::integer[])`;

const loneStatement = `SELECT * FROM ticketing.hold_batch_of_one($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
  $17::integer[], $18::text[])`;

const plainStatement = `SELECT * FROM ticketing.hold_batch_of_plain($1, $2, $3, $4, $5::uuid[], $6::uuid[], $7::text[], $8::text[],
  $9::timestamptz[], $10::integer[], $11::integer[], $12::integer[], $13::text[], $14, $15, $16::text[], $17::text[], $18::integer[],
  $19::integer[], $20::text[])`;

interface Batch {
  readonly eventId: string;
  readonly version: number;
  readonly holds: readonly PreparedHold[];
  readonly skipLocked: boolean;
  /** Somebody was in the way of this batch before. */
  readonly isAgain: boolean;
}

/** One statement, and so one transaction: a process that freezes holds no lock. */
export async function holdBatch(
  on: Queryable,
  batch: Batch,
): Promise<{ readonly answers: HoldAnswer[]; readonly freed: readonly Pick<TakenSeat, 'seatNo' | 'fence'>[] }> {
  const { holds } = batch;
  const row = (await holdLone(on, batch)) ?? (await (isPlain(batch) ? holdPlain(on, batch) : holdTogether(on, batch)));
  const taken = takenByRequest(row);
  let [seatsBefore, itemsBefore] = [0, 0];
  const answers = holds.map((hold, n) => {
    const answer = answerOf({ row, n, hold, taken: taken.get(n) ?? [], seatsBefore, itemsBefore });
    seatsBefore += hold.lines.seats.length;
    itemsBefore += hold.lines.items.length;
    return answer;
  });
  const freed = (row.freed_nos ?? []).map((seatNo, at) => ({ seatNo, fence: Number(row.freed_fences?.[at]) }));
  return { answers, freed };
}

/** Null: it is none that may go alone, or somebody was faster; nothing has happened. */
async function holdLone(on: Queryable, { eventId, version, holds, skipLocked }: Batch): Promise<Row | null> {
  const [lone] = holds;
  if (lone === undefined || holds.length > 1 || skipLocked) return null;
  const { request, reservationId, number, lines, opensAtMs } = lone;
  if (lines.items.length > 0 || request.replaces !== null) return null;
  const { userId, slotId, idempotency } = request;
  const { rows } = await on.query<Omit<Row, 'verdicts'> & { readonly verdicts: string[] | null }>(
    loneStatement,
    [
      ...[eventId, version, holdTimes.holdMs, ticketingTopicPartitions],
      ...[userId, reservationId, number, slotId, opening(opensAtMs), lines.feeKrw, lines.totalKrw],
      lockNameOf({ userId, ...idempotency }),
      ...[idempotency.method, idempotency.route, idempotency.key, idempotency.fingerprint],
      lines.seats.map(({ seatNo }) => seatNo),
      lines.seats.map((seat) => JSON.stringify(seat)),
    ],
    { prepare: true },
  );
  const { verdicts, ...row } = onlyRow(rows);
  return verdicts === null ? null : { ...row, verdicts };
}

/** Whether none of the requests can be in another's way; whether somebody else is, the database knows. */
function isPlain({ holds, skipLocked, isAgain }: Batch): boolean {
  if (holds.length === 1 || skipLocked || isAgain) return false;
  if (holds.some(({ lines, request }) => lines.items.length > 0 || request.replaces !== null)) return false;
  const seatNos = holds.flatMap(({ lines }) => lines.seats.map(({ seatNo }) => seatNo));
  const userIds = new Set(holds.map(({ request }) => request.userId));
  const routes = new Set(holds.map(({ request: { idempotency } }) => `${idempotency.method} ${idempotency.route}`));
  return routes.size === 1 && userIds.size === holds.length && new Set(seatNos).size === seatNos.length;
}

async function holdPlain(on: Queryable, { eventId, version, holds }: Batch): Promise<Row> {
  const lists = listsOf(holds);
  const [lockNames, [method], [route], keys, fingerprints] = lists.keys;
  const { rows } = await on.query<Row>(
    plainStatement,
    [
      ...[eventId, version, holdTimes.holdMs, ticketingTopicPartitions],
      ...[lists.userIds, lists.reservationIds, lists.numbers, lists.slotIds],
      ...[lists.openings, ...lists.counts, lockNames, method, route, keys, fingerprints, ...lists.seats],
    ],
    { prepare: true },
  );
  const row = onlyRow(rows);
  if (row.fences !== null) return row;
  const [verdict = '', end = null] = [row.verdicts[0], row.ends_at[0]];
  return { ...row, verdicts: holds.map(() => verdict), ends_at: holds.map(() => end) };
}

async function holdTogether(on: Queryable, { eventId, version, holds, skipLocked }: Batch): Promise<Row> {
  const lists = listsOf(holds);
  const items = holds.flatMap(({ lines }, n) => lines.items.map((item) => ({ n: n + 1, item })));
  const { rows } = await on.query<Row>(
    statement,
    [
      ...[eventId, version, holdTimes.holdMs, ticketingTopicPartitions, skipLocked],
      ...[lists.userIds, lists.reservationIds, lists.numbers, lists.slotIds],
      ...[holds.map(({ request }) => request.replaces), lists.openings, ...lists.counts],
      holds.map(({ lines }) => (lines.items.length === 0 ? '[]' : JSON.stringify(lines.items))),
      ...[...lists.keys, ...lists.seats],
      items.map(({ n }) => n),
      items.map(({ item }) => item.ticketTypeId),
      items.map(({ item }) => item.quantity),
    ],
    { prepare: true },
  );
  return onlyRow(rows);
}

/** What both functions for batches are told of each request, in the order of their parameters. */
function listsOf(holds: readonly PreparedHold[]) {
  const requests = holds.map(({ request }) => request);
  const names = requests.map(({ idempotency }) => idempotency);
  const seats = holds.flatMap(({ lines }, n) => lines.seats.map((seat) => ({ n: n + 1, seat })));
  return {
    userIds: requests.map(({ userId }) => userId),
    reservationIds: holds.map(({ reservationId }) => reservationId),
    numbers: holds.map(({ number }) => number),
    slotIds: requests.map(({ slotId }) => slotId),
    openings: holds.map(({ opensAtMs }) => opening(opensAtMs)),
    counts: [
      holds.map(({ lines }) => lines.ticketCount),
      holds.map(({ lines }) => lines.feeKrw),
      holds.map(({ lines }) => lines.totalKrw),
    ],
    keys: [
      requests.map(({ userId, idempotency }) => lockNameOf({ userId, ...idempotency })),
      names.map(({ method }) => method),
      names.map(({ route }) => route),
      names.map(({ key }) => key),
      names.map(({ fingerprint }) => fingerprint),
    ] as const,
    seats: [
      seats.map(({ n }) => n),
      seats.map(({ seat }) => seat.seatNo),
      seats.map(({ seat }) => JSON.stringify(seat)),
    ],
  };
}

const opening = (opensAtMs: number | null) => (opensAtMs === null ? 'infinity' : new Date(opensAtMs).toISOString());

function onlyRow<Answer>([row]: readonly Answer[]): Answer {
  if (row === undefined) throw new Error('hold_batch answers with one row');
  return row;
}

function answerOf(from: {
  row: Row;
  n: number;
  hold: PreparedHold;
  taken: readonly TakenSeat[];
  seatsBefore: number;
  itemsBefore: number;
}): HoldAnswer {
  const { row, n, seatsBefore, itemsBefore } = from;
  const { seats, items } = from.hold.lines;
  const verdict = row.verdicts[n];
  switch (verdict) {
    case 'granted': {
      const fences = row.granted_fences.slice(seatsBefore, seatsBefore + seats.length);
      return {
        verdict,
        fence: row.fences?.[n] ?? Math.max(...fences),
        fences,
        createdAtMs: row.decided_at.getTime(),
        expiresAtMs: row.ends_at[n]?.getTime() ?? 0,
      };
    }
    case 'same':
    case 'replayed':
      return { verdict, reservationId: row.answer_ids?.[n] ?? '' };
    case 'taken':
      return { verdict, seats: from.taken };
    case 'limit':
      return { verdict, limit: row.purchase_limit ?? 0, have: row.have?.[n] ?? 0 };
    case 'short':
      return {
        verdict,
        left: items.map(({ ticketTypeId }, at) => ({ ticketTypeId, left: row.items_left?.[itemsBefore + at] ?? 0 })),
      };
    default: {
      const plain = plainVerdicts.find((each) => each === verdict);
      if (plain === undefined) throw new Error(`hold_batch has no verdict ${verdict}`);
      return { verdict: plain };
    }
  }
}

function msBetween(from: Date, to: Date | null): number | null {
  return to === null ? null : to.getTime() - from.getTime();
}

function takenByRequest(row: Row): Map<number, TakenSeat[]> {
  const taken = new Map<number, TakenSeat[]>();
  row.taken_requests?.forEach((request, at) => {
    const seat = {
      seatNo: row.taken_seats?.[at] ?? 0,
      userId: row.taken_users?.[at] ?? null,
      fence: row.taken_fences?.[at] ?? 0,
      heldForMs: msBetween(row.decided_at, row.taken_until?.[at] ?? null),
    };
    const before = taken.get(request - 1);
    if (before === undefined) taken.set(request - 1, [seat]);
    else before.push(seat);
  });
  return taken;
}

/** What was granted to each of these keys. Null: nothing, as far as anybody has committed. */
export async function storedAnswers(
  on: Queryable,
  requests: readonly Pick<HoldRequest, 'userId' | 'idempotency'>[],
): Promise<({ readonly isRepeat: boolean; readonly reservationId: string } | null)[]> {
  const names = requests.map(({ idempotency }) => idempotency);
  const { rows } = await on.query<{ n: number; isRepeat: boolean; reservationId: string }>(
    `SELECT request.n::integer, stored.fingerprint = request.fingerprint AS "isRepeat", stored.body ->> 'reservationId' AS "reservationId"
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       WITH ORDINALITY AS request (user_id, method, route, key, fingerprint, n)
     CROSS JOIN LATERAL (
       SELECT fingerprint, body FROM urr.idempotency_keys AS k WHERE k.user_id = request.user_id AND k.method = request.method
         AND k.route = request.route AND k.key = request.key LIMIT 1) AS stored`,
    [
      requests.map(({ userId }) => userId),
      names.map(({ method }) => method),
      names.map(({ route }) => route),
      names.map(({ key }) => key),
      names.map(({ fingerprint }) => fingerprint),
    ] as const,
    { prepare: true },
  );
  const byRequest = new Map(rows.map((row) => [row.n, row]));
  return requests.map((_, at) => byRequest.get(at + 1) ?? null);
}

/** As they are now. */
export async function reservationsById(on: Queryable, ids: readonly string[]) {
  const { rows } = await on.query<ReservationRow & { readonly read_at: Date }>(
    'SELECT *, urr.now() AS read_at FROM ticketing.reservations WHERE id = ANY ($1::uuid[])',
    [ids],
  );
  return new Map(rows.map((row) => [row.id, reservationOf(row, row.read_at.getTime())]));
}

/** Ends up to so many lapsed holds that have places of this ticket type, and says how many there were. */
export async function expireLapsedPlaces(on: Queryable, ticketTypeId: string, rowsMax: number): Promise<number> {
  const { rows } = await on.query<{ ended: number }>(
    'SELECT ended_count AS ended FROM ticketing.sweep_lapsed($1, $2)',
    [ticketTypeId, rowsMax],
  );
  return rows[0]?.ended ?? 0;
}
