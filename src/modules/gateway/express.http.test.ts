import type { AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { defineRoutes } from '#platform/http/contract.ts';
import type { Identity } from '#platform/http/identity.ts';
import { createInternalSignature, trustInternalSignature } from '#platform/http/internal-signature.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import type { EdgeAnswer, EdgeCall, EdgeDecision, WaitingTicketHolder } from './contract.ts';
import { aClock, aGateway, amplePerMinute, internalSecret, ratesPerMinute } from './test/a-gateway.ts';

const plain = { method: 'GET', summary: '', responses: { 200: Type.Unknown() } } as const;
const route = { ...plain, waitingTicket: 'accepted' } as const;
const routes = defineRoutes({
  poll: { ...route, operation: 'poll', path: '/api/poll/:eventId', access: 'public', rate: 'poll' },
  mine: { ...route, operation: 'mine', path: '/api/mine/:eventId', access: 'user', rate: 'poll' },
  ticketless: { ...plain, operation: 'ticketless', path: '/api/plain/:eventId', access: 'public', rate: 'poll' },
  shared: { ...route, operation: 'shared', path: '/api/shared/:eventId', access: 'public', rate: 'login' },
});
const usual = async () => ({ way: 'usual' });
const handlers = { poll: usual, mine: usual, ticketless: usual, shared: usual };

/** The user whom the header names: what makes a ticket good is for others to test. */
const waitingTicketHolder: WaitingTicketHolder = ({ 'x-ticket': ticket }) =>
  typeof ticket === 'string' ? ticket : null;
const ann = { 'x-ticket': 'ann' };

type App = Awaited<ReturnType<typeof aGateway>>['app'];

type Get = (path: string, headers?: Record<string, string>) => Promise<Response>;

/** Every route has an express lane that would answer with who calls, but for the event 0. */
async function open(app: App): Promise<Get> {
  registerRoutes(app, routes, handlers);
  for (const contract of Object.values(routes)) {
    app.express.add({
      contract,
      paramLength: 1,
      callerOf(headers, eventId) {
        const userId = waitingTicketHolder(headers, eventId);
        return userId === null ? null : { userId };
      },
      answer({ userId }, eventId) {
        asked.push(userId);
        return eventId === '0' ? null : JSON.stringify({ way: 'express', userId });
      },
    });
  }
  return callable(app);
}

/** Every route has one that would answer anybody. */
async function openToAll(app: App): Promise<Get> {
  registerRoutes(app, routes, handlers);
  for (const contract of Object.values(routes)) {
    const answerTo = (_: unknown, eventId: string) => (eventId === '0' ? null : JSON.stringify({ way: 'express' }));
    app.express.add({ contract, paramLength: 1, cacheControl: 'public, max-age=1', answerTo });
  }
  return callable(app);
}

async function callable(app: App): Promise<Get> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  atEnd(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  return (path, headers = ann) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** Of whom the lanes were asked for an answer. */
const asked: string[] = [];

const wayOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { way: string }).way;

test('at the gateway only public reads that are limited in this process have an express lane', async () => {
  const { app, token } = await aGateway({ routes });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1'))).toBe('express');
  expect(await wayOf(get('/api/poll/1', {}))).toBe('usual');
  expect(await wayOf(get('/api/shared/1'))).toBe('usual');
  expect(await wayOf(get('/api/plain/1'))).toBe('usual');
  expect((await get('/api/mine/1')).status).toBe(401);
  expect(await wayOf(get('/api/mine/1', { ...ann, authorization: `Bearer ${token('ann')}` }))).toBe('usual');
});

test('a session changes nothing if it is of the user who holds the ticket, and is looked at if it is of somebody else', async () => {
  const { app, clock, token } = await aGateway({ routes });
  const get = await open(app);
  const [own, other] = [token('ann'), token('eve')];
  clock.ms += 3_600_000;
  const ways = ['Bearer x', 'Basic YTpi', `Bearer ${other}`, `Bearer ${token('eve')}`, `Bearer ${own}`].map(
    (authorization) => wayOf(get('/api/poll/1', { ...ann, authorization })),
  );
  expect(await Promise.all(ways)).toEqual(['usual', 'usual', 'usual', 'usual', 'express']);
  expect(await wayOf(get('/api/poll/1', { ...ann, cookie: `urr-access=${token('ann')}` }))).toBe('express');
  expect(await wayOf(get('/api/poll/1', { ...ann, cookie: `urr-access=${token('eve')}` }))).toBe('usual');
});

test('people with tickets behind one address do not use up each other’s calls', async () => {
  const rateLimits = ratesPerMinute({ ...amplePerMinute, poll: 2 });
  const { app } = await aGateway({ routes, rateLimits, waitingTicketHolder });
  const get = await open(app);
  // By the lane, and the usual way as soon as it has no answer.
  for (const path of ['/api/poll/1', '/api/poll/0']) {
    const answers = await Promise.all(['ann', 'ben', 'cy', 'dan'].map((one) => get(path, { 'x-ticket': one })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(
      Array(4).fill(path.endsWith('1') ? '1' : '0'),
    );
  }
  // Who has none is counted by the address.
  const strangers = [await get('/api/poll/1', {}), await get('/api/poll/1', {}), await get('/api/poll/1', {})];
  expect(strangers.map(({ status }) => status)).toEqual([200, 200, 429]);
});

test('an edge decision is asked there as well, and refuses on the usual way', async () => {
  const seen: (string | string[] | undefined)[] = [];
  const decide = ({ path, headers }: EdgeCall): EdgeAnswer => {
    seen.push(headers['x-user-id']);
    return path.endsWith('/2') ? { status: 'redirect', location: '/vwr/2' } : { status: 'continue' };
  };
  const { app } = await aGateway({ routes, edge: { decide, failMode: 'closed' } });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1', { ...ann, 'x-user-id': 'ann' }))).toBe('express');
  expect((await get('/api/poll/2', { ...ann, 'x-user-id': 'ann' })).status).toBe(403);
  expect(seen).toEqual([undefined, undefined, undefined]);
});

test('with other origins allowed there is none: every answer has to name them', async () => {
  const { app } = await aGateway({ routes, corsOrigins: ['https://elsewhere.example'] });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1'))).toBe('usual');
});

test('who calls too often is refused on the usual way, having spent nothing more and without being answered first', async () => {
  const rateLimits = ratesPerMinute({ ...amplePerMinute, poll: 2 });
  const { app } = await aGateway({ routes, rateLimits, waitingTicketHolder });
  const get = await open(app);
  asked.length = 0;
  const answers = [await get('/api/poll/1'), await get('/api/poll/1'), await get('/api/poll/1')];
  expect(asked).toEqual(['ann', 'ann']);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get('ratelimit-remaining'))).toEqual(['1', '0', '0']);
  expect(answers[2]?.headers.get('retry-after')).not.toBeNull();
  expect(answers[2]?.headers.get('content-type')).toContain('application/problem+json');
});

test('at a role a call that names another user than the ticket’s has its signature looked at', async () => {
  const clock = aClock();
  const signature = createInternalSignature({ secrets: [internalSecret], clock, roles: ['polls'] });
  const app = createHttpServer({ logger: silentLogger, ids: createIds({ clock, random: systemRandom }) });
  trustInternalSignature(app, { signature });
  const get = await open(app);
  const user = { userId: 'ann', email: 'ann@urr.test', role: 'buyer' } as const;
  const signed = signature.sign({ role: 'polls', method: 'GET', path: '/api/poll/1', body: null, user, slots: [] });
  for (const headers of [ann, { ...ann, ...signed }])
    expect(await (await get('/api/poll/1', headers)).json()).toEqual({ way: 'express', userId: 'ann' });
  for (const headers of [
    { ...ann, ...signed, 'x-user-id': 'eve' },
    { ...ann, 'x-user-id': 'eve', 'x-user-role': 'admin' },
  ])
    expect(await wayOf(get('/api/poll/1', headers))).toBe('usual');
});

test('an answer for anybody has a lane where no ticket says whose call it is', async () => {
  const { app } = await aGateway({ routes });
  const get = await openToAll(app);
  for (const path of ['/api/poll/1', '/api/shared/1', '/api/plain/0', '/api/plain/12', '/api/plain/1?a=1'])
    expect([path, await wayOf(get(path))]).toEqual([path, 'usual']);
  expect((await get('/api/mine/1')).status).toBe(401);
  const answer = await get('/api/plain/1', { authorization: 'Bearer x' });
  expect(await answer.json()).toEqual({ way: 'express' });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'cache-control': 'public, max-age=1',
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'ratelimit-limit': '600',
  });
});

test('such a call is counted by its session, else by its pass, else by its address behind trusted proxies', async () => {
  const rateLimits = ratesPerMinute({ ...amplePerMinute, poll: 10 });
  const passOf: EdgeDecision['passOf'] = ({ 'x-pass': pass }) => (typeof pass === 'string' ? pass : null);
  const edge: EdgeDecision = { decide: () => ({ status: 'continue' }), failMode: 'closed', passOf };
  const { app, token } = await aGateway({ routes, rateLimits, edge, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] });
  const get = await openToAll(app);
  const session = { authorization: `Bearer ${token('ann')}` };
  const callers = [
    {},
    { 'x-forwarded-for': '203.0.113.1' },
    { 'x-forwarded-for': '203.0.113.2, 10.0.0.1' },
    { 'x-forwarded-for': '2001:db8::1' },
    { 'x-pass': 'room 1.7' },
    session,
  ];
  const same = [
    {},
    { 'x-forwarded-for': '203.0.113.1, 10.1.2.3' },
    { 'x-forwarded-for': '198.51.100.1, 203.0.113.2' },
    { 'x-forwarded-for': '2001:db8::2' },
    { 'x-pass': 'room 1.7', 'x-forwarded-for': '203.0.113.9' },
    { ...session, 'x-pass': 'room 1.8' },
  ];
  const left = async (path: string, headers: Record<string, string>) =>
    Number((await get(path, headers)).headers.get('ratelimit-remaining'));
  // By turns on the lane and the usual way: both take from one bucket, and what the lane had no answer for costs one token.
  for (const [n, headers] of callers.entries()) {
    expect([n, await left('/api/plain/1', headers)]).toEqual([n, 9]);
    expect([n, await left('/api/plain/0', headers)]).toEqual([n, 8]);
    expect([n, await left('/api/plain/1', same[n] ?? {})]).toEqual([n, 7]);
    expect([n, await left('/api/plain/1?', same[n] ?? {})]).toEqual([n, 6]);
  }
});

test('the edge decision is asked about such a call too, and refuses on the usual way', async () => {
  const seen: (string | string[] | undefined)[] = [];
  const decide = ({ path, headers }: EdgeCall): EdgeAnswer => {
    seen.push(headers['x-user-id']);
    return path.endsWith('/2') ? { status: 'redirect', location: '/vwr/2' } : { status: 'continue' };
  };
  const { app } = await aGateway({ routes, edge: { decide, failMode: 'closed' } });
  const get = await openToAll(app);
  expect(await wayOf(get('/api/plain/1', { 'x-user-id': 'ann' }))).toBe('express');
  expect((await get('/api/plain/2', { 'x-user-id': 'ann' })).status).toBe(403);
  expect(seen).toEqual([undefined, undefined, undefined]);
});

test('at a role such a call that names a user has its signature looked at', async () => {
  const clock = aClock();
  const signature = createInternalSignature({ secrets: [internalSecret], clock, roles: ['polls'] });
  const app = createHttpServer({ logger: silentLogger, ids: createIds({ clock, random: systemRandom }) });
  trustInternalSignature(app, { signature });
  const get = await openToAll(app);
  const sign = (user: Identity | null) =>
    signature.sign({ role: 'polls', method: 'GET', path: '/api/plain/1', body: null, user, slots: [] });
  expect(await wayOf(get('/api/plain/1', {}))).toBe('express');
  expect(await wayOf(get('/api/plain/1', sign(null)))).toBe('express');
  const user = { userId: 'ann', email: 'ann@urr.test', role: 'buyer' } as const;
  expect(await wayOf(get('/api/plain/1', sign(user)))).toBe('usual');
});

test('a server that closes answers the usual way, which tells connections to go', async () => {
  const { app } = await aGateway({ routes });
  const get = await open(app);
  expect(await wayOf(get('/api/poll/1'))).toBe('express');
  app.express.close();
  expect(await wayOf(get('/api/poll/1'))).toBe('usual');
});
