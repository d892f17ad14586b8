import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { UrrConfig } from '../config.ts';

const commandTimeoutMs = 1_000;

/** Redis as configured, or null: then what it would hold lives in this process. */
export function openRedis(options: { config: UrrConfig; logger: Logger; metrics: Metrics }): Redis | null {
  const { config, logger, metrics } = options;
  const clusterNodes = config.redisCluster;
  if (config.redisUrl === null && clusterNodes.length === 0) return null;
  const seconds = metrics.histogram('urr_redis_call_seconds', 'How long calls to Redis took.', ['call', 'outcome']);
  return createRedis({
    ...(config.redisUrl !== null ? { url: config.redisUrl } : { clusterNodes }),
    commandTimeoutMs,
    logger,
    observe: ({ name, ms, outcome }) => seconds.observe({ call: name, outcome }, ms / 1000),
  });
}
