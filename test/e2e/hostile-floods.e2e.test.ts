import { describe, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { keptHeapBytes } from '#test/kit/heap.ts';
import { createQueueCaller } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';
import { createSendRaw, type RawAnswer } from '#test/kit/raw-http.ts';
import { aStage, jsonCall, refusalOf, stagePassword } from '#test/kit/stage.ts';

const attempts = 10_000;
const atOnce = 200;
const heapGrowthMaxBytes = 50 * 1024 * 1024;

/** The test is the proxy in front, so that it can be many addresses. */
const proxied = { URR_TRUSTED_PROXIES: '127.0.0.1' };
const from = (address: string) => ({ 'x-forwarded-for': address });

describe('ten thousand sign-ins', async () => {
  // So few that ten thousand are too many on any machine: it would take them seven minutes to be let through.
  const { url, users } = await aStage('together', { ...proxied, URR_RATE_LOGIN_PER_MINUTE: '1200' });
  const flood = createSendRaw(url, { connectionsMax: atOnce });
  const calm = createSendRaw(url, { connectionsMax: 4 });
  const login = (options: { email: string; password: string; address: string }) => {
    const { email, password, address } = options;
    return jsonCall({ path: '/api/auth/login', body: { email, password }, headers: from(address) });
  };

  test('from one address are refused in words, and others notice nothing', async () => {
    const heapBefore = keptHeapBytes();
    const seen = new Map<string, number>();
    let sent = 0;
    async function attack(): Promise<void> {
      while (sent < attempts) {
        sent += 1;
        const email = sent % 3 === 0 ? users.buyer.email : `guess${sent}@stage.test`;
        const answer = await flood(login({ email, password: `wrong ${sent}`, address: '203.0.113.7' }));
        const refusal = refusalOf(answer);
        seen.set(refusal, (seen.get(refusal) ?? 0) + 1);
        if (answer.status !== 401) expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      }
    }
    const attackers = Promise.all(Array.from({ length: atOnce }, attack));
    let over = false;
    const end = attackers.finally(() => {
      over = true;
    });
    const bystanders: number[] = [];
    while (!over) bystanders.push((await calm({ path: '/api/events', headers: from('198.51.100.9') })).status);
    await end;

    const known = ['401 INVALID_CREDENTIALS', '429 RATE_LIMITED', '429 TOO_MANY_ATTEMPTS', '503 SIGN_IN_BUSY'];
    expect([...seen.keys()].filter((refusal) => !known.includes(refusal))).toEqual([]);
    expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(attempts);
    expect(seen.get('429 RATE_LIMITED')).toBeGreaterThan(0);
    expect(bystanders.length).toBeGreaterThan(0);
    expect(bystanders.filter((status) => status !== 200)).toEqual([]);
    expect(keptHeapBytes() - heapBefore).toBeLessThan(heapGrowthMaxBytes);
  });

  /** A busy machine is still at passwords that came before, and says when to come again. */
  async function signIn(email: string, address: string): Promise<string> {
    const once = async () => {
      const refusal = refusalOf(await calm(login({ email, password: stagePassword, address })));
      return refusal === '503 SIGN_IN_BUSY' ? false : refusal;
    };
    return eventually(once, { withinMs: 120_000, what: 'room for a sign-in' });
  }

  test('leave the door open for the person who was attacked, from where they are', async () => {
    expect(await signIn(users.buyer.email, '198.51.100.10')).toBe('200');
  });

  test('leave the door open for somebody else, and shut for the attacker', async () => {
    expect(await signIn(users.seller.email, '198.51.100.11')).toBe('200');
    // How many of the ten thousand were looked at depends on the machine: the attacker goes on until told to wait.
    const guess = login({ email: users.buyer.email, password: 'wrong', address: '203.0.113.7' });
    const shut = async () => refusalOf(await calm(guess)) === '429 TOO_MANY_ATTEMPTS';
    await eventually(shut, { withinMs: 60_000, what: 'the door to be shut for the attacker' });
    const attacker = await calm(login({ email: users.buyer.email, password: stagePassword, address: '203.0.113.7' }));
    expect(refusalOf(attacker)).toMatch(/^429 /);
  });
});

describe('a rate limit', async () => {
  const { send, users } = await aStage('together', {
    ...proxied,
    URR_RATE_READ_PER_MINUTE: '60',
    URR_RATE_WRITE_PER_MINUTE: '20',
    URR_RATE_LOGIN_PER_MINUTE: '10',
  });
  const read = (headers: Record<string, string>) => send({ path: '/api/events', headers });
  async function readUntilRefused(headers: Record<string, string>, triesMax = 600): Promise<RawAnswer> {
    for (let tries = 0; tries < triesMax; tries++) {
      const answer = await read(headers);
      if (answer.status !== 200) return answer;
    }
    throw new Error(`${triesMax} reads were all allowed`);
  }
  /**
   * For anyone who has nothing left. One more may flow in each second, so that on a slow machine some are allowed; but anyone who
   * had escaped would have sixty.
   */
  const readWithNothingLeft = async (headers: Record<string, string>) => refusalOf(await readUntilRefused(headers, 20));

  test('says what is left, and when to come back', async () => {
    const first = await read(from('192.0.2.1'));
    expect(first.headers).toMatchObject({ 'ratelimit-limit': '60', 'ratelimit-remaining': '59' });
    expect(Number(first.headers['ratelimit-reset'])).toBeGreaterThanOrEqual(1);
    const refused = await readUntilRefused(from('192.0.2.1'));
    expect(refusalOf(refused)).toBe('429 RATE_LIMITED');
    expect(refused.headers).toMatchObject({ 'ratelimit-remaining': '0', 'retry-after': '1' });
  });

  test('is not escaped by headers, other addresses of one household, or a bad token', async () => {
    await readUntilRefused(from('192.0.2.2'));
    const disguises: Record<string, string>[] = [
      { ...from('192.0.2.2'), 'x-real-ip': '192.0.2.99' },
      { ...from('192.0.2.2'), forwarded: 'for=192.0.2.99' },
      { ...from('192.0.2.2'), 'x-client-address': '192.0.2.99' },
      from('192.0.2.99, 192.0.2.2'),
      from('::ffff:192.0.2.2'),
      { ...from('192.0.2.2'), 'x-user-id': users.buyer.id },
      { ...from('192.0.2.2'), authorization: 'Bearer nonsense' },
    ];
    for (const headers of disguises) {
      expect([headers, await readWithNothingLeft(headers)]).toEqual([headers, '429 RATE_LIMITED']);
    }
    await readUntilRefused(from('2001:db8:1:2::1'));
    expect(await readWithNothingLeft(from('2001:db8:1:2:ffff::9'))).toBe('429 RATE_LIMITED');
    expect((await read(from('2001:db8:1:3::1'))).status).toBe(200);
  });

  test('counts a user wherever they are, and nobody else with them', async () => {
    const token = { authorization: `Bearer ${users.buyer.accessToken}` };
    await readUntilRefused({ ...token, ...from('192.0.2.3') });
    expect(await readWithNothingLeft({ ...token, ...from('192.0.2.4') })).toBe('429 RATE_LIMITED');
    expect((await read(from('192.0.2.3'))).status).toBe(200);
  });

  test('of sign-ins leaves reading alone', async () => {
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 60) {
      const body = { email: `nobody${statuses.length}@stage.test`, password: 'wrong' };
      statuses.push((await send(jsonCall({ path: '/api/auth/login', body, headers: from('192.0.2.5') }))).status);
    }
    expect([statuses.slice(0, 10), statuses.at(-1)]).toEqual([Array(10).fill(401), 429]);
    expect((await read(from('192.0.2.5'))).status).toBe(200);
  });

  test('of sign-ins is one for an address, no matter whose good token is sent along', async () => {
    const tokens = [users.buyer, users.seller, users.admin, users.operator].map(({ accessToken }) => accessToken);
    // Each account has ten of its own, and the four of them nine each here. All at once: one more flows in every six seconds.
    const guesses = Array.from({ length: 36 }, async (_, n) => {
      const headers = { ...from('192.0.2.6'), authorization: `Bearer ${tokens[n % tokens.length]}` };
      const body = { email: `nobody${n}@stage.test`, password: 'wrong' };
      return refusalOf(await send(jsonCall({ path: '/api/auth/login', body, headers })));
    });
    const seen = new Set(await Promise.all(guesses));
    expect([...seen]).toContain('429 RATE_LIMITED');
    // A busy machine checks fewer passwords at once than were let through, and says so.
    expect(
      [...seen].filter((refusal) => !/^(401 INVALID_CREDENTIALS|429 RATE_LIMITED|503 SIGN_IN_BUSY)$/.test(refusal)),
    ).toEqual([]);
  });
});

describe('people who wait behind one address', async () => {
  const { url, send } = await aStage('together', { URR_RATE_POLL_PER_MINUTE: '5', URR_QUEUE_THRESHOLD: '1' });
  const eventId = await aShowOnSale(url);
  const caller = createQueueCaller(eventId, () => url);

  test('poll by their tickets without using up each other’s calls, though nobody is signed in any more', async () => {
    const people = Array.from({ length: 12 }, () => aSignedIn());
    const tickets: string[] = [];
    for (const who of people) tickets.push((await caller.check(who)).answer?.ticket ?? '');
    for (let times = 0; times < 3; times++) {
      const polls = await Promise.all(people.map((who, n) => caller.status(who, tickets[n] ?? '')));
      expect(polls.map(({ http }) => http)).toEqual(people.map(() => 200));
    }
  });

  test('without a ticket that is good they are one caller', async () => {
    const made = { 'x-queue-ticket': 'uqw2.made.up' };
    const statuses = new Set<number>();
    for (let n = 0; n < 100 && !statuses.has(429); n++)
      statuses.add((await send({ path: `/api/queue/status/${eventId}`, headers: made })).status);
    expect([...statuses]).toEqual([403, 429]);
  });
});
