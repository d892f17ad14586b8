import { bindHandlers } from '#platform/http/contract.ts';
import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { catalogEventsConsumer, catalogEventsDeclaration } from './consumers/catalog-events.ts';
import { reservationEvents, reservationHolds, ticketingInternalCalls, ticketingRoutes } from './contract.ts';
import { ticketingErrors } from './errors.ts';
import { createSeatBuilding } from './jobs/seat-building.ts';
import { createSoldOutJob } from './jobs/sold-out.ts';
import type { TicketingDeps } from './ports.ts';
import { createAvailabilityHandlers } from './routes/availability-handlers.ts';
import { createBestAvailableHandler } from './routes/best-available-handler.ts';
import { createDoorHandlers } from './routes/door-handlers.ts';
import { createReserveHandlers } from './routes/reserve-handlers.ts';
import { createSeatMapParts } from './seat-map.ts';
import { createBestAvailable } from './service/best-available.ts';
import { createBooksRefreshJob, createEventBooks } from './service/books.ts';
import { createHolds } from './service/holds.ts';
import { hasReservations } from './storage/events.ts';
import { createTransitionParts, transitionDeclarations } from './transitions.ts';

export const ticketingDescription = {
  name: 'ticketing',
  summary: 'Seats, standing places, holds, reservations, tickets, check-in; the ledger of all of it.',
  routes: ticketingRoutes,
  internalCalls: ticketingInternalCalls,
  errors: ticketingErrors.table,
  topics: [reservationEvents, reservationHolds],
  consumers: [catalogEventsDeclaration, ...transitionDeclarations],
  migrations: new URL('./migrations/', import.meta.url),
} satisfies ModuleDescription;

export interface Ticketing extends ModuleInstance {
  /** Whether anything of an event is or was reserved. */
  hasReservations(eventId: string): Promise<boolean>;
}

/** Each concern makes its own handlers, consumers and jobs; here they are only put together. */
export function createTicketing(deps: TicketingDeps): Ticketing {
  const books = createEventBooks(deps);
  const building = createSeatBuilding({ ...deps, books });
  const seatMap = createSeatMapParts({ ...deps, books });
  const holds = createHolds({ ...deps, books });
  const transitions = createTransitionParts(deps);
  const bestAvailable = createBestAvailable({ ...deps, mapOf: seatMap.mapOf, holds });
  return {
    hasReservations: (eventId) => hasReservations(deps.database, eventId),
    handlers: bindHandlers(ticketingRoutes, {
      ...seatMap.handlers,
      ...createAvailabilityHandlers({ ...deps, books, maps: seatMap.maps }),
      ...transitions.handlers,
      ...createDoorHandlers({ ...deps, books }),
      ...createReserveHandlers({ ...deps, books, holds }),
      ...createBestAvailableHandler({ ...deps, bestAvailable }),
    }),
    internal: transitions.internal,
    consumers: [catalogEventsConsumer({ onHeard: building.wake }), ...transitions.consumers],
    jobs: [
      createBooksRefreshJob(books),
      ...building.jobs,
      createSoldOutJob(deps),
      ...seatMap.jobs,
      ...transitions.jobs,
    ],
    async stop() {
      await holds.stop();
      await seatMap.stop();
      await building.stop();
    },
  };
}

export { checkLedger, type LedgerReport } from './service/check-ledger.ts';
export { ticketKeysOf } from './service/ticket-keys.ts';
export { createRedisShield } from './storage/redis-shield.ts';
export { ticketMoney } from './storage/ticket-money.ts';
