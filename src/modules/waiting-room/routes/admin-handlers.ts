import type { FastifyRequest } from 'fastify';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Actor, Administration } from '../service/administration.ts';
import type { waitingRoomAdminContracts } from './contracts.ts';

export function createAdminHandlers(room: Administration): RouteHandlers<typeof waitingRoomAdminContracts> {
  return {
    activateRoom: (request) =>
      room.activate(request.params.eventId, { reset: request.body?.reset ?? false, actor: actorOf(request) }),
    deactivateRoom: (request) => room.deactivate(request.params.eventId, actorOf(request)),
    advanceRoom: (request) =>
      room.advance(request.params.eventId, { batchSize: request.body.batchSize, actor: actorOf(request) }),
    pauseRoom: (request) => room.pause(request.params.eventId, actorOf(request)),
    resumeRoom: (request) => room.resume(request.params.eventId, actorOf(request)),
    setRoomMessage: (request) => room.message(request.params.eventId, request.body.message, actorOf(request)),
    setRoomSchedule(request) {
      const { opensAt, ...changes } = request.body;
      const opensAtMs = typeof opensAt === 'string' ? Date.parse(opensAt) : opensAt;
      return room.schedule(
        request.params.eventId,
        { ...changes, ...(opensAtMs !== undefined && { opensAtMs }) },
        actorOf(request),
      );
    },
    getRoomOverview: ({ params }) => room.overview(params.eventId),
    traceRequest: ({ params }) => room.trace(params.requestId),
  };
}

function actorOf({ user, id }: Pick<FastifyRequest, 'id'> & { user: Identity }): Actor {
  return { userId: user.userId, role: user.role, requestId: id };
}
