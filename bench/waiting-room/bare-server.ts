import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type RouteHandlerMethod } from 'fastify';
import { createRedis } from '#platform/redis/client.ts';
import { createLogger } from '#platform/telemetry/logger.ts';

/** What the child is told. `node`: Node's own server sends the body. `route`: a Fastify route does, after a round trip to Redis if there is one. */
export interface BareOrder {
  readonly server: 'node' | 'route';
  readonly path: string;
  readonly body: string;
  readonly redisUrl: string | null;
}

/** The least that one round trip can be. */
const trivial = {
  name: 'trivial',
  source: 'return 1',
  sha: 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
  readOnly: false,
};
const contentType = { 'content-type': 'application/json; charset=utf-8' };

process.once('message', async (order: BareOrder) => {
  process.send?.(order.server === 'node' ? await listenByNode(order) : await listenByRoute(order));
});
process.once('disconnect', () => process.exit());

function listenByNode({ body }: BareOrder): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { ...contentType, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

async function listenByRoute({ path, body, redisUrl }: BareOrder): Promise<string> {
  const logger = createLogger({ level: 'error' });
  const redis = redisUrl === null ? null : createRedis({ url: redisUrl, commandTimeoutMs: 5_000, logger });
  const app = Fastify();
  const handler: RouteHandlerMethod = async (_request, reply) => {
    await redis?.runScript(trivial, [], []);
    return reply.headers(contentType).send(body);
  };
  app.route({ method: ['GET', 'POST'], url: path, handler });
  return app.listen({ host: '127.0.0.1', port: 0 });
}
