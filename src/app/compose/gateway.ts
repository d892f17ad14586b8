import { fileURLToPath } from 'node:url';
import type { EntryDenySet, ProtectedCalls } from '#modules/gateway/contract.ts';
import { createGateway, type Gateway, type GatewayUpkeep } from '#modules/gateway/index.ts';
import {
  createDeniedEntries,
  createProtectedCallWatch,
  createRedisReports,
  createRedisStore,
  createWaitingTicketHolder,
  type QueueInstance,
} from '#modules/queue/index.ts';
import { type RoomsMirror, registerDecideDoor } from '#modules/waiting-room/index.ts';
import { moduleDescriptions } from '../modules.ts';
import { paymentPages } from '../payment-settings.ts';
import { queueConfig } from '../queue-settings.ts';
import { rateLimitsOf } from '../rate-settings.ts';
import { remoteUrl, roleDefinitions, roleNames } from '../roles.ts';
import type { ModuleContext } from './context.ts';
import { composeEdge } from './rooms.ts';

const pagesFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

export interface GatewayNeighbours {
  /** The one of this process, if it runs here. */
  readonly queue: QueueInstance | null;
  /** Null: there is no tier 1. */
  readonly rooms: RoomsMirror | null;
}

export function composeGateway(context: ModuleContext, { queue, rooms }: GatewayNeighbours): Gateway {
  const { config, accessTokens, entryTokens, signature } = context;
  const { clock, logger } = context.shared;
  const tier1 = rooms === null ? null : composeEdge(context, { mirror: rooms, pagesFolder });
  const { jobs = [], ...queueSide } = queue === null ? queueThroughRedis(context) : queueHere(queue);
  const gateway = createGateway({
    clock,
    logger,
    accessTokens,
    entryTokens,
    signature,
    waitingTicketHolder: createWaitingTicketHolder({ secrets: config.ticketSecrets }),
    ...queueSide,
    jobs: [...jobs, ...(rooms === null ? [] : [rooms.job])],
    ...(tier1 !== null && { edge: tier1.edge }),
    rateLimits: rateLimitsOf(config),
    redis: context.engines.redis,
    publicOrigins: config.publicOrigins,
    corsOrigins: config.corsOrigins,
    remotes: roleNames
      .filter((role) => !context.roles.includes(role))
      .map((role) => ({ description: roleDefinitions[role].description, url: remoteUrl(config, role) })),
    remoteTimeoutMs: config.remoteTimeoutMs,
    pagesFolder,
    pages: [...moduleDescriptions.flatMap(({ pages = [] }) => pages), ...paymentPages(config)],
  });
  if (tier1 === null) return gateway;
  return {
    ...gateway,
    async install(app) {
      await gateway.install(app);
      registerDecideDoor(app, tier1.decideFor);
    },
  };
}

interface QueueSide extends GatewayUpkeep {
  readonly deniedEntries?: EntryDenySet;
  readonly protectedCalls?: ProtectedCalls;
}

function queueHere({ denied, protectedCalls }: QueueInstance): QueueSide {
  return { deniedEntries: denied, protectedCalls };
}

/** A gateway whose queue runs elsewhere meets it in the shared store: it learns which slots ended early, and tells of protected calls. */
function queueThroughRedis({ engines: { redis }, config, shared: { clock, logger } }: ModuleContext): QueueSide {
  if (redis === null) return {};
  const store = createRedisStore({ redis });
  const { denied, job } = createDeniedEntries({ store, clock, logger });
  const { calls, jobs, stop } = createProtectedCallWatch({
    ...{ store, clock, logger },
    reports: createRedisReports({ redis }),
    config: queueConfig(config),
    loop: null,
  });
  return { deniedEntries: denied, protectedCalls: calls, jobs: [job, ...jobs], stop };
}
