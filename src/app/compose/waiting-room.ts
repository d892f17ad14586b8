import { catalogInternalCalls } from '#modules/catalog/contract.ts';
import { queueInternalCalls, type VwrClaims } from '#modules/queue/contract.ts';
import {
  createDrandBeacon,
  createMemoryCounters,
  createRedisCounters,
  createWaitingRoom,
} from '#modules/waiting-room/index.ts';
import type { ModuleInstance } from '#platform/module.ts';
import { createJwtKind } from '#platform/tokens/jwt.ts';
import { secureCookies } from '../auth-config.ts';
import type { ModuleContext } from './context.ts';

const vwrTokenSeconds = 600;

export function composeWaitingRoom({ config, shared, durable, engines, client }: ModuleContext): ModuleInstance {
  const { clock } = shared;
  const { redis } = engines;
  return createWaitingRoom({
    ...shared,
    database: durable().database,
    counters: redis === null ? createMemoryCounters({ clock }) : createRedisCounters({ redis }),
    catalog: client('catalog', catalogInternalCalls),
    queue: client('queue', queueInternalCalls),
    beacon: createDrandBeacon({
      url: config.drandUrl,
      chain: config.drandChain,
      genesisSeconds: config.drandGenesisSeconds,
      periodSeconds: config.drandPeriodSeconds,
    }),
    vwrTokens: createJwtKind<VwrClaims>({
      typ: 'vwr+jwt',
      secrets: config.vwrTokenSecrets,
      ttlSeconds: vwrTokenSeconds,
      clock,
    }),
    requestSecrets: config.vwrTokenSecrets,
    secureCookies: secureCookies(config),
    config: { ratePerSecond: config.vwrRatePerSecond },
  });
}
