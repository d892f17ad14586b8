import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { RouteHandlers } from '#platform/http/contract.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { Actor, Administration } from '../service/administration.ts';
import type { waitingRoomAdminContracts } from './contracts.ts';

export function createAdminHandlers(room: Administration): RouteHandlers<typeof waitingRoomAdminContracts> {
  return {
    activateRoom: (request) =>
      room.activate(request.params.eventId, {
        reset: request.body?.reset ?? false,
        draw: request.body?.draw ?? null,
        actor: actorOf(request),
      }),
    deactivateRoom: (request) => room.deactivate(request.params.eventId, actorOf(request)),
    advanceRoom: (request) =>
      room.advance(request.params.eventId, { batchSize: request.body.batchSize, actor: actorOf(request) }),
    pauseRoom: (request) => room.pause(request.params.eventId, actorOf(request)),
    resumeRoom: (request) => room.resume(request.params.eventId, actorOf(request)),
    setRoomMessage: (request) => room.message(request.params.eventId, request.body.message, actorOf(request)),
    setRoomSchedule: (request) => room.schedule(request.params.eventId, changesOf(request.body), actorOf(request)),
    setRoomBranding: (request) => room.branding(request.params.eventId, request.body, actorOf(request)),
    getRoomOverview: ({ params }) => room.overview(params.eventId),
    traceRequest: ({ params }) => room.trace(params.requestId),
  };
}

type ScheduleBody = Static<typeof waitingRoomAdminContracts.setRoomSchedule.body>;

function changesOf({ opensAt, rate, ramp, ...same }: ScheduleBody) {
  const steps = ramp?.map(({ at, rate: then }) => ({ atMs: Date.parse(at), rate: then }));
  return {
    ...same,
    ...(opensAt !== undefined && { opensAtMs: opensAt === null ? null : Date.parse(opensAt) }),
    ...(rate !== undefined && (rate === 'auto' ? { isAuto: true } : { isAuto: false, rate })),
    ...(ramp !== undefined && { ramp: steps?.sort((one, other) => one.atMs - other.atMs) ?? null }),
  };
}

function actorOf({ user, id }: Pick<FastifyRequest, 'id'> & { user: Identity }): Actor {
  return { userId: user.userId, role: user.role, requestId: id };
}
