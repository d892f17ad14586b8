import { afterEach, describe, expect, it } from 'vitest';
import { registerRoutes } from '#platform/http/routes.ts';
import type { Redis } from '#platform/redis/port.ts';
import { aGateway, guardedHandlers, guardedRoutes, type TestGateway } from './test/a-gateway.ts';

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.app.close();
  gateway = undefined;
});
async function open(...changes: Parameters<typeof aGateway>): Promise<TestGateway> {
  gateway = await aGateway(...changes);
  return gateway;
}

describe('an entry token', () => {
  async function ann() {
    const { call, token, entryTokens, clock } = await open({ deniedEntries: { has: (jti) => jti === 'revoked' } });
    const authorization = `Bearer ${token('ann')}`;
    const entry = (eventId: string, changes: { uid?: string; jti?: string } = {}) =>
      entryTokens.sign({ sub: eventId, uid: 'ann', jti: 'j1', ...changes }).token;
    const seats = (headers: Record<string, string>) =>
      call({ url: '/api/seats/e1', headers: { authorization, ...headers } });
    return { call, authorization, entry, seats, clock, token };
  }

  it('opens the routes of its event, from header or cookie', async () => {
    const { seats, entry } = await ann();
    expect((await seats({ 'x-queue-entry-token': entry('e1') })).json()).toEqual({ userId: 'ann', entry: ['e1'] });
    const cookies = `urr-entry-token-e0=${entry('e0')}; urr-entry-token-e1=${entry('e1')}`;
    expect((await seats({ cookie: cookies })).json()).toEqual({ userId: 'ann', entry: ['e0', 'e1'] });
  });

  it('is asked for, with the way to get one', async () => {
    const { seats } = await ann();
    const refused = await seats({});
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED', redirectTo: '/queue/e1' });
  });

  it('of another event, user, kind, or time does not open anything', async () => {
    const { seats, entry, clock, token } = await ann();
    const early = entry('e1');
    const refused = {
      'another event': entry('e2'),
      'another user': entry('e1', { uid: 'eve' }),
      revoked: entry('e1', { jti: 'revoked' }),
      'an access token': token('ann'),
      rubbish: 'x.y.z',
    };
    for (const [name, value] of Object.entries(refused)) {
      expect([name, (await seats({ 'x-queue-entry-token': value })).statusCode]).toEqual([name, 403]);
    }
    clock.ms += 600_000;
    expect((await seats({ 'x-queue-entry-token': early })).statusCode).toBe(403);
  });

  it('in the header wins over the cookies', async () => {
    const { seats, entry } = await ann();
    const refused = await seats({ 'x-queue-entry-token': 'rubbish', cookie: `urr-entry-token-e1=${entry('e1')}` });
    expect(refused.statusCode).toBe(403);
  });

  it('is checked against the event named in the body', async () => {
    const { call, authorization, entry } = await ann();
    const hold = (eventId: string) =>
      call({
        method: 'POST',
        url: '/api/holds',
        payload: { eventId },
        headers: { authorization, 'x-queue-entry-token': entry('e1') },
      });
    expect((await hold('e1')).statusCode).toBe(200);
    expect((await hold('e2')).json()).toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED', redirectTo: '/queue/e2' });
  });

  it('of any event is needed where only the module knows which, and is handed on', async () => {
    const { call, authorization, entry } = await ann();
    const confirm = (headers: Record<string, string>) =>
      call({ method: 'POST', url: '/api/orders/o1/confirm', headers: { authorization, ...headers } });
    expect((await confirm({})).json()).toMatchObject({ code: 'ENTRY_TOKEN_REQUIRED' });
    expect((await confirm({ 'x-queue-entry-token': entry('e7') })).json()).toEqual({ userId: 'ann', entry: ['e7'] });
  });

  it('is no replacement for signing in', async () => {
    const { call, entry } = await ann();
    expect((await call({ url: '/api/seats/e1', headers: { 'x-queue-entry-token': entry('e1') } })).statusCode).toBe(
      401,
    );
  });
});

describe('the edge decision', () => {
  it('lets everybody pass while no room is known', async () => {
    const { call } = await open();
    expect((await call({ url: '/api/watched/e1' })).statusCode).toBe(200);
  });

  it.each([
    ['at once', <T>(value: T) => value],
    ['later', <T>(value: T) => Promise.resolve(value)],
  ])('sends those who have not passed to the waiting room, decided %s', async (_when, answer) => {
    const { call } = await open({
      edge: {
        decide: ({ eventId, headers }) =>
          answer(
            headers.cookie === 'passed=1' || headers['x-pass'] === '1'
              ? { pass: true }
              : { pass: false, redirectTo: `/vwr/${eventId}` },
          ),
      },
    });
    const refused = await call({ url: '/api/watched/e1' });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      403,
      { code: 'WAITING_ROOM_REQUIRED', redirectTo: '/vwr/e1' },
    ]);
    expect((await call({ url: '/api/watched/e1', headers: { cookie: 'passed=1' } })).statusCode).toBe(200);
    expect((await call({ url: '/api/watched/e1', headers: { 'x-pass': '1' } })).statusCode).toBe(200);
  });

  it('that fails is a fault of ours, not an open door', async () => {
    const { call } = await open({ edge: { decide: () => Promise.reject(new Error('no idea')) } });
    expect((await call({ url: '/api/watched/e1' })).statusCode).toBe(500);
  });

  it('that breaks after a wait for Redis is answered, and does not end the process', async () => {
    const slowRedis: Redis = {
      kind: 'standalone',
      runScript: async () => [1, 5, 0, 10],
      command: async () => null,
      connection: () => '',
      reconnect: () => {},
      ping: async () => {},
      close: async () => {},
    };
    const decide = () => {
      throw new Error('no idea');
    };
    const gateway = await open({ edge: { decide }, redis: slowRedis, routes: {} });
    const check = { ...guardedRoutes.watched, rate: 'check' } as const;
    registerRoutes(gateway.app, { check }, { check: guardedHandlers.watched });
    expect((await gateway.call({ url: '/api/watched/e1' })).statusCode).toBe(500);
  });
});
