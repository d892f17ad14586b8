import { fileURLToPath } from 'node:url';
import { createGateway, type Gateway } from '#modules/gateway/index.ts';
import {
  createDeniedEntries,
  createProtectedCallWatch,
  createRedisReports,
  createRedisStore,
  createWaitingTicketHolder,
  type QueueInstance,
} from '#modules/queue/index.ts';
import { moduleDescriptions } from '../modules.ts';
import { paymentPages } from '../payment-settings.ts';
import { queueConfig } from '../queue-settings.ts';
import { rateLimitsOf } from '../rate-settings.ts';
import { remoteUrl, roleDefinitions, roleNames } from '../roles.ts';
import type { ModuleContext } from './context.ts';

const pagesFolder = fileURLToPath(new URL('../../../web/dist/', import.meta.url));

/** `queue`: the one of this process, if it runs here. */
export function composeGateway(context: ModuleContext, queue: QueueInstance | null): Gateway {
  const { config, accessTokens, entryTokens, signature } = context;
  const { clock, logger } = context.shared;
  return createGateway({
    clock,
    logger,
    accessTokens,
    entryTokens,
    signature,
    waitingTicketHolder: createWaitingTicketHolder({ secrets: config.ticketSecrets }),
    ...(queue === null
      ? queueThroughRedis(context)
      : { deniedEntries: queue.denied, protectedCalls: queue.protectedCalls }),
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
}

/** A gateway whose queue runs elsewhere meets it in the shared store: it learns which slots ended early, and tells of protected calls. */
function queueThroughRedis({ engines: { redis }, config, shared: { clock, logger } }: ModuleContext) {
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
