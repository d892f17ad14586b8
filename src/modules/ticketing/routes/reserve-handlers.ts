import type { FastifyReply } from 'fastify';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { ticketingErrors } from '../errors.ts';
import type { EventBook, EventBooks, Holds, TicketingDeps } from '../ports.ts';
import { seatsPerRequestMax } from '../schemas.ts';
import { holdRequestBase, invalid, sendVerdict } from './hold-answer.ts';
import { seatContracts } from './seat-contracts.ts';

type Handlers = Pick<RouteHandlers<typeof seatContracts>, 'reserveSeats' | 'reserveStanding'>;

/** Holds of seats that the buyer has chosen, and of standing places. */
export function createReserveHandlers({
  books,
  holds,
  ids,
}: Pick<TicketingDeps, 'ids'> & { readonly books: EventBooks; readonly holds: Holds }): Handlers {
  /** Null: the event is unknown, which the verdict says, and not before a key was looked at. */
  async function planOf(eventId: string): Promise<NonNullable<EventBook['plan']> | null> {
    const book = await books.get(eventId);
    if (book === null) return null;
    const ready = book.isReady && book.plan !== null ? book : await books.renew(eventId);
    if (ready === null) return null;
    if (!ready.isReady || ready.plan === null)
      throw ticketingErrors.fault(ready.isCancelled ? 'SALE_OVER' : 'SEATS_NOT_READY');
    return ready.plan;
  }

  return {
    async reserveSeats(request, reply: FastifyReply) {
      const base = holdRequestBase({ contract: seatContracts.reserveSeats, request, reply, ids });
      const { seatIds, replaces = null } = request.body;
      if (new Set(seatIds).size < seatIds.length) throw invalid('seatIds', 'must not name a seat twice');
      const plan = await planOf(base.eventId);
      const seatNos = seatIds.map((seatId, at) => {
        const seatNo = plan?.seatNoOf(seatId);
        if (plan !== null && seatNo === undefined) throw invalid(`seatIds.${at}`, 'is no seat of this event');
        return seatNo ?? 0;
      });
      const verdict = await holds.hold({ ...base, seatNos, items: [], replaces });
      const seatIdOf = (seatNo: number) => plan?.seat(seatNo)?.seatId ?? String(seatNo);
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
      const plan = await planOf(base.eventId);
      for (const [at, { ticketTypeId }] of items.entries()) {
        if (plan !== null && plan.ticketType(ticketTypeId) === undefined) {
          throw invalid(`items.${at}.ticketTypeId`, 'is no ticket type of this event');
        }
      }
      const verdict = await holds.hold({ ...base, seatNos: [], items, replaces });
      return sendVerdict(verdict, reply, { seatIdOf: String, field: 'items' });
    },
  };
}
