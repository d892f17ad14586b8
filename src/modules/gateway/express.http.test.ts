import type { AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineRoutes } from '#platform/http/contract.ts';
import { createInternalSignature, trustInternalSignature } from '#platform/http/internal-signature.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock, aGateway, amplePerMinute, internalSecret, ratesPerMinute } from './test/a-gateway.ts';

const route = { method: 'GET', summary: '', responses: { 200: Type.Unknown() } } as const;
const routes = defineRoutes({
  poll: { ...route, operation: 'poll', path: '/api/poll/:id', access: 'public', rate: 'poll' },
  mine: { ...route, operation: 'mine', path: '/api/mine/:id', access: 'user', rate: 'poll' },
  shared: { ...route, operation: 'shared', path: '/api/shared/:id', access: 'public', rate: 'login' },
});
const usual = async () => ({ way: 'usual' });
const handlers = { poll: usual, mine: usual, shared: usual };

type App = Awaited<ReturnType<typeof aGateway>>['app'];

/** Every route has an express lane that would answer with who calls. */
async function open(app: App): Promise<(path: string, headers?: Record<string, string>) => Promise<Response>> {
  registerRoutes(app, routes, handlers);
  for (const contract of Object.values(routes)) {
    const answer = ({ user }: { user: { userId: string } | null }) => JSON.stringify({ way: 'express', user });
    app.express.add({ contract, paramLength: 1, answer });
  }
  await app.listen({ port: 0, host: '127.0.0.1' });
  atEnd(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

const wayOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { way: string }).way;

test('at the gateway only public reads that are limited in this process have an express lane', async () => {
  const { app } = await aGateway({ routes });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1'))).toBe('express');
  expect(await wayOf(get('/api/shared/1'))).toBe('usual');
  expect((await get('/api/mine/1')).status).toBe(401);
});

test('with other origins allowed there is none: every answer has to name them', async () => {
  const { app } = await aGateway({ routes, corsOrigins: ['https://elsewhere.example'] });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1'))).toBe('usual');
});

test('who calls too often is refused on the usual way, having spent nothing more', async () => {
  const rateLimits = ratesPerMinute({ ...amplePerMinute, poll: 2 });
  const { app } = await aGateway({ routes, rateLimits });
  const get = await open(app);
  const answers = [await get('/api/poll/1'), await get('/api/poll/1'), await get('/api/poll/1')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0']);
  expect(answers[2]?.headers.get('retry-after')).not.toBeNull();
  expect(answers[2]?.headers.get('content-type')).toContain('application/problem+json');
});

test('a role believes in the express lane whom the gateway signed for, and nobody else', async () => {
  const clock = aClock();
  const signature = createInternalSignature({ secrets: [internalSecret], clock });
  const app = createHttpServer({ logger: silentLogger, ids: createIds({ clock, random: systemRandom }) });
  trustInternalSignature(app, { signature });
  const get = await open(app);
  const user = { userId: 'ann', email: 'ann@urr.test', role: 'buyer' } as const;
  const signed = signature.sign({ method: 'GET', path: '/api/poll/1', user, entry: [] });
  expect(await (await get('/api/poll/1', signed)).json()).toMatchObject({ way: 'express', user: { userId: 'ann' } });
  for (const headers of [
    { ...signed, 'x-user-id': 'eve' },
    { 'x-user-id': 'eve', 'x-user-role': 'admin' },
  ])
    expect(await (await get('/api/poll/1', headers)).json()).toEqual({ way: 'express', user: null });
});

test('a server that closes answers the usual way, which tells connections to go', async () => {
  const { app } = await aGateway({ routes });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1'))).toBe('express');
  app.express.close();
  expect(await wayOf(get('/api/poll/1'))).toBe('usual');
});
