import type { FastifyReply } from 'fastify';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { EventBook, EventBooks, Holds, HoldVerdict, TicketingDeps } from '../ports.ts';
import { seatsPerRequestMax } from '../schemas.ts';
import { holdRequestBase, invalid, sendVerdict } from './hold-answer.ts';
import { seatContracts } from './seat-contracts.ts';

type Plan = NonNullable<EventBook['plan']>;
type Handlers = Pick<RouteHandlers<typeof seatContracts>, 'reserveSeats' | 'reserveStanding'>;

/** Holds of seats that the buyer has chosen, and of standing places. */
export function createReserveHandlers({
  books,
  holds,
  ids,
}: Pick<TicketingDeps, 'ids'> & { readonly books: EventBooks; readonly holds: Holds }): Handlers {
  /** Without seats that could be held there is an answer all the same: what the key was granted before, else why there are none. */
  async function planFor(request: ReturnType<typeof holdRequestBase>): Promise<{ plan: Plan } | HoldVerdict> {
    const known = await books.get(request.eventId);
    const book = known === null || (known.isReady && known.plan !== null) ? known : await books.renew(request.eventId);
    if (book?.isReady && book.plan !== null) return { plan: book.plan };
    const status = book === null ? 'unknown-event' : book.isCancelled ? 'over' : 'not-ready';
    return (await holds.replay(request)) ?? { status };
  }

  return {
    async reserveSeats(request, reply: FastifyReply) {
      const base = holdRequestBase({ contract: seatContracts.reserveSeats, request, reply, ids });
      const { seatIds, replaces = null } = request.body;
      if (new Set(seatIds).size < seatIds.length) throw invalid('seatIds', 'must not name a seat twice');
      const found = await planFor(base);
      if ('status' in found) return sendVerdict(found, reply, { seatIdOf: String, field: 'seatIds' });
      const { plan } = found;
      const seatNos = seatIds.map((seatId, at) => {
        const seatNo = plan.seatNoOf(seatId);
        if (seatNo === undefined) throw invalid(`seatIds.${at}`, 'is no seat of this event');
        return seatNo;
      });
      const verdict = await holds.hold({ ...base, offer: plan.offer, seatNos, items: [], replaces });
      const seatIdOf = (seatNo: number) => plan.seat(seatNo)?.seatId ?? String(seatNo);
      return sendVerdict(verdict, reply, { seatIdOf, field: 'seatIds' });
    },

    async reserveStanding(request, reply: FastifyReply) {
      const base = holdRequestBase({ contract: seatContracts.reserveStanding, request, reply, ids });
      const { items, replaces = null } = request.body;
      if (new Set(items.map(({ ticketTypeId }) => ticketTypeId)).size < items.length) {
        throw invalid('items', 'must not name a ticket type twice');
      }
      if (items.reduce((sum, { quantity }) => sum + quantity, 0) > seatsPerRequestMax) {
        throw invalid('items', `must not ask for more than ${seatsPerRequestMax} together`);
      }
      const found = await planFor(base);
      if ('status' in found) return sendVerdict(found, reply, { seatIdOf: String, field: 'items' });
      for (const [at, { ticketTypeId }] of items.entries()) {
        if (found.plan.ticketType(ticketTypeId) === undefined) {
          throw invalid(`items.${at}.ticketTypeId`, 'is no ticket type of this event');
        }
      }
      const verdict = await holds.hold({ ...base, offer: found.plan.offer, seatNos: [], items, replaces });
      return sendVerdict(verdict, reply, { seatIdOf: String, field: 'items' });
    },
  };
}
