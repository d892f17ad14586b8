import { describe, expect, test } from 'vitest';
import { saveFacts } from '../storage/facts.ts';
import { aQueue } from '../testing/a-queue.ts';
import { someEventFacts } from '../testing/queue-processes.ts';
import { pastTheGate } from '../testing/seats-behind.ts';

const queue = await aQueue();
const { anEvent, person, check, status, call, admit, runJob, clock, store } = queue;

test('the first get slots, those behind them places in the order they came', async () => {
  const event = anEvent();
  const people = [person(), person(), person(), person()];
  const answers = [];
  for (const one of people) answers.push(await check(event, one));
  expect(answers.map(({ status: state, queued, position }) => [state, queued, position])).toEqual([
    ['active', false, 0],
    ['active', false, 0],
    ['waiting', true, 1],
    ['waiting', true, 2],
  ]);
  const [, , third] = people;
  if (third === undefined) throw new Error('there are four people');
  expect(await check(event, third)).toMatchObject({
    status: 'waiting',
    queued: true,
    position: 1,
    peopleAhead: 0,
    threshold: 2,
    paused: false,
    message: null,
    opensAt: null,
    stale: false,
    event: { title: '먼 데서 온 바람', artist: '윤슬' },
  });
});

test('the answer has the fields of the contract and no others', async () => {
  const event = anEvent();
  const [one, , waiting] = [person(), await check(event, person()), person()];
  const fields = [
    'status',
    'queued',
    'position',
    'peopleAhead',
    'peopleBehind',
    'estimatedWait',
    'estimatedWaitHigh',
    'nextPoll',
  ].concat(['currentUsers', 'threshold', 'queueSize', 'ticket', 'paused', 'message', 'opensAt', 'stale', 'event']);
  expect(Object.keys(await check(event, one)).sort()).toEqual([...fields, 'entryToken', 'slotEndsAt'].sort());
  expect(Object.keys(await check(event, waiting)).sort()).toEqual([...fields].sort());
  expect(Object.keys(await status(event, person())).sort()).toEqual([...fields].sort());
});

test('entering again, from any tab or device, returns the same place', async () => {
  const event = anEvent();
  for (let i = 0; i < 3; i++) await check(event, person());
  const ann = person();
  const first = await check(event, ann);
  await check(event, person());
  const otherDevice = { ...ann, cookies: new Map<string, string>() };
  for (const seat of [ann, otherDevice, ann]) {
    expect(await check(event, seat)).toMatchObject({ position: first.position, ticket: first.ticket });
  }
});

test('entering from 50 connections at once gives one place', async () => {
  const event = anEvent();
  for (let i = 0; i < 2; i++) await check(event, person());
  const ann = person();
  const answers = await Promise.all(Array.from({ length: 50 }, () => check(event, { ...ann, cookies: new Map() })));
  expect(new Set(answers.map(({ position, ticket }) => `${position} ${ticket}`)).size).toBe(1);
  expect(await check(event, person())).toMatchObject({ position: 2 });
});

test('a rush never has more people in slots than the threshold', async () => {
  const event = anEvent();
  const answers = await Promise.all(Array.from({ length: 200 }, () => check(event, person())));
  expect(answers.filter((answer) => answer.status === 'active')).toHaveLength(2);
});

describe('the status', () => {
  test('works with the waiting ticket alone, from cookie or header', async () => {
    const event = anEvent();
    for (let i = 0; i < 2; i++) await check(event, person());
    const ann = person();
    const { ticket } = await check(event, ann);
    expect(await status(event, ann, { anonymous: true })).toMatchObject({ status: 'waiting', position: 1, ticket });
    const nobody = { ...ann, cookies: new Map<string, string>() };
    const headers = { 'x-queue-ticket': String(ticket) };
    expect(await status(event, nobody, { anonymous: true, headers })).toMatchObject({ position: 1 });
    expect((await call('GET', `/api/queue/status/${event}`)).statusCode).toBe(401);
  });

  test('of an admitted person carries the entry token, again and again, and never extends the slot', async () => {
    const event = anEvent();
    const [one, two, ann] = [person(), person(), person()];
    for (const somebody of [one, two, ann]) await check(event, somebody);
    await call('POST', `/api/queue/leave/${event}`, { as: one });
    await admit(event);
    const active = await status(event, ann, { anonymous: true });
    expect(active).toMatchObject({ status: 'active', queued: false });
    clock.advance(60_000);
    expect(await status(event, ann)).toMatchObject({ status: 'active', slotEndsAt: active.slotEndsAt });
    expect(ann.cookies.has(`urr-entry-token-${event}`)).toBe(true);
    expect((await queue.seats(event, ann)).statusCode).toBe(pastTheGate);
    clock.advance(540_000);
    expect(await status(event, ann)).toMatchObject({ status: 'none', ticket: null });
    expect([...ann.cookies.keys()]).toEqual([]);
  });

  test('of somebody who never entered is none', async () => {
    expect(await status(anEvent(), person())).toMatchObject({ status: 'none', queued: false, position: null });
  });

  test('of a phone that slept for an hour finds the same place', async () => {
    const event = anEvent();
    const ann = person();
    for (let i = 0; i < 2; i++) await check(event, person());
    await check(event, ann);
    await call('POST', `/api/queue/admin/${event}/pause`, { as: person('operator') });
    clock.advance(3_600_000);
    expect(await store.forget({ eventId: event, seenTtlMs: 600_000, limit: 1_000 })).toMatchObject({ forgotten: 1 });
    const bob = person();
    await check(event, bob);
    expect(await status(event, ann, { anonymous: true })).toMatchObject({ status: 'waiting', position: 1 });
    expect(await status(event, bob)).toMatchObject({ status: 'waiting', position: 2 });
  });
});

describe('leaving', () => {
  test('needs the user, and gives the place up for good', async () => {
    const event = anEvent();
    for (let i = 0; i < 2; i++) await check(event, person());
    const ann = person();
    const { ticket } = await check(event, ann);
    expect((await call('POST', `/api/queue/leave/${event}`, { as: ann, anonymous: true })).statusCode).toBe(401);
    expect((await call('POST', `/api/queue/leave/${event}`, { as: ann })).json()).toEqual({ left: 'place' });
    expect(ann.cookies.size).toBe(0);
    await check(event, person());
    const headers = { 'x-queue-ticket': String(ticket) };
    expect(await status(event, ann, { headers })).toMatchObject({ status: 'none' });
    expect(await check(event, ann, { headers })).toMatchObject({ status: 'waiting', position: 2 });
    expect((await call('POST', `/api/queue/leave/${anEvent()}`, { as: ann })).json()).toEqual({ left: 'nothing' });
  });

  test('in another tab is learned by the tab that only polls', async () => {
    const event = anEvent();
    const ann = person();
    for (let i = 0; i < 1_005; i++) await check(event, person());
    await check(event, ann);
    await runJob('queue-snapshots');
    const tab = { ...ann, cookies: new Map(ann.cookies) };
    await call('POST', `/api/queue/leave/${event}`, { as: ann });
    expect(await status(event, tab)).toMatchObject({ status: 'waiting' });
    await runJob('queue-signs-of-life');
    expect(await status(event, tab)).toMatchObject({ status: 'none' });
  });
});

test('a heartbeat is a sign of life that keeps a place from being passed over', async () => {
  const event = anEvent();
  const [one, ann, bob] = [person(), person(), person()];
  for (const somebody of [one, person(), ann, bob]) await check(event, somebody);
  for (let second = 0; second < 100; second += 2) {
    clock.advance(2_000);
    if (second % 24 === 0) {
      const beat = await call('POST', `/api/queue/heartbeat/${event}`, { as: bob, anonymous: true });
      expect(beat.statusCode).toBe(204);
    }
    // Without ticks and flushes nobody would count as absent: it could be us who were away.
    for (const job of ['queue-signs-of-life', 'queue-snapshots']) await runJob(job);
    await admit(event);
  }
  await call('POST', `/api/queue/leave/${event}`, { as: one });
  await admit(event);
  expect(await status(event, bob)).toMatchObject({ status: 'active' });
  expect(await status(event, ann)).toMatchObject({ status: 'waiting', position: 1 });
});

describe('an event', () => {
  test('that does not exist is 404', async () => {
    const unknown = person().userId;
    const urls = [`check/${unknown}`, `leave/${unknown}`, `heartbeat/${unknown}`, `enter/${unknown}`];
    for (const url of urls) {
      expect([url, (await call('POST', `/api/queue/${url}`, { as: person() })).statusCode]).toEqual([url, 404]);
    }
    expect((await call('GET', `/api/queue/status/${unknown}`, { as: person() })).statusCode).toBe(404);
  });

  test('that is not open yet, over or cancelled is closed', async () => {
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const saleOpensAt = at(60_000);
    const early = anEvent({ saleOpensAt });
    expect(await check(early, person())).toMatchObject({ status: 'closed', opensAt: saleOpensAt });
    expect(await status(early, person())).toMatchObject({ status: 'closed', opensAt: saleOpensAt });
    const over = anEvent({ saleOpensAt: at(-2_000), saleClosesAt: at(-1_000) });
    expect(await check(over, person())).toMatchObject({ status: 'closed', opensAt: null });
    expect(await check(anEvent({ cancelledAt: at(-1) }), person())).toMatchObject({ status: 'closed' });
    clock.advance(60_000);
    expect(await check(early, person())).toMatchObject({ status: 'active' });
  });

  test('that changes is known as such without another look at the store', async () => {
    const event = anEvent();
    for (let i = 0; i < 2; i++) await check(event, person());
    const ann = person();
    expect(await check(event, ann)).toMatchObject({ status: 'waiting' });
    const changed = { version: 2, closesAtMs: clock.now() + 3_600_000, title: 'called off', cancelled: true };
    await saveFacts(queue.database, [someEventFacts(event, changed)]);
    await runJob('queue-facts-refresh');
    expect(await status(event, ann)).toMatchObject({ status: 'closed', event: { title: 'called off' } });
  });

  test('without a queue gives a slot at once, whatever the threshold', async () => {
    const event = anEvent({ queueEnabled: false });
    for (let i = 0; i < 5; i++) {
      const ann = person();
      expect(await check(event, ann)).toMatchObject({ status: 'active' });
      expect((await queue.seats(event, ann)).statusCode).toBe(pastTheGate);
    }
  });
});
