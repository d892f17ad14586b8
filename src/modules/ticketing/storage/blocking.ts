import type { Queryable } from '#platform/postgres/database.ts';
import type { SeatState } from '../domain/seat.ts';

export type BlockingOutcome =
  | { readonly status: 'done' | 'stale' | 'not-ready' | 'unknown-seat' }
  | { readonly status: 'not-free'; readonly seats: readonly { readonly seatNo: number; readonly state: SeatState }[] };

export interface BlockingCall {
  readonly eventId: string;
  /** Of the plan that the numbers are of. */
  readonly offer: string;
  /** Different ones, and each with its id, which the audit log keeps. */
  readonly seats: readonly { readonly seatNo: number; readonly seatId: string }[];
  readonly isBlocked: boolean;
  readonly reason: string;
  readonly actor: { readonly userId: string; readonly role: string; readonly requestId: string };
}

export async function setBlocked(on: Queryable, call: BlockingCall): Promise<BlockingOutcome> {
  const { eventId, offer, seats, isBlocked, reason, actor } = call;
  const { rows } = await on.query<{ outcome: string; in_the_way: number[] | null; states: SeatState[] | null }>(
    `SELECT * FROM ticketing.set_blocked($1, $2, $3::integer[], $4, $5, $6, $7, $8::text[], $9)`,
    [
      eventId,
      offer,
      seats.map(({ seatNo }) => seatNo),
      isBlocked,
      actor.userId,
      actor.role,
      reason,
      seats.map(({ seatId }) => seatId),
      actor.requestId,
    ],
  );
  const [row] = rows;
  switch (row?.outcome) {
    case 'done':
    case 'stale':
      return { status: row.outcome };
    case 'not_ready':
      return { status: 'not-ready' };
    case 'unknown_seat':
      return { status: 'unknown-seat' };
    case 'not_free': {
      const states = row.states ?? [];
      return {
        status: 'not-free',
        seats: (row.in_the_way ?? []).map((seatNo, n) => ({ seatNo, state: states[n] ?? 0 })),
      };
    }
    default:
      throw new Error(`ticketing.set_blocked answered ${row?.outcome}`);
  }
}
