import type { FastifyRequest } from 'fastify';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Actor, Administration } from '../service/administration.ts';
import type { queueAdminContracts } from './contracts.ts';

export function createAdminHandlers(administration: Administration): RouteHandlers<typeof queueAdminContracts> {
  return {
    getQueueOverview: ({ params }) => administration.overview(params.eventId),
    traceQueueUser: ({ params }) => administration.user(params.eventId, params.userId),
    endQueueSlot: (request) =>
      administration.endSlot(request.params.eventId, { userId: request.params.userId, actor: actorOf(request) }),
    setQueueThreshold: (request) =>
      administration.threshold(request.params.eventId, request.body.threshold, actorOf(request)),
    unsetQueueThreshold: (request) => administration.unsetThreshold(request.params.eventId, actorOf(request)),
    pauseQueue: (request) => administration.pause(request.params.eventId, actorOf(request)),
    resumeQueue: (request) => administration.resume(request.params.eventId, actorOf(request)),
    closeQueue: (request) => administration.close(request.params.eventId, actorOf(request)),
    clearQueue: (request) => administration.clear(request.params.eventId, actorOf(request)),
    setQueueMessage: (request) =>
      administration.message(request.params.eventId, request.body.message, actorOf(request)),
  };
}

function actorOf({ user, id }: Pick<FastifyRequest, 'id'> & { user: Identity }): Actor {
  return { userId: user.userId, role: user.role, requestId: id };
}
