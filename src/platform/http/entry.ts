import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from 'fastify';
import { assert } from '../assert.ts';
import { defineErrors, type Fault } from '../errors.ts';
import type { RouteContract } from './contract.ts';
import type { EntrySlot } from './identity.ts';
import { isTooComplex } from './json-body.ts';

export const entryErrors = defineErrors({
  ENTRY_TOKEN_REQUIRED: {
    status: 403,
    title: 'Your turn has not come yet',
    help: 'The call needs an entry token of this user for this event. Follow `redirectTo` to take a place in the queue.',
  },
});

const noSlots: readonly EntrySlot[] = Object.freeze([]);

/** Beside the request and not on it: few routes ask for slots, and the others pay nothing for a larger request object. */
const heldBy = new WeakMap<FastifyRequest, readonly EntrySlot[]>();
/** The one of them that opened the route. */
const enteredBy = new WeakMap<FastifyRequest, EntrySlot>();

/** Only for what was proved. */
export function holdSlots(request: FastifyRequest, slots: readonly EntrySlot[]): void {
  heldBy.set(request, slots);
}

export function slotsOf(request: FastifyRequest): readonly EntrySlot[] {
  return heldBy.get(request) ?? noSlots;
}

/** Undefined: the route asks for none, or its body names no event and the process that runs it will say so. */
export function enteredSlot(request: FastifyRequest): EntrySlot | undefined {
  return enteredBy.get(request);
}

/** Where a route names its event. */
export type EventSource = 'param' | 'body';

/**
 * Throws when the server is made, for a contract whose check would be about another event than its handler is, or about
 * nobody: a path and a body may name two events, and an event that may be left out is checked for none.
 */
export function eventSourceOf({ operation, access, path, body }: RouteContract): EventSource {
  const refuse = (why: string) => new Error(`${operation} asks for an entry token, but ${why}`);
  if (access === 'public') throw refuse('for no user');
  const { properties = {}, required = [] } = (body ?? {}) as { properties?: object; required?: readonly string[] };
  const inPath = path.split('/').includes(':eventId');
  if ('eventId' in properties) {
    if (inPath) throw refuse('its path and its body both name an event');
    if (!required.includes('eventId')) throw refuse('`eventId` may be left out of its body');
    return 'body';
  }
  if (!inPath) throw refuse('neither its path nor its body names an event as `eventId`');
  return 'param';
}

/** Null only of a body that was not validated here: it is for another process, which says what is wrong with it. */
function namedEvent(request: FastifyRequest, source: EventSource): string | null {
  const place = source === 'param' ? request.params : parsedBody(request.body);
  const eventId = (place as { eventId?: unknown } | null | undefined)?.eventId;
  return typeof eventId === 'string' ? eventId : null;
}

/** A body for another process is bytes here. */
function parsedBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return body;
  try {
    return isTooComplex(body) ? null : JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

export function entryRequired(eventId: string | null): Fault {
  return entryErrors.fault('ENTRY_TOKEN_REQUIRED', {
    ...(eventId !== null && { extensions: { redirectTo: `/queue/${encodeURIComponent(eventId)}` } }),
  });
}

/**
 * Holds every route that declares `entry` to it, in each process that runs the route, and gives its handler the slot as
 * `request.entry`. Call it before routes are registered.
 */
export function enforceEntry(app: FastifyInstance): void {
  app.decorateRequest('entry', {
    getter(this: FastifyRequest) {
      const slot = enteredSlot(this);
      assert(slot, 'this route asks for no entry token');
      return slot;
    },
  });
  app.addHook('onRoute', (route) => {
    const { contract, isElsewhere = false } = route.config ?? {};
    if (contract?.entry !== 'required') return;
    const source = eventSourceOf(contract);
    const existing = route.preHandler === undefined ? [] : [route.preHandler].flat();
    const enter: preHandlerHookHandler = (request, _reply, done) => {
      const eventId = namedEvent(request, source);
      done(eventId === null && isElsewhere ? anySlotProblem(request) : enterSlot(request, eventId));
    };
    route.preHandler = [enter, ...existing];
  });
}

function enterSlot(request: FastifyRequest, eventId: string | null): Fault | undefined {
  const slot = slotsOf(request).find((held) => held.eventId === eventId);
  if (slot === undefined) return entryRequired(eventId);
  enteredBy.set(request, slot);
  // Those of other events are of no use to the route, nor to the process that runs it.
  holdSlots(request, [slot]);
  return undefined;
}

/** Without any slot nobody gets as far as to be told that the body is bad. */
function anySlotProblem(request: FastifyRequest): Fault | undefined {
  return slotsOf(request).length === 0 ? entryRequired(null) : undefined;
}
