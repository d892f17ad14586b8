import { expect, test } from 'vitest';
import { aQueue, type Person } from '../testing/a-queue.ts';

const queue = await aQueue();
const { anEvent, person, check, status, call, clock, runJob, storeCalls, outage, entryTokens } = queue;

/** The first thousand ask the store at each poll, since their turn may come at any moment. */
const asksUntil = 1_000;

test('polls of 10,000 people do not touch the store', async () => {
  const event = anEvent();
  for (let i = 0; i < 2 + asksUntil; i++) await check(event, person());
  const people: Person[] = [];
  for (let i = 0; i < 10_000; i++) {
    const one = person();
    people.push(one);
    await check(event, one);
  }
  await runJob('queue-signs-of-life');
  await runJob('queue-snapshots');
  clock.advance(60_000);
  storeCalls.clear();

  const positions: number[] = [];
  for (const one of people) {
    const answer = await status(event, one, { anonymous: true });
    if (answer.status === 'waiting' && answer.position !== null) positions.push(answer.position);
  }
  expect([...storeCalls]).toEqual([]);
  expect(positions).toEqual(people.map((_, index) => asksUntil + 1 + index));

  // The signs of life of all of them: 500 to a call, and once in twenty seconds however often they poll.
  await runJob('queue-signs-of-life');
  expect([...storeCalls]).toEqual([['touch', 20]]);
  for (const one of people.slice(0, 1_000)) await status(event, one, { anonymous: true });
  await runJob('queue-signs-of-life');
  expect([...storeCalls]).toEqual([['touch', 20]]);

  // A second of the process's own work costs the same for ten as for ten thousand.
  storeCalls.clear();
  await runJob('queue-snapshots');
  expect(storeCalls.get('snapshot')).toBe(1);
  expect([...storeCalls.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(3);
});

test('those near the front ask the store', async () => {
  const event = anEvent();
  for (let i = 0; i < 2; i++) await check(event, person());
  const ann = person();
  await check(event, ann);
  storeCalls.clear();
  await status(event, ann);
  expect([...storeCalls]).toEqual([['enter', 1]]);
});

test('a ticket whose place was given up says so at every poll, not by turns', async () => {
  const event = anEvent();
  const people = Array.from({ length: asksUntil + 12 }, () => person());
  for (const one of people) await check(event, one);
  await runJob('queue-snapshots');
  const ann = people.at(-5) ?? person();
  const { ticket } = await status(event, ann);
  await call('POST', `/api/queue/leave/${event}`, { as: ann });
  const seen: string[] = [];
  for (let poll = 0; poll < 4; poll++) {
    const headers = { 'x-queue-ticket': ticket ?? '' };
    seen.push((await status(event, ann, { headers, anonymous: true })).status);
    clock.advance(1_000);
    await runJob('queue-signs-of-life');
    await runJob('queue-snapshots');
  }
  // Until the first signs of life were told, the snapshot is all that this process knows.
  expect(seen.slice(1)).toEqual(['none', 'none', 'none']);
});

test('after a loss of the store tickets of the old epoch ask, and get their place back', async () => {
  const event = anEvent();
  const people: Person[] = [];
  for (let i = 0; i < asksUntil + 12; i++) {
    const one = person();
    people.push(one);
    await check(event, one);
  }
  const last = people.at(-1) ?? person();
  const before = await status(event, last);
  queue.store.wipe(event);
  await runJob('queue-snapshots');
  for (const one of people) await status(event, one, { anonymous: true });
  const after = await status(event, last);
  expect(after).toMatchObject({ status: 'waiting', position: before.position });
  expect(after.ticket).not.toBe(before.ticket);
  expect(last.cookies.get(`urr-queue-ticket-${event}`)).toBe(after.ticket);
});

test('with the store away polls are answered from the last snapshot, entries are asked to come again', async () => {
  const event = anEvent();
  const people: Person[] = [];
  for (let i = 0; i < 5; i++) {
    const one = person();
    people.push(one);
    await check(event, one);
  }
  await runJob('queue-snapshots');
  const [, , third = person(), fourth = person()] = people;
  outage.on = true;
  try {
    expect(await status(event, fourth)).toMatchObject({ status: 'waiting', position: 2, stale: true, nextPoll: 10 });
    await runJob('queue-snapshots');
    storeCalls.clear();
    expect(await status(event, third)).toMatchObject({ position: 1, stale: true });
    expect([...storeCalls]).toEqual([]);
    for (const door of ['check', 'leave']) {
      const refused = await call('POST', `/api/queue/${door}/${event}`, { as: third });
      expect([door, refused.statusCode, refused.json().code]).toEqual([door, 503, 'STORE_UNAVAILABLE']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    }
    // Nothing is known of somebody without a ticket.
    expect((await call('GET', `/api/queue/status/${event}`, { as: person() })).statusCode).toBe(503);
  } finally {
    outage.on = false;
  }
  await runJob('queue-snapshots');
  expect(await status(event, third)).toMatchObject({ position: 1, stale: false });
});

test('with the store away anyone who shows a good entry token is in its slot', async () => {
  const [event, other] = [anEvent(), anEvent()];
  const [ann, ben, cy] = [person(), person(), person()];
  const { entryToken = '', slotEndsAt = '' } = await check(event, ann);
  const left = await check(event, ben);
  await call('POST', `/api/queue/leave/${event}`, { as: ben, headers: { cookie: '' } });
  const { entryToken: elsewhere = '' } = await check(other, ann);
  await check(event, cy);
  await runJob('queue-snapshots');
  const inSlot = { status: 'active', entryToken, position: 0, stale: true, nextPoll: 10 };
  const headers = (token: string) => ({ headers: { 'x-queue-entry-token': token } });
  outage.on = true;
  try {
    // As the first to ask, and when the snapshot says it already.
    for (let times = 0; times < 2; times++) {
      expect(await status(event, ann)).toMatchObject(inSlot);
      await runJob('queue-snapshots');
    }
    const answer = await status(event, ann, { anonymous: true });
    expect(answer).toMatchObject(inSlot);
    expect(Date.parse(answer.slotEndsAt ?? '')).toBe(Math.floor(Date.parse(slotEndsAt) / 1_000) * 1_000);
    storeCalls.clear();
    expect(await status(event, ann)).toMatchObject(inSlot);
    expect([...storeCalls]).toEqual([]);

    // Signed in, with the token alone, as a client that is no browser.
    const bare = { ...ann, cookies: new Map<string, string>() };
    expect(await status(event, bare, headers(entryToken))).toMatchObject({ ...inSlot, ticket: null });
    const refused = await call('GET', `/api/queue/status/${event}`, { as: bare, ...headers(elsewhere) });
    expect(refused.statusCode).toBe(503);

    const bad = { ...ann, cookies: new Map([...ann.cookies].filter(([name]) => name.includes('ticket'))) };
    const edited = `${entryToken.slice(0, -4)}AAAA`;
    const { token: old } = entryTokens.sign(
      { sub: event, uid: ann.userId, jti: 'slot' },
      { expiresAtMs: clock.now() - 1_000 },
    );
    for (const token of [elsewhere, left.entryToken ?? '', edited, old, 'nonsense']) {
      expect(await status(event, bad, headers(token))).toMatchObject({ status: 'waiting', stale: true });
    }
    expect(await status(event, cy, headers(entryToken))).toMatchObject({ status: 'waiting', stale: true });
    // One's own slot, given up before the store went away.
    const gone = { ...ben, cookies: new Map([[`urr-queue-ticket-${event}`, left.ticket ?? '']]) };
    expect(await status(event, gone, headers(left.entryToken ?? ''))).toMatchObject({ status: 'waiting', stale: true });
  } finally {
    outage.on = false;
  }
});
