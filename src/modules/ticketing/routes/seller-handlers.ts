import { assertNever } from '#platform/assert.ts';
import { type Fault, platformErrors } from '#platform/errors.ts';
import type { RouteHandlers, RouteRequest } from '#platform/http/contract.ts';
import type { Database } from '#platform/postgres/database.ts';
import { salesFigures } from '../domain/sales-figures.ts';
import { ticketingErrors } from '../errors.ts';
import type { EventBooks } from '../ports.ts';
import type { Blocking } from '../service/blocking.ts';
import { eventOfStaff } from '../service/staff.ts';
import { salesRows } from '../storage/sales.ts';
import type { staffContracts } from './staff-contracts.ts';

type SellerRoutes = Pick<typeof staffContracts, 'blockSeats' | 'unblockSeats' | 'getEventSales'>;

export function createSellerHandlers({
  database,
  books,
  blocking,
}: {
  database: Database;
  books: EventBooks;
  blocking: Blocking;
}): RouteHandlers<SellerRoutes> {
  return {
    blockSeats: (request) => change(request, true),
    unblockSeats: (request) => change(request, false),

    async getEventSales({ user, params: { eventId } }) {
      const { plan } = await eventOfStaff(books, user, eventId);
      if (plan === null) return { eventId, grades: [], areas: [], checkedIn: 0 };
      const { checkedIn, ...facts } = await salesRows(database, eventId);
      return { eventId, ...salesFigures(plan, facts), checkedIn };
    },
  };

  async function change(
    request: RouteRequest<SellerRoutes['blockSeats']>,
    isBlocked: boolean,
  ): Promise<{ changed: number }> {
    const { user, params, body, id } = request;
    await eventOfStaff(books, user, params.eventId);
    const actor = { userId: user.userId, role: user.role, requestId: id };
    const verdict = await blocking.change({ ...params, ...body, isBlocked, actor });
    switch (verdict.status) {
      case 'done':
        return { changed: verdict.changed };
      case 'not-ready':
        throw ticketingErrors.fault('SEATS_NOT_READY');
      case 'unknown-seats':
        throw badSeats(verdict.at, 'is not a seat of this event');
      case 'twice':
        throw badSeats(verdict.at, 'is named twice');
      case 'not-free':
        throw ticketingErrors.fault('SEATS_NOT_FREE', {
          detail: `${verdict.seats.length} of ${body.seatIds.length} seats are in the way. Leave them out and send again.`,
          extensions: { seats: verdict.seats },
        });
      default:
        return assertNever(verdict);
    }
  }
}

function badSeats(at: readonly number[], message: string): Fault {
  const errors = at.map((n) => ({ field: `body.seatIds.${n}`, message }));
  return platformErrors.fault('VALIDATION_FAILED', {
    detail: errors.map((error) => `${error.field} ${error.message}`).join('; '),
    extensions: { errors },
  });
}
