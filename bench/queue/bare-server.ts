import Fastify, { type FastifyInstance } from 'fastify';
import { systemClock } from '#platform/clock.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { createLogger } from '#platform/telemetry/logger.ts';

/** What the child is told. `plain`: Fastify without anything; else with the program's own hooks and settings. */
export interface BareOrder {
  readonly plain: boolean;
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
  const app: FastifyInstance = order.plain ? Fastify() : createHttpServer({ logger, ids });
  const type = 'application/json; charset=utf-8';
  app.get(order.statusPath, (_request, reply) => {
    reply.header('content-type', type).send(order.body);
  });
  app.post(order.checkPath, async (_request, reply) => {
    await redis.runScript(trivial, [], []);
    return reply.header('content-type', type).send(order.body);
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});
process.once('disconnect', () => process.exit());
