import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { systemClock } from '#platform/clock.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Identity, Role } from '#platform/http/identity.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { ticketingRoutes } from '../contract.ts';
import type { TicketKey } from '../ports.ts';
import { createDoorHandlers } from '../routes/door-handlers.ts';
import { createEventBooks } from '../service/books.ts';
import { createDoors } from '../service/doors.ts';
import { createTicketCodes } from '../service/ticket-codes.ts';
import { confirmFree } from '../storage/transitions.ts';
import { aHold, type HoldOptions } from './a-hold.ts';
import type { Sale } from './a-sale.ts';
import { aTicketKey } from './ticket-keys.ts';

export interface SoldTicket {
  readonly ticketId: string;
  readonly reservationId: string;
  readonly ownerId: string;
  readonly code: string;
}

/** The doors of a process: what is behind its routes, and the routes themselves on a server that believes who calls. */
export function aDoor(
  database: Database,
  { ticketKeys = [aTicketKey(1)] }: { ticketKeys?: readonly TicketKey[] } = {},
) {
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const codes = createTicketCodes(ticketKeys);
  const books = createEventBooks({ database, clock: systemClock });
  const doors = createDoors({ database, ids, metrics: createMetrics(), codes });
  const handlers = createDoorHandlers({ database, ids, metrics: createMetrics(), ticketKeys, books });
  const app = createHttpServer({ logger: silentLogger, ids });
  const callers = new Map<string, Identity>();
  app.addHook('onRequest', async (request) => {
    request.user = callers.get(String(request.headers['x-test-caller'])) ?? null;
  });
  const names = Object.keys(handlers) as (keyof typeof handlers)[]; // The keys of that very object.
  const contracts = Object.fromEntries(names.map((name) => [name, ticketingRoutes[name]]));
  registerRoutes(app, contracts, handlers as unknown as RouteHandlers<typeof contracts>); // Each is of the contract of its name.
  atEnd(() => app.close());

  return {
    ...{ codes, books, doors },
    person(role: Role, userId: string = randomUUID()): Identity {
      const identity = { userId, email: `${role}@urr.test`, role };
      callers.set(userId, identity);
      return identity;
    },
    call(
      method: 'GET' | 'POST',
      url: string,
      { as, body, headers }: { as?: Identity; body?: object; headers?: Record<string, string> } = {},
    ): Promise<LightMyRequestResponse> {
      const payload = body === undefined ? {} : { payload: body };
      return app.inject({
        method,
        url,
        ...payload,
        headers: { ...headers, ...(as && { 'x-test-caller': as.userId }) },
      });
    },
    /** Tickets that cost nothing, of one reservation. */
    async tickets(sale: Sale, options: HoldOptions): Promise<SoldTicket[]> {
      const { id: reservationId, userId: ownerId } = await aHold(database, sale, { feeKrw: 0, ...options });
      await confirmFree(database, { reservationId, userId: ownerId });
      const { rows } = await database.query<{ id: string; version: number }>(
        'SELECT id, version FROM ticketing.tickets WHERE reservation_id = $1 ORDER BY seat_no, id',
        [reservationId],
      );
      return rows.map(({ id: ticketId, version }) => {
        const code = codes.codeOf({ eventId: sale.eventId, ticketId, version });
        return { ticketId, reservationId, ownerId, code };
      });
    },
  };
}
