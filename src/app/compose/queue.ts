import { catalogInternalCalls } from '#modules/catalog/contract.ts';
import type { VwrClaims } from '#modules/queue/contract.ts';
import {
  createMemoryStore,
  createOwnReports,
  createQueue,
  createQueueHot,
  createRedisReports,
  createRedisStore,
  createSqsNotices,
  type QueueInstance,
} from '#modules/queue/index.ts';
import type { RoomsMirror } from '#modules/waiting-room/index.ts';
import type { ModuleInstance } from '#platform/module.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { secureCookies } from '../auth-config.ts';
import { admissionOptions } from '../pace-settings.ts';
import { queueConfig } from '../queue-settings.ts';
import type { ModuleContext } from './context.ts';

const vwrTokenSeconds = 600;

/** The module has two roles, which have one store: in memory they must see the same. */
export function composeQueue(
  context: ModuleContext,
  rooms: RoomsMirror | null,
): {
  readonly queue: QueueInstance | null;
  readonly queueHot: ModuleInstance | null;
} {
  const runs = { queue: context.roles.includes('queue'), queueHot: context.roles.includes('queue-hot') };
  if (!runs.queue && !runs.queueHot) return { queue: null, queueHot: null };
  const { config, shared, entryTokens } = context;
  const { redis } = context.engines;
  const { clock } = shared;
  const deps = {
    ...shared,
    ...context.durable(),
    store: redis === null ? createMemoryStore({ clock }) : createRedisStore({ redis }),
    catalog: context.client('catalog', catalogInternalCalls),
    entryTokens,
    config: queueConfig(config),
    ...noticesOf(context),
  };
  const queue = () =>
    createQueue({
      ...deps,
      waitingTicketSecrets: config.ticketSecrets,
      vwrTokens: createJwtKind<VwrClaims>({
        typ: 'vwr+jwt',
        secrets: config.vwrTokenSecrets,
        ttlSeconds: vwrTokenSeconds,
        clock,
      }),
      ...(rooms !== null && { rooms: rooms.rooms }),
      secureCookies: secureCookies(config),
      admission: admissionOptions(config),
      originReports: redis === null ? createOwnReports() : createRedisReports({ redis }),
    });
  return {
    queue: runs.queue ? withMirror(queue(), context, rooms) : null,
    queueHot: runs.queueHot ? createQueueHot(deps) : null,
  };
}

/** The mirror is kept by the gateway where there is one. */
function withMirror(queue: QueueInstance, { roles }: ModuleContext, rooms: RoomsMirror | null): QueueInstance {
  return rooms === null || roles.includes('gateway') ? queue : { ...queue, jobs: [...queue.jobs, rooms.job] };
}

function noticesOf({ config, shared }: ModuleContext) {
  if (config.sqsQueueUrl === null) return {};
  return { notices: createSqsNotices({ ...shared, queueUrl: config.sqsQueueUrl, endpoint: config.sqsEndpoint }) };
}
