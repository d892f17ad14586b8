import { bindHandlers } from '#platform/http/contract.ts';
import type { InternalHandlers } from '#platform/internal-call.ts';
import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { waitingRoomInternalCalls, waitingRoomRoutes } from './contract.ts';
import type { WaitingRoomDeps } from './deps.ts';
import { createDrawDesk } from './draw/desk.ts';
import { createEntries } from './draw/entries.ts';
import { createPublishedDraws } from './draw/published-draws.ts';
import { createDrawJob } from './draw/settle.ts';
import { waitingRoomErrors } from './errors.ts';
import { createAdvanceJob } from './jobs/advance.ts';
import { createFlowJob } from './jobs/flow.ts';
import { createFollowJob } from './jobs/follow.ts';
import { createRefreshJob } from './jobs/refresh.ts';
import { createAdminHandlers } from './routes/admin-handlers.ts';
import { createRoomCookies } from './routes/cookies.ts';
import { createRoomExpress } from './routes/express.ts';
import { createHandlers } from './routes/handlers.ts';
import { createStatusDocuments } from './routes/status-documents.ts';
import { createAdministration } from './service/administration.ts';
import { createDesk } from './service/desk.ts';
import { createEpochs } from './service/epochs.ts';
import { createEras } from './service/eras.ts';
import { createForgottenPlaces } from './service/forgotten-places.ts';
import { createNumbers } from './service/numbers.ts';
import { createProofs } from './service/proofs.ts';
import { createRequestIds } from './service/request-ids.ts';
import { createRoomMetrics } from './service/room-metrics.ts';
import { createRooms } from './service/rooms.ts';

export const waitingRoomDescription = {
  name: 'waiting-room',
  summary: 'Tier 1: numbers for visitors, the line in front of the site, passes for those it has come to.',
  routes: waitingRoomRoutes,
  internalCalls: waitingRoomInternalCalls,
  errors: waitingRoomErrors.table,
  topics: [],
  consumers: [],
  migrations: new URL('./migrations/', import.meta.url),
} satisfies ModuleDescription;

export function createWaitingRoom(deps: WaitingRoomDeps): ModuleInstance {
  const rooms = createRooms(deps);
  const metrics = createRoomMetrics({ metrics: deps.metrics, rooms });
  const epochs = createEpochs({ ...deps, rooms, onLost: metrics.lost });
  const numbers = createNumbers({ ...deps, rooms, epochs });
  const requestIds = createRequestIds({ secrets: deps.requestSecrets });
  const proofs = createProofs({ ...deps, secrets: deps.requestSecrets });
  const entries = createEntries(deps);
  const drawDesk = createDrawDesk({ ...deps, entries });
  const desk = createDesk({ ...deps, rooms, epochs, numbers, drawDesk, requestIds, proofs });
  const eras = createEras(deps);
  const reach = createForgottenPlaces({ ...deps, rooms });
  const administration = createAdministration({ ...deps, eras, rooms, epochs, desk, requestIds, reach });
  const internal: InternalHandlers<typeof waitingRoomInternalCalls> = {
    async activeRooms() {
      // Asked anew, so that a switch is known within one poll of those who ask.
      await rooms.refresh();
      const active = rooms
        .active()
        .map(({ eventId, era, failMode }) => ({ eventId, mode: 'site' as const, era, failMode }));
      return { asOfMs: deps.clock.now(), rooms: active };
    },
  };
  const flow = createFlowJob({ ...deps, rooms });
  const cookies = createRoomCookies({ secure: deps.secureCookies, clock: deps.clock, requestIds });
  const statuses = createStatusDocuments({ ...deps, desk });
  return {
    handlers: bindHandlers(waitingRoomRoutes, {
      ...createHandlers({ desk, cookies, statuses, draws: createPublishedDraws(deps) }),
      ...createAdminHandlers(administration),
    }),
    express: createRoomExpress({ desk, cookies, statuses }),
    internal,
    consumers: [],
    jobs: [
      createRefreshJob({ ...deps, rooms, epochs }),
      createAdvanceJob({ ...deps, rooms, epochs, numbers, reach, led: flow.led }),
      flow.job,
      createDrawJob({ ...deps, rooms, epochs }),
      createFollowJob({ ...deps, rooms, tellOff: administration.tellOff }),
    ],
    async stop() {
      await Promise.all([numbers.stop(), entries.stop()]);
    },
  };
}

export { createMemoryCounters } from './counters/memory.ts';
export { createRedisCounters } from './counters/redis.ts';
export { createDrandBeacon } from './draw/beacon.ts';
export { registerDecideDoor } from './mirror/decide-door.ts';
export { createRoomEdge, type RoomEdge } from './mirror/edge-decision.ts';
export { createRoomsMirror, type RoomsMirror } from './mirror/rooms-mirror.ts';
