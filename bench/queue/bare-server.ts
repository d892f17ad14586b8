import Fastify, { type FastifyInstance } from 'fastify';
import { rewriteUrl } from '#modules/gateway/index.ts';
import { systemClock } from '#platform/clock.ts';
import { createInternalSignature, trustInternalSignature } from '#platform/http/internal-signature.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds, type Ids } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { createHttpMetrics } from '#platform/telemetry/http-metrics.ts';
import { createLogger, type Logger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { testSecrets } from '#test/kit/secrets.ts';

/**
 * What the child is told. `plain`: Fastify without anything. `plugins`: with the program's own settings, request ids, metrics,
 * sampled logs and check of internal signatures. `turns`: the same, and it writes its answers as the program does. The route
 * itself sends the body and the same headers, no more.
 */
export interface BareOrder {
  readonly server: 'plain' | 'plugins' | 'turns';
  readonly statusPath: string;
  readonly checkPath: string;
  readonly body: string;
  readonly redisUrl: string;
}

/** The least that one round trip to the store can be. */
const trivial = {
  name: 'trivial',
  source: 'return 1',
  sha: 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
  readOnly: false,
};

process.once('message', async (order: BareOrder) => {
  const logger = createLogger({ level: 'error' });
  const redis = createRedis({ url: order.redisUrl, commandTimeoutMs: 5_000, logger });
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const writesInTurns = order.server === 'turns';
  const app: FastifyInstance = order.server === 'plain' ? Fastify() : programsOwn({ logger, ids, writesInTurns });
  app.get(order.statusPath, (_request, reply) => {
    reply.headers(headers).send(order.body);
  });
  app.post(order.checkPath, async (_request, reply) => {
    await redis.runScript(trivial, [], []);
    return reply.headers(headers).send(order.body);
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});

const headers = { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' };
const logSampleEvery = 100;

/** As `serve --roles queue` sets it up. */
function programsOwn(parts: { logger: Logger; ids: Ids; writesInTurns: boolean }): FastifyInstance {
  const app = createHttpServer({ ...parts, metrics: createHttpMetrics(createMetrics()), logSampleEvery, rewriteUrl });
  const signature = createInternalSignature({
    secrets: [testSecrets.URR_INTERNAL_SECRET],
    clock: systemClock,
    roles: ['queue'],
  });
  trustInternalSignature(app, { signature });
  return app;
}

process.once('disconnect', () => process.exit());
