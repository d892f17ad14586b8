import type { FastifyRequest, onSendHookHandler, preHandlerHookHandler, RouteOptions } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { enteredSlot } from '#platform/http/entry.ts';
import type { ProtectedCalls } from './contract.ts';

/**
 * Tells the queue what happens behind the entry check of a route: whose slot was used, and how the origin did. Measured
 * from when the body is there to when the answer begins, because a caller who sends or reads slowly says nothing about the
 * origin; what the gateway itself refused never got that far. That holds for a body for another process too, which is collected first.
 */
export function watchProtectedRoute(
  route: RouteOptions,
  { protectedCalls, clock }: { protectedCalls: ProtectedCalls; clock: Clock },
): void {
  const begun = new WeakMap<FastifyRequest, number>();
  const tellEntered = (request: FastifyRequest) => {
    const slot = enteredSlot(request);
    if (slot !== undefined && request.user !== null) protectedCalls.entered({ ...slot, userId: request.user.userId });
  };
  const begin: preHandlerHookHandler = (request, _reply, done) => {
    begun.set(request, clock.monotonicMs());
    tellEntered(request);
    done();
  };
  const end: onSendHookHandler = (request, reply, _payload, done) => {
    const atMs = begun.get(request);
    if (atMs !== undefined) {
      begun.delete(request);
      protectedCalls.answered({ ms: Math.max(0, clock.monotonicMs() - atMs), failed: reply.statusCode >= serverFault });
    }
    done();
  };
  // Behind the entry check, which was put there when the route was announced to it.
  route.preHandler = [...hooksOf(route.preHandler), begin];
  route.onSend = [...hooksOf(route.onSend), end];
}

const serverFault = 500;

function hooksOf<Hook>(hooks: Hook | Hook[] | undefined): Hook[] {
  return hooks === undefined ? [] : ([hooks].flat() as Hook[]);
}
