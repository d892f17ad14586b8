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

describe('a stranger with ten addresses', () => {
  /** Ten addresses, five free failures each: the account's own limit is reached, and again whenever its wait is over. */
  async function lockOut(email: string, block: number) {
    await failThroughWaits(email, 50, (attempt) => `10.${block}.0.${attempt % 10}`);
  }
  const deviceOf = (response: Awaited<ReturnType<typeof login>>) =>
    response.cookies.filter(({ name, maxAge }) => name.startsWith('urr-device-') && maxAge !== 0);
  const asHeader = (cookies: readonly { name: string; value: string }[]) =>
    Object.fromEntries(cookies.map(({ name, value }) => [name, value]));

  /** Somebody who has signed in with a browser once, and that browser's cookies for signing in. */
  async function anOwner(email: string) {
    await signedIn(email);
    const first = await login(email, password, home);
    return { email, cookies: asHeader(deviceOf(first)), first };
  }
  const loginWith = (cookies: Record<string, string>, email: string, given: string, ip: string) =>
    call('POST', '/api/auth/login', { body: { email, password: given }, ip, cookies });

  it('does not keep the owner’s own browser out, wherever it is, however often they do it', async () => {
    const { email, cookies } = await anOwner('traveller@example.com');
    for (const round of [1, 2, 3]) {
      await lockOut(email, round);
      const elsewhere = `198.18.0.${round}`;
      expect((await login(email, password, elsewhere)).statusCode).toBe(429);
      expect((await loginWith(cookies, email, password, elsewhere)).statusCode).toBe(200);
      await time.advance(900_000);
    }
  });

  it('does not keep the owner out from the network that both of them share', async () => {
    const { email, cookies } = await anOwner('cafe@example.com');
    await fail(email, 5, '198.18.1.1');
    expect((await login(email, password, '198.18.1.1')).statusCode).toBe(429);
    expect((await loginWith(cookies, email, password, '198.18.1.1')).statusCode).toBe(200);
  });

  it('gets no further with a browser that signed in to another account', async () => {
    const { email } = await anOwner('target@example.com');
    const attacker = await anOwner('attacker@example.com');
    await lockOut(email, 4);
    const [own = ''] = Object.values(attacker.cookies);
    const [targetName = ''] = Object.keys((await anOwner('target@example.com')).cookies);
    for (const cookies of [attacker.cookies, { [targetName]: own }, { [targetName]: 'made.up.token' }])
      expect((await loginWith(cookies, email, password, '198.18.2.1')).statusCode).toBe(429);
  });

  it('tests no more with a stolen cookie than its own limit and that of strangers allow', async () => {
    const { email, cookies } = await anOwner('stolen@example.com');
    const before = hashed.count;
    let refused = 0;
    for (let attempt = 0; attempt < 100; attempt++) {
      const { statusCode } = await loginWith(cookies, email, 'wrong password', `198.18.3.${attempt}`);
      if (statusCode === 429) refused += 1;
    }
    // Five by the cookie, then fifty as any stranger over all addresses.
    expect([hashed.count - before, refused]).toEqual([55, 45]);
    // The owner's browser got another cookie with its next sign-in, from a known place; what the thief does is not held against it.
    const renewed = asHeader(deviceOf(await login(email, password, home)));
    expect((await loginWith(renewed, email, password, '198.18.3.200')).statusCode).toBe(200);
  });

  it('finds a cookie that no script reads, for signing in only, and that ends', async () => {
    const { email, first, cookies } = await anOwner('keeper@example.com');
    const [device] = deviceOf(first);
    expect(device).toMatchObject({ path: '/api/auth/login', httpOnly: true, sameSite: 'Strict', secure: true });
    expect(device?.maxAge).toBe(90 * 24 * 3_600);
    expect(deviceOf(await login(email, 'wrong password', home))).toEqual([]);
    await time.advance(90 * 24 * 3_600_000 + 1_000);
    await lockOut(email, 5);
    expect((await loginWith(cookies, email, password, '198.18.4.1')).statusCode).toBe(429);
  });

  it('cannot make a browser’s cookies pile up: the newest few accounts are kept', async () => {
    let kept: Record<string, string> = {};
    for (let account = 0; account < 7; account++) {
      const email = `household${account}@example.com`;
      await signedIn(email);
      const answer = await loginWith(kept, email, password, home);
      const erased = answer.cookies.filter(({ maxAge }) => maxAge === 0).map(({ name }) => name);
      kept = Object.fromEntries(
        Object.entries({ ...kept, ...asHeader(deviceOf(answer)) }).filter(([name]) => !erased.includes(name)),
      );
      expect(Object.keys(kept).length).toBe(Math.min(account + 1, 4));
    }
  });

  it('cannot make an answer grow: so many cookies are erased at most, and each once', async () => {
    const email = 'collector@example.com';
    await signedIn(email);
    const many = Array.from({ length: 100 }, (_, n) => `urr-device-${n.toString(16).padStart(16, '0')}=x`);
    const cookieHeader = ['urr-device-0=x', ...many.slice(0, 1), ...many].join('; ');
    const answer = await call('POST', '/api/auth/login', { body: { email, password }, ip: home, cookieHeader });
    const erased = answer.cookies.filter(({ maxAge }) => maxAge === 0).map(({ name }) => name);
    expect(erased).toEqual(['urr-device-0', ...many.slice(0, 15).map((cookie) => cookie.slice(0, -2))]);
  });

  it('cannot hide the owner’s cookie behind bad ones of its name', async () => {
    const { email, cookies } = await anOwner('planted@example.com');
    await lockOut(email, 6);
    const [[name, good] = []] = Object.entries(cookies);
    const sent = (bad: number) => [...Array(bad).fill(`${name}=made.up.token`), `${name}=${good}`].join('; ');
    const withBad = async (bad: number) => {
      const answer = await call('POST', '/api/auth/login', {
        body: { email, password },
        ip: '198.18.6.1',
        cookieHeader: sent(bad),
      });
      return answer.statusCode;
    };
    // Trying each costs a signature.
    expect([await withBad(4), await withBad(3)]).toEqual([429, 200]);
  });
});
