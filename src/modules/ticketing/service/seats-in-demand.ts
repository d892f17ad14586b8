import type { Queryable } from '#platform/postgres/database.ts';
import type { PreparedHold, TakenSeat } from '../storage/holds.ts';
import { visiblyTaken } from '../storage/visibly-taken.ts';

type Wish = Pick<PreparedHold, 'request' | 'opensAtMs'>;

export interface RefusedInDemand {
  /** For each of the requests: what somebody else has of its seats. Empty: it is still to be decided. */
  readonly taken: readonly (readonly TakenSeat[])[];
  /** Each of these seats once. */
  readonly seats: readonly TakenSeat[];
}

/**
 * Where several requests of a batch want the same seat, somebody mostly has it already. One read of these seats, for all who want them, refuses
 * the requests with a fraction of the work that a decision takes, and says of each what that decision would. Where nothing is wanted twice, or the
 * read fails, nobody is refused.
 */
export async function refuseInDemand(
  on: Queryable,
  { eventId, version, wishes }: { eventId: string; version: number; wishes: readonly Wish[] },
): Promise<RefusedInDemand> {
  const rivals = rivalsIn(wishes);
  if (rivals.length === 0) return { taken: wishes.map(() => []), seats: [] };
  const seatNos = [...new Set(rivals.flatMap(({ request }) => request.seatNos))];
  // Nobody can have sent before what was made for the request.
  const keysOf = rivals.map(({ request }) => request).filter(({ idempotency }) => !idempotency.isNew);
  const found = await visiblyTaken(on, { eventId, version, seatNos, keysOf }).catch(() => null);
  if (found === null || found.seats.size === 0) return { taken: wishes.map(() => []), seats: [] };
  const isRival = new Set(rivals);
  const taken = wishes.map((wish) => {
    const { request, opensAtMs } = wish;
    const mayBuy = opensAtMs !== null && opensAtMs <= found.decidedAtMs;
    if (!isRival.has(wish) || !mayBuy || found.known.has(request)) return [];
    return request.seatNos.flatMap((seatNo) => {
      const seat = found.seats.get(seatNo);
      return seat === undefined || seat.userId === request.userId ? [] : seat;
    });
  });
  return { taken, seats: [...found.seats.values()] };
}

/** Those that want a seat which another of them wants, too. */
function rivalsIn<Some extends Wish>(wishes: readonly Some[]): Some[] {
  const times = new Map<number, number>();
  for (const { request } of wishes)
    for (const seatNo of request.seatNos) times.set(seatNo, (times.get(seatNo) ?? 0) + 1);
  return wishes.filter(({ request }) => request.seatNos.some((seatNo) => (times.get(seatNo) ?? 0) > 1));
}
