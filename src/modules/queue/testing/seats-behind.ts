import type { FastifyInstance } from 'fastify';
import { ticketingRoutes } from '#modules/ticketing/contract.ts';
import { createTicketing } from '#modules/ticketing/index.ts';
import { aTicketKey } from '#modules/ticketing/testing/ticket-keys.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { atEnd } from '#test/kit/at-end.ts';
import type { QueueDeps } from '../index.ts';

/**
 * What the seat map answers anyone who has passed the gate: the events of the queue's tests have no seats. Anyone who is stopped
 * there gets 401 or 403.
 */
export const pastTheGate = 404;

/** Ticketing's own routes behind the gateway of a test, of events that it has never heard of. */
export function putSeatsBehind(
  app: FastifyInstance,
  deps: Pick<QueueDeps, 'database' | 'clock' | 'ids' | 'random' | 'logger' | 'audit' | 'metrics' | 'catalog'>,
  beforeSeatMap: () => Promise<void>,
): void {
  const ticketing = createTicketing({
    ...deps,
    bus: { publish: async () => undefined, wakeRelays: () => undefined },
    queue: { endSlot: async () => ({ ended: false }) },
    payments: { attemptStates: async () => ({ attempts: [] }) },
    tiers: { tierOf: async () => 'general' },
    shield: null,
    ticketKeys: [aTicketKey(1)],
  });
  atEnd(async () => ticketing.stop?.());
  // The module bound them to these very contracts before it forgot their types.
  const handlers = ticketing.handlers as unknown as RouteHandlers<typeof ticketingRoutes>;
  registerRoutes(app, ticketingRoutes, {
    ...handlers,
    async getSeatMap(request, reply) {
      await beforeSeatMap();
      return handlers.getSeatMap(request, reply);
    },
  });
}
