import { expect, test } from 'vitest';
import { createQueueHot } from '../index.ts';
import { aQueue, type Person } from '../testing/a-queue.ts';

const queue = await aQueue();
const { anEvent, person, check, status, call, bus, clock, runJob, roomsOn, vwrTokens } = queue;
const entries = queue.instance.consumers.find(({ declaration }) => declaration.group === 'queue-entry');

const enter = (event: string, as: Person, headers: Record<string, string> = {}) =>
  call('POST', `/api/queue/enter/${event}`, { as, headers });

test('entering is answered at once, and the places are taken in the order of the topic', async () => {
  const event = anEvent();
  const people = Array.from({ length: 6 }, () => person());
  for (const one of people) {
    const answer = await enter(event, one);
    expect([answer.statusCode, answer.json().status]).toEqual([202, 'pending']);
    expect(await status(event, one, { anonymous: true })).toMatchObject({ status: 'pending', queued: false });
  }
  expect(await bus.deliver(entries)).toBe(6);
  const answers = [];
  for (const one of people) answers.push(await status(event, one, { anonymous: true }));
  // A calm event gives slots at once, as a check does.
  expect(answers.map(({ status: state, position }) => [state, position])).toEqual([
    ['active', 0],
    ['active', 0],
    ['waiting', 1],
    ['waiting', 2],
    ['waiting', 3],
    ['waiting', 4],
  ]);
});

test('a duplicate keeps the first place, and a check in the meantime takes it at once', async () => {
  const event = anEvent();
  const [ann, bob, cy, dan] = [person(), person(), person(), person()];
  for (const one of [ann, bob, cy, cy, dan, cy]) await enter(event, one);
  expect(await check(event, dan)).toMatchObject({ status: 'active' });
  await bus.deliver(entries);
  expect(await status(event, ann)).toMatchObject({ status: 'active' });
  expect(await status(event, bob)).toMatchObject({ position: 1 });
  expect(await status(event, cy)).toMatchObject({ position: 2 });
  expect(await status(event, dan)).toMatchObject({ status: 'active' });
});

test('an entry that never comes to anything stops being pending', async () => {
  const event = anEvent();
  const ann = person();
  await enter(event, ann);
  clock.advance(119_000);
  expect(await status(event, ann)).toMatchObject({ status: 'pending' });
  clock.advance(1_000);
  expect(await status(event, ann)).toMatchObject({ status: 'none' });
  // One that seems to come from the future is no younger for it.
  const bob = person();
  await enter(event, bob);
  clock.setBack(240_000);
  expect(await status(event, bob)).toMatchObject({ status: 'none' });
  clock.advance(240_000);
});

test('a closed queue says so at once, and sends nobody through the bus', async () => {
  const event = anEvent();
  const ann = person();
  await check(event, ann);
  const sentBefore = bus.sent.get('queue-entry')?.length;
  await call('POST', `/api/queue/admin/${event}/close`, { as: person('operator') });
  expect((await enter(event, person())).json()).toMatchObject({ status: 'closed' });
  expect((await enter(event, { ...ann, cookies: new Map() })).json()).toMatchObject({ status: 'active' });
  expect(bus.sent.get('queue-entry')?.length).toBe(sentBefore);
});

test('with the bus away entering is refused, and checking still works', async () => {
  const event = anEvent();
  const ann = person();
  bus.away = true;
  try {
    const refused = await enter(event, ann);
    expect([refused.statusCode, refused.json().code]).toEqual([503, 'BUS_UNAVAILABLE']);
    expect(refused.headers['retry-after']).toBeDefined();
    expect(await check(event, ann)).toMatchObject({ status: 'active' });
  } finally {
    bus.away = false;
  }
});

test('while the waiting room is on, the number travels with the entry and belongs to one user', async () => {
  const event = anEvent();
  for (let i = 0; i < 2; i++) await check(event, person());
  roomsOn.add(event);
  const [ann, eve] = [person(), person()];
  const number = (pos: number) => {
    const claims = { sub: event, uid: 'visitor', pos, era: 1, tier: 1 as const, jti: `n-${pos}` };
    return { cookie: `urr-vwr-token=${vwrTokens.sign(claims).token}` };
  };
  await enter(event, ann, number(9));
  await enter(event, eve, number(9));
  await bus.deliver(entries);
  expect(await status(event, ann)).toMatchObject({ status: 'waiting', position: 1 });
  const refused = await call('POST', `/api/queue/check/${event}`, { as: eve, headers: number(9) });
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'NUMBER_TAKEN']);
});

test('entries of a sale that closed before they were consumed take no place', async () => {
  const event = anEvent({ saleClosesAt: new Date(clock.now() + 60_000).toISOString() });
  const ann = person();
  await enter(event, ann);
  clock.advance(60_000);
  await bus.deliver(entries);
  expect(await queue.store.trace({ eventId: event, userId: ann.userId })).toMatchObject({ place: 'none' });
});

test('anyone who leaves before the entry is consumed gets no place by it', async () => {
  const event = anEvent();
  const [ann, bob, cy, dan] = [person(), person(), person(), person()];
  const leave = (as: Person) => call('POST', `/api/queue/leave/${event}`, { as });
  for (const one of [ann, bob, cy, dan]) await enter(event, one);
  for (const one of [ann, bob, cy]) expect((await leave(one)).json()).toEqual({ left: 'nothing' });
  // Back again: by an entry of its own, or at once.
  clock.advance(1);
  await enter(event, bob);
  expect(await check(event, cy)).toMatchObject({ status: 'active' });
  expect(await bus.deliver(entries)).toBe(5);
  const place = async ({ userId }: Person) => {
    const trace = await queue.store.trace({ eventId: event, userId });
    return trace.status === 'ok' ? [trace.place, trace.position] : null;
  };
  expect(await place(ann)).toEqual(['none', null]);
  expect(await place(cy)).toEqual(['active', null]);
  expect(await place(dan)).toEqual(['active', null]);
  expect(await place(bob)).toEqual(['waiting', 1]);
  // Who comes back later is as welcome as anybody.
  await enter(event, ann);
  expect((await leave(bob)).json()).toEqual({ left: 'place' });
  await bus.deliver(entries);
  expect(await place(bob)).toEqual(['none', null]);
  expect(await place(ann)).toEqual(['waiting', 1]);
});

test('a withdrawal is remembered for longer than its entry is kept on the topic', async () => {
  const event = anEvent();
  const ann = person();
  await enter(event, ann);
  await call('POST', `/api/queue/leave/${event}`, { as: ann });
  const known = async () => {
    const { rows } = await queue.database.query('SELECT 1 FROM queue.withdrawn_entries WHERE event_id = $1', [event]);
    return rows.length;
  };
  const ageing = (hours: number) =>
    queue.database.query(`UPDATE queue.withdrawn_entries SET noted_at = urr.now() - interval '${hours} hours'`);
  await ageing(24);
  await runJob('queue-forget-withdrawn');
  expect(await known()).toBe(1);
  await ageing(26);
  await runJob('queue-forget-withdrawn');
  expect(await known()).toBe(0);
});

test('a slot that nobody waited for is claimed by the first question, and not before', async () => {
  const event = anEvent();
  const ann = person();
  await enter(event, ann);
  await bus.deliver(entries);
  const trace = () => queue.store.trace({ eventId: event, userId: ann.userId });
  expect(await trace()).toMatchObject({ place: 'active', slot: { claimed: false } });
  expect(await status(event, ann)).toMatchObject({ status: 'active' });
  expect(await trace()).toMatchObject({ slot: { claimed: true } });
});

test('a hot event has a lane of its own', async () => {
  const [hot, calm] = [anEvent({ hot: true }), anEvent()];
  const [ann, bob] = [person(), person()];
  await enter(hot, ann);
  await enter(calm, bob);
  expect([...bus.sent].map(([topic, events]) => [topic, events.length])).toEqual([
    ['queue-entry-hot', 1],
    ['queue-entry', 1],
  ]);
  await bus.deliver(entries);
  expect(await status(calm, bob)).toMatchObject({ status: 'active' });
  expect(await status(hot, ann)).toMatchObject({ status: 'pending' });
  const role = createQueueHot(queue.deps);
  await bus.deliver(role.consumers[0]);
  expect(await status(hot, ann)).toMatchObject({ status: 'active' });
});

test('hot entries that nobody consumes raise an alarm', async () => {
  const unattended = async () => /^urr_queue_hot_unattended (\d)/m.exec(await queue.deps.metrics.text())?.[1];
  const lag = { topic: 'queue-entry-hot', group: 'queue-entry-hot', partition: 0, end: 9 };
  bus.lags = [{ ...lag, committed: 2, lag: 7 }];
  await runJob('queue-hot-watch');
  expect(await unattended()).toBe('0');
  await runJob('queue-hot-watch');
  expect(await unattended()).toBe('1');
  bus.lags = [{ ...lag, committed: 9, lag: 0 }];
  await runJob('queue-hot-watch');
  expect(await unattended()).toBe('0');
  const hot = anEvent({ hot: true });
  await check(hot, person());
  bus.lags = [];
  await runJob('queue-hot-watch');
  expect(await unattended()).toBe('1');
});
