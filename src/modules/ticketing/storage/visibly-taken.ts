import { lockNameOf } from '#platform/idempotency.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import type { HoldRequest } from '../ports.ts';
import type { TakenSeat } from './holds.ts';

export interface VisiblyTaken {
  readonly decidedAtMs: number;
  readonly seats: ReadonlyMap<number, TakenSeat>;
  /** Of the requests whose keys were asked for: those that are answered already, or being answered elsewhere. */
  readonly known: ReadonlySet<Pick<HoldRequest, 'userId' | 'idempotency'>>;
}

interface Row {
  readonly decided_at: Date;
  readonly taken_seats: number[] | null;
  readonly taken_users: (string | null)[] | null;
  readonly taken_fences: number[] | null;
  readonly taken_until: (Date | null)[] | null;
  readonly known_keys: number[] | null;
}

const statement = `SELECT * FROM ticketing.visibly_taken($1, $2, $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])`;

/** Which of these seats somebody has while the sale is open; none while it is not. Locks no row. */
export async function visiblyTaken(
  on: Queryable,
  asked: {
    eventId: string;
    version: number;
    seatNos: readonly number[];
    keysOf: readonly Pick<HoldRequest, 'userId' | 'idempotency'>[];
  },
): Promise<VisiblyTaken> {
  const { eventId, version, seatNos, keysOf } = asked;
  const names = keysOf.map(({ idempotency }) => idempotency);
  const { rows } = await on.query<Row>(
    statement,
    [
      ...[eventId, version, seatNos],
      keysOf.map(({ userId }) => userId),
      names.map(({ method }) => method),
      names.map(({ route }) => route),
      names.map(({ key }) => key),
      keysOf.map(({ userId, idempotency }) => lockNameOf({ userId, ...idempotency })),
    ],
    { prepare: true },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('visibly_taken answers with one row');
  const decidedAtMs = row.decided_at.getTime();
  const seats = (row.taken_seats ?? []).map((seatNo, at): [number, TakenSeat] => {
    const until = row.taken_until?.[at] ?? null;
    return [
      seatNo,
      {
        seatNo,
        userId: row.taken_users?.[at] ?? null,
        fence: row.taken_fences?.[at] ?? 0,
        heldForMs: until === null ? null : until.getTime() - decidedAtMs,
      },
    ];
  });
  return {
    decidedAtMs,
    seats: new Map(seats),
    known: new Set((row.known_keys ?? []).flatMap((n) => keysOf[n - 1] ?? [])),
  };
}
