import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { EventBook, EventBooks, TicketingDeps } from '../ports.ts';
import type { SeatChanges } from '../schemas.ts';
import { eventOfTicketType } from '../storage/ticket-types.ts';
import type { reservationContracts } from './reservation-contracts.ts';

/** What is left of an event at this moment, from memory. Null: nothing is built. */
export interface LeftOfEvents {
  open(eventId: string): Promise<{ left(): Pick<SeatChanges, 'grades' | 'areas'> } | null>;
}

/** Ticket types that this process knows the event of; made-up ones are not kept. */
const knownMax = 10_000;

/** What everybody may know without a slot: prices, and how much is left. A hold whose time is over counts as left. */
export function createAvailabilityHandlers({
  database,
  books,
  maps,
}: Pick<TicketingDeps, 'database'> & { readonly books: EventBooks; readonly maps: LeftOfEvents }): Pick<
  RouteHandlers<typeof reservationContracts>,
  'listEventTickets' | 'getTicketTypeAvailability'
> {
  const eventIds = new Map<string, string>();

  async function eventIdOf(ticketTypeId: string): Promise<string | null> {
    const known = eventIds.get(ticketTypeId);
    if (known !== undefined) return known;
    const eventId = await eventOfTicketType(database, ticketTypeId);
    if (eventId === null) return null;
    if (eventIds.size >= knownMax) eventIds.clear();
    eventIds.set(ticketTypeId, eventId);
    return eventId;
  }

  return {
    async listEventTickets({ params: { eventId } }) {
      const book = await books.get(eventId);
      if (book === null) throw platformErrors.fault('NOT_FOUND');
      const map = isOffered(book) ? await maps.open(eventId) : null;
      const left = map?.left() ?? null;
      return {
        eventId,
        ready: left !== null,
        grades: left?.grades ?? book.facts.prices.map((price) => ({ ...price, left: 0 })),
        ticketTypes: book.facts.ticketTypes.map(({ id, areaId, name, priceKrw, capacity }) => ({
          ticketTypeId: id,
          areaId,
          name,
          priceKrw,
          capacity,
          left: left?.areas.find(({ ticketTypeId }) => ticketTypeId === id)?.left ?? 0,
        })),
      };
    },

    async getTicketTypeAvailability({ params: { ticketTypeId } }) {
      const eventId = await eventIdOf(ticketTypeId);
      const book = eventId === null ? null : await books.get(eventId);
      const type = book?.plan?.ticketType(ticketTypeId);
      // An area that the event no longer has was built away.
      if (book == null || type === undefined) throw platformErrors.fault('NOT_FOUND');
      const left = isOffered(book) ? (await maps.open(book.eventId))?.left() : undefined;
      const area = left?.areas.find((each) => each.ticketTypeId === ticketTypeId);
      return { ticketTypeId, eventId: book.eventId, capacity: type.capacity, left: area?.left ?? 0 };
    },
  };
}

function isOffered({ isReady, isCancelled }: EventBook): boolean {
  return isReady && !isCancelled;
}
