import { afterEach, describe, expect, it } from 'vitest';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import type { EdgeDecision } from './contract.ts';
import { createRateLimiters } from './rate-limiter.ts';
import { aClock, aGateway, amplePerMinute, ratesPerMinute, type TestGateway } from './test/a-gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.app.close());

async function aGatewayWith(counts: Partial<typeof amplePerMinute>, trustedProxies: readonly string[] = []) {
  gateway = await aGateway({ rateLimits: ratesPerMinute({ ...amplePerMinute, ...counts }), trustedProxies });
  return gateway;
}
const read = (options: { remoteAddress?: string; headers?: Record<string, string> } = {}) =>
  gateway.call({ url: '/api/open', ...options });

describe('rate limits', () => {
  it('tell the budget with every answer and refuse when it is spent', async () => {
    const { clock } = await aGatewayWith({ read: 3 });
    const first = await read();
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '2',
      'ratelimit-reset': '20',
    });
    await read();
    await read();
    const refused = await read();
    expect([refused.statusCode, refused.json().code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers).toMatchObject({ 'retry-after': '20', 'ratelimit-remaining': '0' });
    clock.ms += 20_000;
    expect((await read()).statusCode).toBe(200);
    expect((await read()).statusCode).toBe(429);
  });

  it('count each class by itself', async () => {
    await aGatewayWith({ read: 1 });
    await read();
    expect((await read()).statusCode).toBe(429);
    expect((await gateway.call({ url: '/api/watched/e1' })).statusCode).toBe(200);
  });

  it('count a signed-in user apart from the address, and wherever they come from', async () => {
    await aGatewayWith({ read: 1 });
    const ann = { headers: { authorization: `Bearer ${gateway.token('ann')}` } };
    await read();
    expect((await read(ann)).statusCode).toBe(200);
    expect((await read({ ...ann, remoteAddress: '203.0.113.9' })).statusCode).toBe(429);
    const bob = { headers: { authorization: `Bearer ${gateway.token('bob')}` } };
    expect((await read(bob)).statusCode).toBe(200);
  });

  it('count who is not signed in by the pass that is shown, and a pass that is handed around once', async () => {
    const edge: EdgeDecision = {
      failMode: 'open',
      decide: () => ({ status: 'continue' }),
      passOf: ({ cookie }) => /pass=(\w+)/.exec(cookie ?? '')?.[1] ?? null,
    };
    gateway = await aGateway({ edge, rateLimits: ratesPerMinute({ ...amplePerMinute, read: 1, login: 1 }) });
    const shows = (pass: string) => ({ headers: { cookie: `pass=${pass}` } });
    expect((await read()).statusCode).toBe(200);
    expect((await read(shows('one'))).statusCode).toBe(200);
    expect((await read({ ...shows('one'), remoteAddress: '203.0.113.9' })).statusCode).toBe(429);
    expect((await read(shows('two'))).statusCode).toBe(200);
    expect((await read()).statusCode).toBe(429);
    // Guesses count the address all the same.
    const sameSite = { 'sec-fetch-site': 'same-origin' };
    const signIn = (pass: string) =>
      gateway.call({ method: 'POST', url: '/api/sign-in', headers: { ...shows(pass).headers, ...sameSite } });
    expect([(await signIn('one')).statusCode, (await signIn('two')).statusCode]).toEqual([200, 429]);
  });

  const signedIn = (userId: string) => ({ authorization: `Bearer ${gateway.token(userId)}` });
  const guess = async (userId: string | null, remoteAddress = '203.0.113.7') => {
    const headers = userId === null ? {} : signedIn(userId);
    return gateway.call({ method: 'POST', url: '/api/sign-in', remoteAddress, headers });
  };

  it.each([
    ['login', '/api/sign-in'],
    ['assign', '/api/assign'],
  ] as const)('of the class %s count the address, no matter whose good token is sent along', async (rate, url) => {
    await aGatewayWith({ [rate]: 3 });
    const statuses: number[] = [];
    for (const userId of ['ann', 'bob', 'cem', 'dee', 'eva']) {
      const answer = await gateway.call({ method: 'POST', url, headers: signedIn(userId) });
      if (answer.statusCode === 200) expect(answer.json().userId).toBe(userId);
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect((await gateway.call({ method: 'POST', url })).statusCode).toBe(429);
    expect((await gateway.call({ method: 'POST', url, remoteAddress: '203.0.113.9' })).statusCode).toBe(200);
  });

  it('of sign-ins still count the user wherever they come from, and tell the smaller of the two budgets', async () => {
    await aGatewayWith({ login: 2 });
    await guess('ann', '203.0.113.1');
    const second = await guess('ann', '203.0.113.2');
    expect([second.statusCode, second.headers['ratelimit-remaining']]).toEqual([200, '0']);
    expect((await guess('ann', '203.0.113.3')).statusCode).toBe(429);
  });

  it('of sign-ins take nothing from an address for what a user is refused, nor the other way round', async () => {
    await aGatewayWith({ login: 2 });
    await guess('ann', '203.0.113.1');
    await guess('ann', '203.0.113.1');
    // Refused as a user: the address of the other people there loses nothing.
    for (let times = 0; times < 5; times++) expect((await guess('ann', '203.0.113.2')).statusCode).toBe(429);
    expect((await guess(null, '203.0.113.2')).statusCode).toBe(200);
    expect((await guess(null, '203.0.113.2')).statusCode).toBe(200);
    // Refused by the address: the user loses nothing elsewhere.
    for (let times = 0; times < 5; times++) expect((await guess('bob', '203.0.113.2')).statusCode).toBe(429);
    expect((await guess('bob', '203.0.113.3')).statusCode).toBe(200);
    expect((await guess('bob', '203.0.113.3')).statusCode).toBe(200);
    expect((await guess('bob', '203.0.113.4')).statusCode).toBe(429);
  });

  it('count an IPv6 network of 64 bits as one', async () => {
    await aGatewayWith({ read: 1 });
    await read({ remoteAddress: '2001:db8:1:2::1' });
    expect((await read({ remoteAddress: '2001:db8:1:2:ffff::2' })).statusCode).toBe(429);
    expect((await read({ remoteAddress: '2001:db8:1:3::1' })).statusCode).toBe(200);
  });

  it('do not believe X-Forwarded-For, unless a trusted proxy says it', async () => {
    await aGatewayWith({ read: 1 });
    await read({ headers: { 'x-forwarded-for': '198.51.100.1' } });
    expect((await read({ headers: { 'x-forwarded-for': '198.51.100.2' } })).statusCode).toBe(429);
    await gateway.app.close();
    await aGatewayWith({ read: 1 }, ['127.0.0.1']);
    await read({ headers: { 'x-forwarded-for': '198.51.100.1' } });
    expect((await read({ headers: { 'x-forwarded-for': '198.51.100.2' } })).statusCode).toBe(200);
    expect((await read({ headers: { 'x-forwarded-for': '198.51.100.2' } })).statusCode).toBe(429);
  });

  it('gives nothing back for a clock that was set forward, and keeps nothing back for one that was set back', () => {
    const time = { now: Date.parse('2027-03-01T11:00:00Z'), passedMs: 0 };
    const clock = { now: () => time.now, monotonicMs: () => time.passedMs };
    const limits = ratesPerMinute({ ...amplePerMinute, write: 1 });
    const { take } = createRateLimiters({ limits, clock, logger: silentLogger, redis: null }).of('write');
    expect(take('a')).toMatchObject({ allowed: true });
    time.now += 3_600_000;
    expect(take('a')).toMatchObject({ allowed: false });
    time.now -= 7_200_000;
    time.passedMs += 60_000;
    expect(take('a')).toMatchObject({ allowed: true });
  });

  it('refuse nobody for what another has spent, when Redis fails many at once', async () => {
    const away: Redis = {
      kind: 'standalone',
      runScript: () => Promise.reject(new Error('away')),
      command: () => Promise.reject(new Error('away')),
      connection: () => '',
      reconnect: () => {},
      ping: () => Promise.reject(new Error('away')),
      close: async () => {},
    };
    const limits = ratesPerMinute({ ...amplePerMinute, write: 2 });
    const { take } = createRateLimiters({ limits, clock: aClock(), logger: silentLogger, redis: away }).of('write');
    // All are on their way to Redis before the first of them learns that it is away.
    const verdicts = await Promise.all(['a', 'a', 'a', 'b'].map((key) => take(key)));
    expect(verdicts.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
      [true, 1],
    ]);
  });

  it('come after the token check: a call that needs a user and has none spends nothing', async () => {
    await aGatewayWith({ read: 1 });
    for (let i = 0; i < 5; i++) expect((await gateway.call({ url: '/api/mine' })).statusCode).toBe(401);
    expect((await read()).statusCode).toBe(200);
  });
});
