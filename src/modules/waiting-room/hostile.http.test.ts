import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { createMemoryCounters } from './counters/memory.ts';
import { aWaitingRoom } from './testing/a-waiting-room.ts';

type Room = Awaited<ReturnType<typeof aWaitingRoom>>;

interface Challenge {
  readonly parameters: {
    readonly nonce: string;
    readonly salt: string;
    readonly cost: number;
    readonly keyLength: number;
    readonly keyPrefix: string;
    readonly data: { readonly eventId: string };
  };
  readonly signature: string;
}

/** As the page does it. */
function solve(challenge: Challenge) {
  const { nonce, salt, cost, keyPrefix } = challenge.parameters;
  for (let counter = 0; ; counter++) {
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(counter);
    let key: Buffer = Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(nonce, 'hex'), counted]);
    for (let round = 0; round < cost; round++) key = createHash('sha256').update(key).digest();
    const derivedKey = key.toString('hex');
    if (derivedKey.startsWith(keyPrefix)) return { challenge, solution: { counter, derivedKey } };
  }
}

describe('a room that asks for work before a number', async () => {
  const room = await aWaitingRoom();
  const { call, act } = room;
  const challengeOf = async (eventId: string): Promise<Challenge> =>
    (await call('GET', `/vwr/challenge/${eventId}`)).json();
  const take = async (eventId: string, proof: unknown, as = room.browser()) => {
    const answer = (await call('POST', `/vwr/assign/${eventId}`, { as, body: { proof } })).json();
    return answer.code ?? answer.position;
  };
  const guarded = async () => {
    const eventId = await room.aRoom();
    expect((await act('schedule', eventId, { proofDigits: 2 })).json()).toMatchObject({ proofDigits: 2 });
    return eventId;
  };

  test('gives none without, and one to whoever did it', async () => {
    const eventId = await guarded();
    const one = room.browser();
    expect((await call('POST', `/vwr/assign/${eventId}`, { as: one })).json()).toMatchObject({
      code: 'PROOF_REQUIRED',
    });
    const challenge = await challengeOf(eventId);
    expect(challenge.parameters).toMatchObject({ keyPrefix: '00', keyLength: 32 });
    expect(await take(eventId, solve(challenge), one)).toBe(1);
    // Whoever has a number asks as often as they like.
    expect(await take(eventId, undefined, one)).toBe(1);
  });

  test('refuses what was replayed, shared, edited, is over, or is for another event', async () => {
    const [eventId, other] = [await guarded(), await guarded()];
    const proof = solve(await challengeOf(eventId));
    expect(await take(other, proof)).toBe('PROOF_REFUSED');
    expect(await take(eventId, proof)).toBe(1);
    expect(await take(eventId, proof)).toBe('PROOF_REFUSED');
    const many = await Promise.all([proof, proof, proof].map((shared) => take(eventId, shared)));
    expect(many).toEqual(['PROOF_REFUSED', 'PROOF_REFUSED', 'PROOF_REFUSED']);

    const fresh = solve(await challengeOf(eventId));
    const { challenge, solution } = fresh;
    const parameters = (changes: object) => ({
      ...fresh,
      challenge: { ...challenge, parameters: { ...challenge.parameters, ...changes } },
    });
    for (const edited of [
      parameters({ keyPrefix: '' }),
      parameters({ cost: 0 }),
      parameters({ cost: 4_000_000_000 }),
      parameters({ nonce: '00' }),
      parameters({ expiresAt: 4_000_000_000 }),
      parameters({ data: { eventId: other } }),
      { ...fresh, solution: { ...solution, counter: solution.counter + 1 } },
      { ...fresh, solution: { ...solution, counter: -1 } },
      { challenge, solution: null },
      { challenge: null, solution },
      { challenge: { ...challenge, signature: '' }, solution },
      'a proof',
      [],
    ])
      expect(await take(eventId, edited)).toBe('PROOF_REFUSED');
    const [one, two] = await Promise.all([take(eventId, fresh), take(eventId, fresh)]);
    expect([one, two].toSorted()).toEqual([2, 'PROOF_REFUSED']);

    const late = solve(await challengeOf(eventId));
    room.clock.advance(120_000);
    expect(await take(eventId, late)).toBe('PROOF_REFUSED');
  });

  test('has no challenge where no work is asked for', async () => {
    const eventId = await room.aRoom();
    expect((await call('GET', `/vwr/challenge/${eventId}`)).statusCode).toBe(404);
    expect(await take(eventId, 'whatever')).toBe(1);
  });
});

test('10,000 numbers are not given to one address: whoever has no cookies is counted by it, an IPv6 network as one', async () => {
  const room = await aWaitingRoom({ rateLimits: { assign: { capacity: 300, refillMs: 60_000 } } });
  const eventId = await room.aRoom();
  const from = async (address: (n: number) => string, count: number) => {
    const statuses = [];
    for (let first = 0; first < count; first += 500) {
      const some = Array.from({ length: Math.min(500, count - first) }, (_, n) =>
        room.call('POST', `/vwr/assign/${eventId}`, { from: address(first + n) }),
      );
      statuses.push(...(await Promise.all(some)).map(({ statusCode }) => statusCode));
    }
    return statuses;
  };
  const flood = await from(() => '203.0.113.7', 10_000);
  expect(flood.filter((status) => status === 200)).toHaveLength(300);
  expect(flood.filter((status) => status === 429)).toHaveLength(9_700);
  const network = await from((n) => `2001:db8:1:2:${(n % 65_536).toString(16)}::${(n + 1).toString(16)}`, 1_000);
  expect(network.filter((status) => status === 200)).toHaveLength(300);
  // Others are not kept waiting.
  expect(await from(() => '203.0.113.8', 1)).toEqual([200]);
  expect(await from(() => '2001:db8:1:3::1', 1)).toEqual([200]);
});

test('processes whose clocks are five seconds apart take each other’s word', async () => {
  const { url } = await aDatabase();
  const [fast, slow] = [aClock(), aClock()];
  fast.advance(5_000);
  slow.setBack(5_000);
  const counters = createMemoryCounters({ clock: fast });
  const both: Room[] = [];
  for (const clock of [fast, slow])
    both.push(await aWaitingRoom({ databaseUrl: url, clock, counters: () => counters }));
  const [ahead, behind] = both as [Room, Room];
  const eventId = await ahead.aRoom();
  await ahead.act('schedule', eventId, { rate: 10, proofDigits: 1 });
  await behind.runJob('refresh');
  const challenge = (await ahead.call('GET', `/vwr/challenge/${eventId}`)).json();
  const one = behind.browser();
  const taken = await behind.call('POST', `/vwr/assign/${eventId}`, { as: one, body: { proof: solve(challenge) } });
  expect(taken.json()).toMatchObject({ position: 1 });
  const { requestId } = taken.json();
  // Nor does it make a used proof good again.
  for (const { clock } of both) clock.advance(121_000);
  const again = await behind.call('POST', `/vwr/assign/${eventId}`, { body: { proof: solve(challenge) } });
  expect(again.json()).toMatchObject({ code: 'PROOF_REFUSED' });
  // Each serves in turn; neither clock makes the line run faster or stand still.
  for (let step = 0; step < 30; step++) {
    for (const room of both) {
      await room.runJob('advance');
      room.clock.advance(100);
    }
  }
  await ahead.runJob('refresh');
  const checked = await ahead.check(eventId, requestId, one);
  expect(checked.json()).toMatchObject({ admitted: true });
  expect(behind.vwrTokens.verify(checked.json().token)).toMatchObject({ ok: true });
  expect(ahead.vwrTokens.verify(checked.json().token)).toMatchObject({ ok: true });
});

describe('branding', async () => {
  const room = await aWaitingRoom();
  const plain = {
    ...{
      name: null,
      logo: null,
      title: { ko: null, en: null },
      heading: { ko: null, en: null },
      body: { ko: null, en: null },
    },
    colours: { accent: null, onAccent: null },
  };

  test('is what the page shows, and audited', async () => {
    const eventId = await room.aRoom();
    const shown = async () => (await room.call('GET', `/vwr/branding/${eventId}`)).json();
    expect(await shown()).toEqual(plain);
    const own = {
      ...plain,
      ...{
        name: '한강홀',
        logo: 'https://pictures.example/logo.svg',
        title: { ko: '먼 데서 온 바람', en: 'A far wind' },
      },
      colours: { accent: '#7a1020', onAccent: '#ffffff' },
    };
    expect((await room.act('branding', eventId, own)).json()).toEqual(own);
    expect(await shown()).toEqual(own);
    expect((await room.call('GET', `/vwr/branding/${room.anEvent()}`)).statusCode).toBe(404);
    await room.act('branding', eventId, plain);
    expect(await shown()).toEqual(plain);
  });

  test('takes nothing that runs, leads elsewhere in a style, or cannot be read', async () => {
    const eventId = await room.aRoom();
    const refused = [
      { logo: 'javascript:alert(1)' },
      { logo: 'http://pictures.example/logo.svg' },
      { logo: '//pictures.example/logo.svg' },
      { logo: 'https://pictures.example/"onload=alert(1)' },
      { logo: 'data:image/svg+xml,<svg onload=alert(1)>' },
      { name: '' },
      { name: 'a\u0000b' },
      { colours: { accent: 'red;}body{display:none', onAccent: '#ffffff' } },
      { colours: { accent: '#7a1020', onAccent: 'url(https://x.example)' } },
      { colours: { accent: '#7a1020' } },
      { script: 'alert(1)' },
    ];
    for (const changes of refused) {
      const answer = await room.act('branding', eventId, { ...plain, ...changes });
      expect([changes, answer.statusCode]).toEqual([changes, 400]);
    }
    for (const colours of [
      { accent: '#777777', onAccent: '#888888' },
      { accent: '#7a1020', onAccent: null },
    ])
      expect((await room.act('branding', eventId, { ...plain, colours })).json()).toMatchObject({
        code: 'BRANDING_UNREADABLE',
      });
    const as = room.staff('buyer');
    expect((await room.call('PUT', `/api/admin/vwr/branding/${eventId}`, { as, body: plain })).statusCode).toBe(403);
  });
});
