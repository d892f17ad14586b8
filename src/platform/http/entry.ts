import type { FastifyInstance, FastifyRequest } from 'fastify';
import { defineErrors, type Fault } from '../errors.ts';
import type { RouteContract } from './contract.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Events for which this caller presented a valid entry token, as the gateway found out. */
    entry: readonly string[];
  }
}

export const entryErrors = defineErrors({
  ENTRY_TOKEN_REQUIRED: {
    status: 403,
    title: 'Your turn has not come yet',
    help: 'The call needs an entry token of this user for this event. Follow `redirectTo` to take a place in the queue.',
  },
});

export const noEntries: readonly string[] = Object.freeze([]);

/** Where a route names its event. `any`: by something only its module can look up, e.g. a reservation. */
export type EntrySource = 'param' | 'body' | 'any';

export function entrySource(contract: RouteContract): EntrySource {
  if (contract.path.includes('/:eventId')) return 'param';
  const body = contract.body as { properties?: Record<string, unknown> } | undefined;
  return body?.properties?.eventId === undefined ? 'any' : 'body';
}

/** Also for modules, once they know the event of the thing that was named. */
export function entryProblem(request: FastifyRequest, eventId: string | null): Fault | undefined {
  const granted = eventId === null ? request.entry.length > 0 : request.entry.includes(eventId);
  if (granted) return undefined;
  return entryErrors.fault('ENTRY_TOKEN_REQUIRED', {
    ...(eventId !== null && { extensions: { redirectTo: `/queue/${encodeURIComponent(eventId)}` } }),
  });
}

/** Holds every route that declares `entry` to it, in each process that runs the route. Call it before routes are registered. */
export function enforceEntry(app: FastifyInstance): void {
  if (!app.hasRequestDecorator('entry')) {
    app.decorateRequest('entry', {
      getter() {
        return grants.get(this) ?? noEntries;
      },
      setter(value: readonly string[]) {
        grants.set(this, value);
      },
    });
  }
  app.addHook('onRoute', (route) => {
    const contract = route.config?.contract;
    if (contract?.entry !== 'required') return;
    const source = entrySource(contract);
    const existing = route.preHandler === undefined ? [] : [route.preHandler].flat();
    route.preHandler = [
      (request, _reply, done) => done(entryProblem(request, namedEvent(request, source))),
      ...existing,
    ];
  });
}

/** Beside the request and not on it: few routes have entries, and the others pay nothing for a larger request object. */
const grants = new WeakMap<FastifyRequest, readonly string[]>();

/** Null: the route does not name it, or its body is for another process to read. */
export function namedEvent(request: FastifyRequest, source: EntrySource): string | null {
  const place = source === 'param' ? request.params : source === 'body' ? request.body : null;
  const eventId = (place as { eventId?: unknown } | null | undefined)?.eventId;
  return typeof eventId === 'string' ? eventId : null;
}
