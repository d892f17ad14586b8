import { describe, expect, it } from 'vitest';
import { anAuthServer, password } from '../testing/an-auth-server.ts';

const { call, signedIn, hashed, time } = await anAuthServer();
const home = '192.0.2.1';

function login(email: string, given: string, ip: string) {
  return call('POST', '/api/auth/login', { body: { email, password: given }, ip });
}

async function fail(email: string, times: number, ip: string) {
  for (let failed = 0; failed < times; failed++)
    expect((await login(email, 'wrong password', ip)).statusCode).toBe(401);
}

/** Keeps failing through every wait, as a patient guesser would. */
async function failThroughWaits(email: string, times: number, ipOf: (attempt: number) => string) {
  for (let failed = 0; failed < times; ) {
    const response = await login(email, 'wrong password', ipOf(failed));
    if (response.statusCode === 401) failed += 1;
    else await time.advance(Number(response.headers['retry-after']) * 1000);
  }
}

describe('after five wrong passwords', () => {
  it('known and unknown accounts get the same refusal, without a hash, and the right password too', async () => {
    await signedIn('known@example.com');
    const refusals = [];
    for (const email of ['known@example.com', 'unknown@example.com']) {
      await fail(email, 5, '198.51.100.7');
      const before = hashed.count;
      const response = await login(email, password, '198.51.100.7');
      const { requestId, ...problem } = response.json();
      expect(requestId).toBeTypeOf('string');
      refusals.push({
        problem,
        status: response.statusCode,
        retryAfter: response.headers['retry-after'],
        hashes: hashed.count - before,
      });
    }
    expect(refusals[0]).toEqual(refusals[1]);
    expect(refusals[0]).toMatchObject({
      status: 429,
      retryAfter: '5',
      hashes: 0,
      problem: { code: 'TOO_MANY_ATTEMPTS' },
    });
  });

  it('the wait doubles with each failure, never beyond 15 minutes, and the right password then works', async () => {
    await signedIn('waiting@example.com');
    const waits: number[] = [];
    for (let failed = 0; failed < 16; failed++) {
      await fail('waiting@example.com', failed === 0 ? 5 : 1, '198.51.100.8');
      const wait = Number((await login('waiting@example.com', password, '198.51.100.8')).headers['retry-after']);
      waits.push(wait);
      await time.advance(wait * 1000);
    }
    expect(waits.slice(0, 9)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900]);
    expect(Math.max(...waits)).toBe(900);
    expect((await login('waiting@example.com', password, '198.51.100.8')).statusCode).toBe(200);
    // And all is forgiven.
    await fail('waiting@example.com', 4, '198.51.100.8');
    expect((await login('waiting@example.com', password, '198.51.100.8')).statusCode).toBe(200);
  });

  it('the same account from elsewhere is not held up, and IPv6 counts by /64', async () => {
    await signedIn('elsewhere@example.com');
    await fail('elsewhere@example.com', 5, '2001:db8:0:1::1');
    expect((await login('elsewhere@example.com', password, '2001:db8:0:1:ffff::2')).statusCode).toBe(429);
    expect((await login('elsewhere@example.com', password, '2001:db8:0:2::1')).statusCode).toBe(200);
  });

  it('failures are forgotten after a quiet day', async () => {
    await fail('quiet@example.com', 5, '198.51.100.9');
    await time.advance(24 * 60 * 60_000 + 1);
    await fail('quiet@example.com', 4, '198.51.100.9');
  });
});

describe('many at once', () => {
  it('a burst of guesses tests no more passwords than may be under way', async () => {
    const before = hashed.count;
    const responses = await Promise.all(
      Array.from({ length: 150 }, () => login('burst@example.com', 'wrong password', '198.51.100.10')),
    );
    expect(hashed.count - before).toBeLessThanOrEqual(32);
    expect(responses.every(({ statusCode }) => statusCode === 401 || statusCode === 429)).toBe(true);
    expect((await login('burst@example.com', 'wrong password', '198.51.100.10')).statusCode).toBe(429);
  });

  it('the right password twenty times at once works twenty times', async () => {
    await signedIn('eager@example.com');
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => login('eager@example.com', password, '198.51.100.11')),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
  });
});

describe('a guesser with many addresses', () => {
  it('is stopped by the limit of the account, but the owner still signs in from a known address', async () => {
    const email = 'victim@example.com';
    await signedIn(email);
    expect((await login(email, password, home)).statusCode).toBe(200);
    await failThroughWaits(email, 60, (attempt) => `203.0.113.${attempt}`);

    const stranger = await login(email, password, '203.0.113.250');
    expect(stranger.statusCode).toBe(429);
    expect(Number(stranger.headers['retry-after'])).toBeLessThanOrEqual(900);
    expect((await login(email, password, home)).statusCode).toBe(200);
    await time.advance(900_000);
    expect((await login(email, password, '203.0.113.251')).statusCode).toBe(200);
  });
});
