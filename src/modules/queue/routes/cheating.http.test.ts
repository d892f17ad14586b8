import { describe, expect, test } from 'vitest';
import { aQueue, type Person } from '../testing/a-queue.ts';
import { pastTheGate } from '../testing/seats-behind.ts';

const queue = await aQueue();
const { anEvent, person, check, status, call, seats, admit, runJob, clock, entryTokens, vwrTokens, roomsOn } = queue;

/** Two in slots, then these: the first of them is at position 1. */
async function waitingFor(event: string, count: number): Promise<Person[]> {
  for (let i = 0; i < 2; i++) await check(event, person());
  const people = Array.from({ length: count }, () => person());
  for (const one of people) await check(event, one);
  return people;
}

function nth(people: readonly Person[], index: number): Person {
  const found = people[index];
  if (found === undefined) throw new Error(`there is no person ${index}`);
  return found;
}

function ticketOf(event: string, { cookies }: Person): string {
  return cookies.get(`urr-queue-ticket-${event}`) ?? '';
}

const fresh = (one: Person): Person => ({ ...one, cookies: new Map() });
const doors = (event: string) =>
  [
    ['POST', `/api/queue/check/${event}`],
    ['POST', `/api/queue/enter/${event}`],
    ['POST', `/api/queue/heartbeat/${event}`],
    ['GET', `/api/queue/status/${event}`],
    ['GET', `/api/queue/stream/${event}`],
  ] as const;

describe('a waiting ticket', () => {
  test('that was forged or edited is refused at every door', async () => {
    const event = anEvent();
    const [ann, bob] = await waitingFor(event, 2);
    if (ann === undefined || bob === undefined) throw new Error('two people wait');
    const real = ticketOf(event, bob);
    const fields = real.split('.');
    const edited = (at: number, value: string) => fields.with(at, value).join('.');
    expect(fields.slice(0, 3)).toEqual(['uqw2', event, bob.userId]);
    const forged = [
      // An earlier order; no MAC of ours; another kind.
      edited(3, String(Number(fields[3]) - 1)),
      edited(-1, 'AAAAAAAAAAAAAAAAAAAAAA'),
      edited(0, 'uqp2'),
      'x',
      '',
    ];
    for (const ticket of forged) {
      for (const [method, url] of doors(event)) {
        const answer = await call(method, url, { as: fresh(bob), headers: { 'x-queue-ticket': ticket } });
        expect([url, ticket, answer.statusCode, answer.json().code]).toEqual([url, ticket, 403, 'TICKET_REFUSED']);
      }
      const withCookie = { ...bob, cookies: new Map([[`urr-queue-ticket-${event}`, ticket]]) };
      const alone = await call('GET', `/api/queue/status/${event}`, { as: withCookie, anonymous: true });
      expect(alone.statusCode).toBe(401);
      expect(await check(event, withCookie)).toMatchObject({ position: 2 });
    }
  });

  test('of another user is refused, and as a cookie gives nothing', async () => {
    const event = anEvent();
    const people = await waitingFor(event, 3);
    const stolen = ticketOf(event, nth(people, 0));
    const eve = person();
    for (const [method, url] of doors(event)) {
      const answer = await call(method, url, { as: eve, headers: { 'x-queue-ticket': stolen } });
      expect([url, answer.json().code]).toEqual([url, 'TICKET_REFUSED']);
    }
    const cookies = new Map([[`urr-queue-ticket-${event}`, stolen]]);
    expect(await check(event, { ...eve, cookies })).toMatchObject({ position: 4 });
    expect(await status(event, nth(people, 0))).toMatchObject({ position: 1 });
  });

  test('of another event is refused', async () => {
    const [event, other] = [anEvent(), anEvent()];
    const ann = nth(await waitingFor(event, 1), 0);
    await waitingFor(other, 5);
    const headers = { 'x-queue-ticket': ticketOf(event, ann) };
    for (const [method, url] of doors(other)) {
      const answer = await call(method, url, { as: ann, headers });
      expect([url, answer.json().code]).toEqual([url, 'TICKET_REFUSED']);
    }
    expect(await check(other, ann)).toMatchObject({ position: 6 });
  });

  test('replayed after leaving brings nothing back, also through the bus', async () => {
    const event = anEvent();
    const people = await waitingFor(event, 3);
    const ann = nth(people, 0);
    const headers = { 'x-queue-ticket': ticketOf(event, ann) };
    await call('POST', `/api/queue/leave/${event}`, { as: ann });
    expect(await status(event, ann, { headers, anonymous: true })).toMatchObject({ status: 'none', ticket: null });
    const stream = await call('GET', `/api/queue/stream/${event}`, { as: ann, headers });
    expect(stream.json()).toMatchObject({ status: 409, code: 'NO_PLACE' });
    await call('POST', `/api/queue/enter/${event}`, { as: ann, headers });
    await queue.bus.deliver(queue.instance.consumers.find(({ declaration }) => declaration.group === 'queue-entry'));
    expect(await check(event, fresh(ann))).toMatchObject({ position: 3 });
  });

  test('whose place was used gives no second slot', async () => {
    const event = anEvent();
    const ann = person();
    await check(event, ann);
    const headers = { 'x-queue-ticket': ticketOf(event, ann) };
    clock.advance(600_001);
    await admit(event);
    expect(await status(event, fresh(ann), { headers })).toMatchObject({ status: 'none' });
    await waitingFor(event, 2);
    expect(await check(event, fresh(ann), { headers })).toMatchObject({ status: 'waiting', position: 3 });
  });
});

test('an order, a position or a user that the client names is refused', async () => {
  const event = anEvent();
  const eve = person();
  for (const [method, url] of [...doors(event), ['POST', `/api/queue/leave/${event}`] as const]) {
    for (const query of ['order=1', 'position=1', 'position=x', `userId=${eve.userId}`, 'ticket=x', 'token=x']) {
      const answer = await call(method, `${url}?${query}`, { as: eve });
      expect([url, query, answer.statusCode, answer.json().code]).toEqual([url, query, 400, 'VALIDATION_FAILED']);
    }
    if (method === 'GET') continue;
    for (const body of [{ order: 1 }, { position: 1 }, { number: 1, era: 0 }]) {
      const answer = await call(method, url, { as: eve, body });
      expect([url, answer.statusCode, answer.json().code]).toEqual([url, 400, 'VALIDATION_FAILED']);
    }
  }
  expect(await status(event, eve)).toMatchObject({ status: 'none' });
});

describe('an entry token', () => {
  test('of another event, user or kind, or past its end, opens nothing', async () => {
    const [event, other] = [anEvent(), anEvent()];
    const [ann, eve] = [person(), person()];
    const { entryToken = '' } = await check(event, ann);
    const token = { 'x-queue-entry-token': entryToken };
    expect((await seats(event, fresh(ann), token)).statusCode).toBe(pastTheGate);
    expect((await seats(other, fresh(ann), token)).json()).toMatchObject({ redirectTo: `/queue/${other}` });
    expect((await seats(event, eve, token)).statusCode).toBe(403);
    const refused = {
      'tier 1': vwrToken(event, 7),
      access: ann.accessToken,
      'waiting ticket': ticketOf(event, ann),
      edited: `${entryToken.slice(0, -4)}AAAA`,
    };
    for (const [kind, value] of Object.entries(refused)) {
      const answer = await seats(event, fresh(ann), { 'x-queue-entry-token': value });
      expect([kind, answer.statusCode, answer.json().code]).toEqual([kind, 403, 'ENTRY_TOKEN_REQUIRED']);
    }
    clock.advance(600_000);
    expect((await seats(event, fresh(ann), token)).statusCode).toBe(403);
  });

  test('ends with its slot at the latest', async () => {
    const event = anEvent();
    const { entryToken = '', slotEndsAt = '' } = await check(event, person());
    const verified = entryTokens.verify(entryToken);
    if (!verified.ok) throw new Error('our own token');
    expect(verified.claims.exp * 1_000).toBeLessThanOrEqual(Date.parse(slotEndsAt));
    expect(Object.keys(verified.claims).sort()).toEqual(['exp', 'iat', 'jti', 'sub', 'uid']);
  });

  test('of a slot that was given up is worth nothing any more', async () => {
    const event = anEvent();
    const ann = person();
    const { entryToken = '' } = await check(event, ann);
    await call('POST', `/api/queue/leave/${event}`, { as: ann });
    expect((await seats(event, ann, { 'x-queue-entry-token': entryToken })).statusCode).toBe(403);
  });

  test('of a slot that was given up elsewhere is refused with the next snapshot', async () => {
    const event = anEvent();
    const ann = person();
    const { entryToken = '' } = await check(event, ann);
    const headers = { 'x-queue-entry-token': entryToken };
    await queue.store.leave({ eventId: event, userId: ann.userId });
    expect((await seats(event, ann, headers)).statusCode).toBe(pastTheGate);
    await runJob('queue-snapshots');
    expect((await seats(event, ann, headers)).statusCode).toBe(403);
  });
});

describe('while the waiting room is on', () => {
  test('an event without a queue is no way around it', async () => {
    const event = anEvent({ queueEnabled: false });
    roomsOn.add(event);
    const ann = person();
    for (const door of ['check', 'enter']) {
      const refused = await call('POST', `/api/queue/${door}/${event}`, { as: ann });
      expect([door, refused.statusCode, refused.json()]).toMatchObject([
        door,
        403,
        { code: 'WAITING_ROOM_REQUIRED', redirectTo: `/vwr/${event}` },
      ]);
    }
    expect(await status(event, ann)).toMatchObject({ status: 'none' });
    expect((await seats(event, ann)).statusCode).toBe(403);

    const claims = { sub: event, uid: 'visitor', pos: 7, era: 1, tier: 1 as const, jti: 'n-7' };
    const headers = { cookie: `urr-vwr-token=${vwrTokens.sign(claims).token}` };
    expect(await check(event, ann, { headers })).toMatchObject({ status: 'active' });
    // Asking where one is takes nothing away.
    expect(await status(event, ann)).toMatchObject({ status: 'none' });
    expect((await seats(event, ann)).statusCode).toBe(pastTheGate);
  });

  const withNumber = (token: string) => ({ cookie: `urr-vwr-token=${token}` });

  test('the cookie of the event comes before the plain one, and each of them lets in', async () => {
    const event = anEvent();
    await waitingFor(event, 1);
    roomsOn.add(event);
    const own = (pos: number) => `urr-vwr-token-${event}=${vwrToken(event, pos, { era: 1 })}`;
    const plain = (pos: number) => `urr-vwr-token=${vwrToken(event, pos, { era: 1 })}`;
    const another = `urr-vwr-token-${anEvent()}=${vwrToken(event, 2, { era: 1 })}`;
    const orderBy = async (cookie: string) => {
      const { ticket } = await check(event, person(), { headers: { cookie } });
      return Number(ticket?.split('.')[3]) % 2 ** 36;
    };
    expect(await orderBy(`${plain(9)}; ${own(4)}`)).toBe(4);
    expect(await orderBy(`${own(5)}`)).toBe(5);
    expect(await orderBy(`urr-vwr-token-${event}=nonsense; ${plain(6)}`)).toBe(6);
    const refused = await call('POST', `/api/queue/check/${event}`, { as: person(), headers: { cookie: another } });
    expect(refused.json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
  });

  test('entering needs a number', async () => {
    const event = anEvent();
    roomsOn.add(event);
    for (const door of ['check', 'enter']) {
      const answer = await call('POST', `/api/queue/${door}/${event}`, { as: person() });
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED', redirectTo: `/vwr/${event}` });
    }
  });

  test('a token of another event, of another kind, edited or expired is no number', async () => {
    const [event, other] = [anEvent(), anEvent()];
    roomsOn.add(event);
    const expired = vwrToken(event, 1, { lifeMs: 1_000 });
    clock.advance(2_000);
    const ann = person();
    const real = vwrToken(event, 1);
    const entry = entryTokens.sign({ sub: event, uid: ann.userId, jti: 'x' }).token;
    for (const token of [vwrToken(other, 1), entry, ann.accessToken, `${real.slice(0, -4)}AAAA`, expired, 'x', '']) {
      const answer = await call('POST', `/api/queue/check/${event}`, { as: ann, headers: withNumber(token) });
      expect(answer.json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
    }
    const senseless = [
      vwrToken(event, 0),
      vwrToken(event, 1.5),
      vwrToken(event, 2 ** 40),
      vwrToken(event, 1, { era: 600 }),
    ];
    for (const token of senseless) {
      const answer = await call('POST', `/api/queue/check/${event}`, { as: ann, headers: withNumber(token) });
      expect(answer.json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
    }
  });

  test('the number decides the place, and belongs to the first user who presents it', async () => {
    const event = anEvent();
    await waitingFor(event, 1);
    roomsOn.add(event);
    const [ann, bob, eve] = [person(), person(), person()];
    const seven = withNumber(vwrToken(event, 7, { era: 1 }));
    expect(await check(event, ann, { headers: seven })).toMatchObject({ position: 2 });
    expect(await check(event, bob, { headers: withNumber(vwrToken(event, 3, { era: 1 })) })).toMatchObject({
      position: 2,
    });
    expect(await check(event, ann, { headers: seven })).toMatchObject({ position: 3 });
    const taken = await call('POST', `/api/queue/check/${event}`, { as: eve, headers: seven });
    expect([taken.statusCode, taken.json().code]).toEqual([403, 'NUMBER_TAKEN']);
    // Another token of the same number is the same number.
    const again = withNumber(vwrToken(event, 7, { era: 1 }));
    expect((await call('POST', `/api/queue/check/${event}`, { as: eve, headers: again })).statusCode).toBe(403);
    await call('POST', `/api/queue/leave/${event}`, { as: ann });
    for (const one of [eve, ann]) {
      const spent = await call('POST', `/api/queue/check/${event}`, { as: one, headers: seven });
      expect([spent.statusCode, spent.json().code]).toEqual([403, 'NUMBER_TAKEN']);
    }
  });

  test('a second number does not move a place', async () => {
    const event = anEvent();
    await waitingFor(event, 1);
    roomsOn.add(event);
    const ann = person();
    const late = await check(event, ann, { headers: withNumber(vwrToken(event, 90, { era: 1 })) });
    const early = await check(event, ann, { headers: withNumber(vwrToken(event, 5, { era: 1 })) });
    expect([early.position, early.ticket]).toEqual([late.position, late.ticket]);
  });

  test('those who have a place, a slot or an unspent ticket go on without a number', async () => {
    const event = anEvent();
    const people = await waitingFor(event, 2);
    const [ann, bob] = [nth(people, 0), nth(people, 1)];
    roomsOn.add(event);
    expect(await check(event, fresh(ann))).toMatchObject({ position: 1 });
    clock.advance(700_000);
    await queue.store.forget({ eventId: event, seenTtlMs: 600_000, limit: 10 });
    expect(['waiting', 'active']).toContain((await check(event, bob)).status);
    await call('POST', `/api/queue/leave/${event}`, { as: ann });
    const spent = await call('POST', `/api/queue/check/${event}`, { as: ann });
    expect(spent.json()).toMatchObject({ code: 'WAITING_ROOM_REQUIRED' });
  });
});

function vwrToken(event: string, pos: number, { era = 0, lifeMs = 600_000 } = {}): string {
  const claims = { sub: event, uid: 'visitor', pos, era, tier: 1 as const, jti: `number-${pos}` };
  return vwrTokens.sign(claims, { expiresAtMs: clock.now() + lifeMs }).token;
}
