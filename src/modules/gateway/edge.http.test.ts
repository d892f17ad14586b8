import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { registerDocs } from '#platform/http/docs-page.ts';
import { buildOpenApi } from '#platform/http/openapi.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import type { Redis } from '#platform/redis/port.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { createSendRaw } from '#test/kit/raw-http.ts';
import type { EdgeAnswer, EdgeCall, EdgeDecision } from './contract.ts';
import type { GatewayOptions } from './index.ts';
import { aGateway, guardedHandlers, guardedRoutes, type TestGateway } from './test/a-gateway.ts';

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.app.close();
  gateway = undefined;
});
async function open(changes: Partial<GatewayOptions> = {}): Promise<TestGateway> {
  gateway = await aGateway(changes);
  return gateway;
}

const html = { accept: 'text/html,*/*' };
const page = '<!doctype html><title>urr</title>';

async function aBuild(): Promise<string> {
  const folder = await aFolder('pages');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'assets', 'index-4f2a.js'), 'export {};');
  return folder;
}

/** A room in front of event e1: who shows its pass goes on, the others are sent there. */
function aRoom(when: (answer: EdgeAnswer) => EdgeAnswer | Promise<EdgeAnswer> = (answer) => answer) {
  const asked: EdgeCall[] = [];
  const edge: EdgeDecision = {
    failMode: 'closed',
    decide(call) {
      asked.push(call);
      if (call.eventId !== 'e1' && call.path !== '/events/e1') return when({ status: 'continue' });
      if (call.headers.cookie?.includes('pass=1')) return when({ status: 'continue', isGuarded: true });
      const location = `/vwr/e1?next=${encodeURIComponent(call.path + call.query)}`;
      return when({ status: 'redirect', location, setCookies: ['seen=1; Path=/', 'at=e1'] });
    },
  };
  return { edge, asked };
}

describe.each([
  ['at once', (answer: EdgeAnswer) => answer],
  ['later', (answer: EdgeAnswer) => Promise.resolve(answer)],
])('an edge decision that is made %s', (_when, when) => {
  it('sends a page elsewhere, and nobody keeps that', async () => {
    const { edge } = aRoom(when);
    const { call } = await open({ edge, pagesFolder: await aBuild() });
    for (const method of ['GET', 'HEAD'] as const) {
      const { statusCode, headers, body } = await call({ method, url: '/events/e1?tab=seats', headers: html });
      expect([statusCode, body]).toEqual([302, '']);
      expect(headers).toMatchObject({
        location: '/vwr/e1?next=%2Fevents%2Fe1%3Ftab%3Dseats',
        'cache-control': 'no-store',
        'set-cookie': ['seen=1; Path=/', 'at=e1'],
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
    }
  });

  it('lets those who passed see the page, and no cache keeps it for others', async () => {
    const { edge } = aRoom(when);
    const { call } = await open({ edge, pagesFolder: await aBuild() });
    const passed = await call({ url: '/events/e1', headers: { ...html, cookie: 'pass=1' } });
    expect([passed.statusCode, passed.body, passed.headers['cache-control']]).toEqual([200, page, 'no-store']);
    const other = await call({ url: '/events/e2', headers: html });
    expect([other.statusCode, other.body, other.headers['cache-control']]).toEqual([200, page, 'no-cache']);
  });

  it('refuses a call of the API and says where to go', async () => {
    const { edge } = aRoom(when);
    const { call } = await open({ edge });
    const refused = await call({ url: '/api/v1/watched/e1', headers: html });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      403,
      { code: 'WAITING_ROOM_REQUIRED', redirectTo: '/vwr/e1?next=%2Fapi%2Fwatched%2Fe1' },
    ]);
    expect(refused.headers).toMatchObject({ 'cache-control': 'no-store', 'set-cookie': ['seen=1; Path=/', 'at=e1'] });
    for (const [url, headers] of [
      ['/api/watched/e1', { cookie: 'pass=1' }],
      ['/api/watched/e2', {}],
      ['/api/open', {}],
    ] as const)
      expect([url, (await call({ url, headers })).statusCode]).toEqual([url, 200]);
  });

  it('may refuse in words of its own', async () => {
    const problem = platformErrors.fault('MALFORMED_PATH');
    const edge: EdgeDecision = { failMode: 'open', decide: () => when({ status: 'refuse', problem }) };
    const { call } = await open({ edge, pagesFolder: await aBuild() });
    for (const url of ['/events/e1', '/api/open']) {
      const refused = await call({ url, headers: html });
      expect([url, refused.statusCode, refused.json().code]).toEqual([url, 400, 'MALFORMED_PATH']);
      expect(refused.headers['cache-control']).toBe('no-store');
    }
  });
});

describe('the edge decision', () => {
  it('is told the method, the path, the query and the headers, without what only the inside may say', async () => {
    const { edge, asked } = aRoom();
    const { app } = await open({ edge, pagesFolder: await aBuild() });
    const send = createSendRaw(await app.listen({ host: '127.0.0.1', port: 0 }));
    await send({ method: 'HEAD', path: '/a%20b/%65?x=1', headers: { ...html, 'X-User-Id': 'eve' } });
    await send({ path: '/api/v1/watched/e%32?x', headers: { 'X-Entry-Slots': 'e1=j' } });
    expect(asked).toMatchObject([
      { method: 'HEAD', path: '/a%20b/%65', query: '?x=1', eventId: null, headers: html },
      // The event as the route reads it, however it was written.
      { method: 'GET', path: '/api/watched/e%32', query: '?x', eventId: 'e2' },
    ]);
    for (const { headers } of asked) expect(Object.keys(headers).filter((name) => name.startsWith('x-'))).toEqual([]);
    // A path with two readings never gets there.
    for (const path of ['/events/../e1', '//events/e1', '/events%2fe1', '/events/e1#', '/api/watched/e1#/x', '*'])
      expect((await send({ path, headers: html })).status).toBe(400);
    expect(asked).toHaveLength(2);
  });

  it('stands before the file of the application, too, however it is named', async () => {
    const problem = platformErrors.fault('FORBIDDEN');
    const edge: EdgeDecision = { failMode: 'closed', decide: () => ({ status: 'refuse', problem }) };
    const { call } = await open({ edge, pagesFolder: await aBuild() });
    for (const url of ['/', '/index.html', '/index.html/', '/%69ndex.html'])
      for (const method of ['GET', 'HEAD'] as const)
        expect([url, (await call({ method, url, headers: html })).statusCode]).toEqual([url, 403]);
    // Nobody who asks for something else than a page gets it either.
    expect((await call({ url: '/index.html' })).statusCode).toBe(404);
  });

  it('is not asked for assets, documents, probes, preflights and addresses that do not exist', async () => {
    const problem = platformErrors.fault('FORBIDDEN');
    const edge: EdgeDecision = { failMode: 'closed', decide: () => ({ status: 'refuse', problem }) };
    const { app, call } = await open({ edge, pagesFolder: await aBuild(), corsOrigins: ['https://app.test'] });
    for (const url of ['/health', '/ready', '/metrics']) app.get(url, async () => ({}));
    registerDocs(app, { openapi: buildOpenApi({ title: 'urr', version: '1', modules: [] }), errors: [] });
    const open200 = ['/assets/index-4f2a.js', '/docs', '/docs/errors', '/docs/docs.css', '/docs/openapi.json'];
    for (const url of [...open200, '/health', '/ready', '/metrics'])
      expect([url, (await call({ url, headers: html })).statusCode]).toEqual([url, 200]);
    for (const url of ['/api/nowhere', '/assets/old.js', '/docs/nowhere'])
      expect([url, (await call({ url, headers: html })).statusCode]).toEqual([url, 404]);
    const headers = { origin: 'https://app.test', 'access-control-request-method': 'GET' };
    expect((await call({ method: 'OPTIONS', url: '/api/open', headers })).statusCode).toBe(204);
    for (const url of ['/', '/events/e1', '/api/open'])
      expect([url, (await call({ url, headers: html })).statusCode]).toEqual([url, 403]);
  });

  it.each(['//evil.test', '/\\evil.test', 'https://evil.test', 'vwr', '/a b', '/a\r\nx-b: c', ''])(
    'cannot send anybody to %j',
    async (location) => {
      const edge: EdgeDecision = { failMode: 'closed', decide: () => ({ status: 'redirect', location }) };
      const { call } = await open({ edge, pagesFolder: await aBuild() });
      const { statusCode, headers } = await call({ url: '/', headers: html });
      expect([statusCode, headers.location]).toEqual([503, undefined]);
    },
  );
});

describe('an edge decision that fails', () => {
  const failures: Record<string, EdgeDecision['decide']> = {
    throws: () => {
      throw new Error('no idea');
    },
    rejects: () => Promise.reject(new Error('no idea')),
    'never comes': () => new Promise(() => undefined),
    'comes too late, and fails then': () =>
      new Promise((_resolve, reject) => setTimeout(() => reject(new Error('late')), 300)),
  };

  it.each(Object.entries(failures))('%s: declared closed, nobody goes on', async (_name, decide) => {
    const { call } = await open({ edge: { decide, failMode: 'closed' }, pagesFolder: await aBuild() });
    const page = await call({ url: '/events/e1', headers: html });
    expect([page.statusCode, page.headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8']);
    expect(page.body).toMatch(/다시 시도해 주세요.*try again/s);
    expect(page.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
    const api = await call({ url: '/api/open' });
    expect([api.statusCode, api.json().code, api.headers['retry-after']]).toEqual([
      503,
      'WAITING_ROOM_UNAVAILABLE',
      '2',
    ]);
  });

  it.each(Object.entries(failures))('%s: declared open, everybody does', async (_name, decide) => {
    const { call } = await open({ edge: { decide, failMode: 'open' }, pagesFolder: await aBuild() });
    expect((await call({ url: '/events/e1', headers: html })).body).toBe(page);
    expect((await call({ url: '/api/open' })).statusCode).toBe(200);
  });

  it('says so once a second, with how often it was silent', async () => {
    const written: { msg: string }[] = [];
    const destination = { write: (line: string) => void written.push(JSON.parse(line)) };
    const logger = createLogger({ level: 'warn', destination });
    const edge: EdgeDecision = {
      failMode: 'open',
      decide: () => {
        throw new Error('no idea');
      },
    };
    const { call, clock } = await open({ edge, logger });
    for (let n = 0; n < 5; n++) await call({ url: '/api/open' });
    clock.ms += 1_000;
    await call({ url: '/api/open' });
    const msg = 'the edge decision failed';
    expect(written).toMatchObject([
      { msg, failMode: 'open', unlogged: 0, err: { message: 'no idea' } },
      { msg, failMode: 'open', unlogged: 4 },
    ]);
  });

  it('with an answer that nobody knows, after a wait for Redis, is a fault and not a silence', async () => {
    let waits = 0;
    const slowRedis: Redis = {
      kind: 'standalone',
      runScript: async () => {
        waits += 1;
        return [1, '5'];
      },
      command: async () => null,
      connection: () => '',
      reconnect: () => {},
      ping: async () => {},
      close: async () => {},
    };
    const decide = () => ({ status: 'nonsense' }) as never;
    const { app, call } = await open({ edge: { decide, failMode: 'closed' }, redis: slowRedis });
    // Every guess is counted in Redis, so this waits; other classes have a share of their own first.
    const guess = { ...guardedRoutes.watched, path: '/api/guessed/:eventId', rate: 'login' } as const;
    registerRoutes(app, { guess }, { guess: guardedHandlers.watched });
    expect((await call({ url: '/api/guessed/e1' })).statusCode).toBe(500);
    expect(waits).toBe(1);
  });
});
