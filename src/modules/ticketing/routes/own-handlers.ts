import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Database } from '#platform/postgres/database.ts';
import { ticketingErrors } from '../errors.ts';
import type { Ticket } from '../schemas.ts';
import { qrPictureOf } from '../service/qr-picture.ts';
import type { TicketCodes } from '../service/ticket-codes.ts';
import { listReservations, ownReservation } from '../storage/own-reservations.ts';
import { listTickets, ownTicket } from '../storage/tickets.ts';
import type { reservationContracts } from './reservation-contracts.ts';

type OwnRoutes = Pick<
  typeof reservationContracts,
  'listMyReservations' | 'getReservation' | 'listMyTickets' | 'getTicket' | 'getTicketQr'
>;

const limitDefault = 20;

/** What buyers see of what they hold and have bought. What belongs to somebody else is not there. */
export function createOwnHandlers({
  database,
  codes,
}: {
  database: Database;
  codes: TicketCodes;
}): RouteHandlers<OwnRoutes> {
  return {
    async listMyReservations({ user, query }) {
      const page = await listReservations(database, { limit: limitDefault, ...query, userId: user.userId });
      return { items: [...page.items], nextCursor: page.nextCursor };
    },

    async getReservation({ user, params }) {
      return found(await ownReservation(database, { ...params, userId: user.userId }));
    },

    async listMyTickets({ user, query }) {
      const page = await listTickets(database, { limit: limitDefault, ...query, ownerId: user.userId });
      return { items: [...page.items], nextCursor: page.nextCursor };
    },

    async getTicket({ user, params }) {
      return found(await ownTicket(database, { ...params, ownerId: user.userId }));
    },

    async getTicketQr({ user, params, headers }, reply) {
      const ticket = found(await ownTicket(database, { ...params, ownerId: user.userId }));
      requireUsable(ticket);
      const code = codes.codeOf({ eventId: ticket.eventId, ticketId: ticket.id, version: ticket.version });
      // Anyone who has it gets in: no cache between here and the phone may keep it.
      reply.header('cache-control', 'no-store').header('vary', 'accept');
      return wantsPicture(headers.accept) ? reply.type('image/svg+xml').send(qrPictureOf(code)) : { code };
    },
  };
}

function found<Thing>(thing: Thing | null): Thing {
  if (thing === null) throw platformErrors.fault('NOT_FOUND');
  return thing;
}

/** A ticket that has been used keeps its code: a second scan tells when and where the first was. */
function requireUsable({ state, event }: Ticket): void {
  if (state === 'void' || event.cancelled) {
    throw ticketingErrors.fault('TICKET_NOT_VALID', {
      detail: event.cancelled
        ? 'The event is cancelled. The money goes back by itself.'
        : 'The ticket was cancelled. Look for another one among your tickets.',
      extensions: { reason: 'void' },
    });
  }
  if (state === 'listed') {
    throw ticketingErrors.fault('TICKET_NOT_VALID', {
      detail: 'The ticket is offered for sale. End the listing to use it yourself.',
      extensions: { reason: 'listed' },
    });
  }
}

/** An `<img>` of any browser names SVG; a script that asks for anything, or for JSON, gets JSON. */
function wantsPicture(accept: string | undefined): boolean {
  const types = (accept ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
  return types.includes('image/svg+xml') && !types.includes('application/json');
}
