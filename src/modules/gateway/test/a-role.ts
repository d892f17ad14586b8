import { PassThrough } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { afterEach } from 'vitest';
import { defineRoutes } from '#platform/http/contract.ts';
import { createInternalSignature, trustInternalSignature } from '#platform/http/internal-signature.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import type { ModuleDescription } from '#platform/module.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import type { GatewayOptions } from '../index.ts';
import { aClock, aGateway, guardedHandlers, guardedRoutes, internalSecret, type TestGateway } from './a-gateway.ts';

export const megabyte = 1024 * 1024;
/** One for all answers: hundreds of them may be unread at a time. */
const largeAnswer = Buffer.alloc(8 * megabyte, 'x');
const anything = { 200: Type.Unknown() };
const shopRoutes = defineRoutes({
  ...guardedRoutes,
  echo: {
    operation: 'echo',
    method: 'POST',
    path: '/api/echo',
    summary: '',
    access: 'public',
    rate: 'write',
    body: Type.Object({ text: Type.String() }, { additionalProperties: false }),
    responses: anything,
    bodyLimit: 4 * megabyte,
  },
  large: {
    operation: 'large',
    method: 'GET',
    path: '/api/large',
    summary: '',
    access: 'public',
    rate: 'read',
    responses: anything,
  },
  stream: {
    operation: 'stream',
    method: 'GET',
    path: '/api/stream',
    summary: '',
    access: 'public',
    rate: 'read',
    responses: anything,
  },
  endless: {
    operation: 'endless',
    method: 'GET',
    path: '/api/endless',
    summary: '',
    access: 'public',
    rate: 'read',
    responses: anything,
  },
  headers: {
    operation: 'headers',
    method: 'GET',
    path: '/api/headers',
    summary: '',
    access: 'public',
    rate: 'read',
    responses: anything,
  },
  slow: {
    operation: 'slow',
    method: 'GET',
    path: '/api/slow',
    summary: '',
    access: 'public',
    rate: 'read',
    responses: anything,
  },
});
const shop: ModuleDescription = {
  name: 'shop',
  summary: 'for tests',
  routes: shopRoutes,
  internalCalls: {},
  errors: {},
  topics: [],
  consumers: [],
  migrations: null,
};

/** Called after each test, the last one first. */
export const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A role with routes of every kind, on a port of its own. */
export async function aRole({
  host = '127.0.0.1',
  port = 0,
  roles = ['shop'],
} = {}): Promise<{ app: FastifyInstance; url: string; stream: PassThrough }> {
  const clock = aClock();
  const stream = new PassThrough();
  const app = createHttpServer({
    logger: silentLogger,
    ids: createIds({ clock, random: systemRandom }),
  });
  trustInternalSignature(app, {
    signature: createInternalSignature({ secrets: [internalSecret], clock, roles }),
  });
  registerRoutes(app, shopRoutes, {
    ...guardedHandlers,
    echo: async (call) => ({ length: call.body.text.length }),
    large: async (_call, reply) => reply.type('application/octet-stream').send(largeAnswer),
    stream: async (_call, reply) => reply.type('text/event-stream').send(stream),
    endless: async (_call, reply) => {
      const words = new PassThrough();
      words.write('data: 1\n\n');
      return reply.type('text/event-stream; charset=utf-8').send(words);
    },
    headers: async (call, reply) => {
      reply.header('x-letters', '\u00e9\u00ff').header('vary', ['a', 'b']);
      reply.header('set-cookie', ['a=1', 'b=2']).header('x-of-the-role', 'yes').header('keep-alive', 'timeout=5');
      return { ip: call.ip, headers: call.headers };
    },
    slow: () => new Promise(() => {}),
  });
  closing.push(() => app.close());
  return { app, url: await app.listen({ host, port }), stream };
}

/** A gateway that forwards to it, on a port of its own. */
export async function aGatewayTo(
  url: string,
  options: Partial<GatewayOptions> & {
    timeoutMs?: number;
    trustedProxies?: readonly string[];
    requestTimeoutMs?: number;
  } = {},
): Promise<TestGateway & { url: string }> {
  const { timeoutMs = 5_000, ...others } = options;
  const gateway = await aGateway({
    routes: {},
    remotes: [{ description: shop, url }],
    remoteTimeoutMs: timeoutMs,
    ...others,
  });
  closing.push(() => gateway.app.close());
  return { ...gateway, url: await gateway.app.listen({ host: '127.0.0.1', port: 0 }) };
}
