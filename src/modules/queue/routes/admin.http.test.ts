import { expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { packPlaceOrder } from '../domain/place-order.ts';
import { StoreIsReplica } from '../ports.ts';
import { aQueue, type Person } from '../testing/a-queue.ts';

const queue = await aQueue();
const { anEvent, person, check, status, call, admit, runJob, database, roomsOn, vwrTokens } = queue;
const operator = person('operator');

const act = (event: string, verb: string, body?: unknown) =>
  call('POST', `/api/queue/admin/${event}/${verb}`, { as: operator, ...(body !== undefined && { body }) });
const threshold = (event: string, value: unknown) =>
  call('PUT', `/api/queue/admin/threshold/${event}`, { as: operator, body: { threshold: value } });
const unset = (event: string) => call('DELETE', `/api/queue/admin/threshold/${event}`, { as: operator });
const overview = async (event: string) => (await call('GET', `/api/queue/admin/${event}`, { as: operator })).json();

async function audited(
  event: string,
): Promise<{ action: string; actor_id: string; before: unknown; after: unknown }[]> {
  const { rows } = await database.query<{ action: string; actor_id: string; before: unknown; after: unknown }>(
    'SELECT action, actor_id::text, before, after FROM urr.audit_log WHERE subject = $1 ORDER BY id',
    [event],
  );
  return rows;
}

/** A busy machine may need longer than one answer: then it is written down when it is done. */
async function clear(event: string): Promise<{ cleared: number; more: boolean }> {
  const answer = (await act(event, 'clear')).json();
  const isDone = async () => (await audited(event)).some(({ action }) => action === 'queue.clear');
  await eventually(isDone, { withinMs: 60_000, what: 'the queue to be cleared' });
  return answer;
}

async function crowd(event: string, count: number): Promise<Person[]> {
  const people = Array.from({ length: count }, () => person());
  for (const one of people) await check(event, one);
  return people;
}

test('only operators and admins see and steer a queue', async () => {
  const event = anEvent();
  const ann = person();
  const calls = [
    ['GET', `/api/queue/admin/${event}`],
    ['GET', `/api/queue/admin/${event}/users/${ann.userId}`],
    ['POST', `/api/queue/admin/${event}/users/${ann.userId}/end-slot`],
    ['POST', `/api/queue/admin/${event}/pause`],
    ['POST', `/api/queue/admin/${event}/resume`],
    ['POST', `/api/queue/admin/${event}/close`],
    ['POST', `/api/queue/admin/${event}/clear`],
    ['POST', `/api/queue/admin/${event}/message`],
    ['PUT', `/api/queue/admin/threshold/${event}`],
    ['DELETE', `/api/queue/admin/threshold/${event}`],
  ] as const;
  for (const [method, url] of calls) {
    expect([url, (await call(method, url)).statusCode]).toEqual([url, 401]);
    for (const role of ['buyer', 'seller'] as const) {
      expect([url, (await call(method, url, { as: person(role) })).statusCode]).toEqual([url, 403]);
    }
  }
  expect((await call('GET', `/api/queue/admin/${event}`, { as: person('admin') })).statusCode).toBe(200);
  expect((await call('GET', `/api/queue/admin/${ann.userId}`, { as: operator })).statusCode).toBe(404);
});

test('a raised threshold lets people in; a lowered one drains and evicts nobody', async () => {
  const event = anEvent();
  const people = await crowd(event, 6);
  expect((await threshold(event, 4)).json()).toMatchObject({ threshold: 4 });
  await admit(event);
  const states = async () => {
    const answers = [];
    for (const one of people) answers.push((await status(event, one)).status);
    return answers.filter((state) => state === 'active').length;
  };
  expect(await states()).toBe(4);
  await threshold(event, 1);
  await admit(event);
  expect(await states()).toBe(4);
  for (const one of people.slice(0, 3)) await call('POST', `/api/queue/leave/${event}`, { as: one });
  await admit(event);
  expect((await call('GET', `/api/queue/admin/${event}`, { as: operator })).json()).toMatchObject({
    active: 1,
    waiting: 2,
  });
  expect((await audited(event)).map(({ action, before, after }) => [action, before, after])).toMatchObject([
    ['queue.threshold', { threshold: 2 }, { threshold: 4 }],
    ['queue.threshold', { threshold: 4 }, { threshold: 1 }],
  ]);
});

test('room that an operator makes is taken at once, not with the next tick', async () => {
  const event = anEvent();
  const [, , cy = person(), di = person()] = await crowd(event, 4);
  await threshold(event, 3);
  expect(await status(event, cy)).toMatchObject({ status: 'active', threshold: 3, currentUsers: 3 });
  await act(event, 'pause');
  await threshold(event, 4);
  expect(await status(event, di)).toMatchObject({ status: 'waiting', paused: true });
  await act(event, 'resume');
  expect(await status(event, di)).toMatchObject({ status: 'active' });
});

test('a threshold that makes no sense is refused', async () => {
  const event = anEvent();
  for (const value of [-1, 1.5, 1e9, '7', null]) expect((await threshold(event, value)).statusCode).toBe(400);
  expect(await audited(event)).toEqual([]);
});

test.each([
  { queueThreshold: 5, plain: { threshold: 5, thresholdFrom: 'event' } },
  { queueThreshold: null, plain: { threshold: 2, thresholdFrom: 'default' } },
])(
  'a threshold that is unset is $plain.threshold again, that of the $plain.thresholdFrom',
  async ({ queueThreshold, plain }) => {
    const event = anEvent({ queueThreshold });
    const people = await crowd(event, 6);
    expect(await overview(event)).toMatchObject(plain);
    await threshold(event, 3);
    expect(await overview(event)).toMatchObject({ threshold: 3, thresholdFrom: 'operator' });
    for (let times = 0; times < 2; times++) {
      expect((await unset(event)).json()).toEqual({
        threshold: plain.threshold,
        paused: false,
        closed: false,
        message: null,
      });
      expect(await overview(event)).toMatchObject({ ...plain, active: Math.max(3, plain.threshold) });
    }
    // Also to the job that compares the store with what is set.
    for (let ticks = 0; ticks < 3; ticks++) {
      queue.clock.advance(1_000);
      await runJob('queue-admission');
    }
    expect(await overview(event)).toMatchObject(plain);
    expect(await status(event, people[0] ?? person())).toMatchObject({ status: 'active' });
    expect((await audited(event)).map(({ action, before, after }) => [action, before, after])).toMatchObject([
      ['queue.threshold', { threshold: plain.threshold }, { threshold: 3 }],
      ['queue.threshold.unset', { threshold: 3 }, { threshold: plain.threshold }],
      ['queue.threshold.unset', { threshold: plain.threshold }, { threshold: plain.threshold }],
    ]);
  },
);

test('a threshold stays set when its unsetting cannot be written down', async () => {
  const event = anEvent();
  const ann = person();
  await check(event, ann);
  await threshold(event, 7);
  await withoutAudit(async () => {
    expect((await unset(event)).statusCode).toBeGreaterThanOrEqual(500);
  });
  expect(await overview(event)).toMatchObject({ threshold: 7, thresholdFrom: 'operator' });
});

test('a paused queue places people, admits nobody and says so; resumed it goes on', async () => {
  const event = anEvent();
  expect((await act(event, 'pause')).json()).toMatchObject({ paused: true });
  const ann = person();
  expect(await check(event, ann)).toMatchObject({ status: 'waiting', paused: true, estimatedWait: null });
  await admit(event);
  expect(await status(event, ann)).toMatchObject({ status: 'waiting' });
  await act(event, 'resume');
  await admit(event);
  expect(await status(event, ann)).toMatchObject({ status: 'active', paused: false });
  expect((await audited(event)).map(({ action, actor_id }) => [action, actor_id])).toEqual([
    ['queue.pause', operator.userId],
    ['queue.resume', operator.userId],
  ]);
});

test('a closed queue takes nobody new and goes on with those who wait', async () => {
  const event = anEvent();
  const people = await crowd(event, 3);
  await act(event, 'close');
  expect(await check(event, person())).toMatchObject({ status: 'closed' });
  roomsOn.add(event);
  const numbered = { sub: event, uid: 'visitor', pos: 7, era: 1, tier: 1, jti: 'number-7' } as const;
  const { token } = vwrTokens.sign(numbered);
  for (const headers of [{ cookie: `urr-vwr-token=${token}` }, {}]) {
    expect(await check(event, person(), { headers })).toMatchObject({ status: 'closed' });
    const buffered = await call('POST', `/api/queue/enter/${event}`, { as: person(), headers });
    expect(buffered.json()).toMatchObject({ status: 'closed' });
  }
  for (const one of people) expect((await check(event, one)).status).not.toBe('closed');
  const [first] = people;
  await call('POST', `/api/queue/leave/${event}`, first ? { as: first } : {});
  await admit(event);
  expect((await call('GET', `/api/queue/admin/${event}`, { as: operator })).json()).toMatchObject({
    active: 2,
    closed: true,
  });
});

test('a message is shown to everybody who waits, until it is taken away', async () => {
  const event = anEvent();
  const [, , waiting = person()] = await crowd(event, 3);
  await act(event, 'message', { message: '곧 다시 시작합니다' });
  expect(await status(event, waiting)).toMatchObject({ message: '곧 다시 시작합니다' });
  await act(event, 'message', { message: null });
  expect(await status(event, waiting)).toMatchObject({ message: null });
  for (const message of ['', 'x'.repeat(501), 'a\u0000b', 7]) {
    expect((await act(event, 'message', { message })).statusCode).toBe(400);
  }
});

test('clearing ends every place for good and leaves the slots alone', async () => {
  const event = anEvent();
  const people = await crowd(event, 1_205);
  const answer = await clear(event);
  expect(answer).toEqual({ cleared: answer.more ? expect.any(Number) : 1_203, more: expect.any(Boolean) });
  expect((await call('GET', `/api/queue/admin/${event}`, { as: operator })).json()).toMatchObject({
    waiting: 0,
    active: 2,
  });
  const last = people.at(-1) ?? person();
  expect(await status(event, last)).toMatchObject({ status: 'none' });
  const upTo = [0, packPlaceOrder({ lane: 1, era: 0, number: 1_205 })];
  expect((await audited(event)).map(({ action, before, after }) => [action, before, after])).toEqual([
    ['queue.clear.begin', { places: 1_203, upTo }, null],
    ['queue.clear', null, { cleared: 1_203, left: 0 }],
  ]);
  expect(await check(event, last)).toMatchObject({ status: 'waiting', position: 1 });
});

test('nobody is cleared whose clearing cannot be written down', async () => {
  const event = anEvent();
  await crowd(event, 5);
  await withoutAudit(async () => {
    expect((await act(event, 'clear')).statusCode).toBeGreaterThanOrEqual(500);
  });
  expect(await overview(event)).toMatchObject({ waiting: 3, active: 2 });
  expect(await audited(event)).toEqual([]);
  // A clearing that did not begin does not stand in the way of the next.
  await clear(event);
  expect(await overview(event)).toMatchObject({ waiting: 0, active: 2 });
});

test('a slot that the operator takes away is over at once, token and all', async () => {
  const event = anEvent();
  const ann = person();
  const { entryToken = '' } = await check(event, ann);
  const end = () => act(event, `users/${ann.userId}/end-slot`);
  expect((await end()).json()).toEqual({ ended: true });
  expect((await queue.seats(event, ann, { 'x-queue-entry-token': entryToken })).statusCode).toBe(403);
  expect((await end()).json()).toEqual({ ended: false });
  expect((await audited(event)).map(({ action }) => action)).toEqual(['queue.slot.end']);
});

test('the overview counts, and tells where a person is and why', async () => {
  const event = anEvent();
  const [ann = person(), , cy = person()] = await crowd(event, 4);
  await runJob('queue-snapshots');
  const overview = (await call('GET', `/api/queue/admin/${event}`, { as: operator })).json();
  expect(overview).toMatchObject({ waiting: 2, parked: 0, active: 2, threshold: 2, recovering: false, stale: false });
  expect(overview.totals).toMatchObject({ joined: 4 });
  expect(overview.admittedPerSecond).toHaveLength(60);
  expect(overview.history.at(-1)).toMatchObject({ waiting: 2, active: 2 });
  const trace = async (one: Person) =>
    (await call('GET', `/api/queue/admin/${event}/users/${one.userId}`, { as: operator })).json();
  expect(await trace(ann)).toMatchObject({ place: 'active', claimed: true, why: 'in a slot' });
  expect(await trace(cy)).toMatchObject({ place: 'waiting', position: 1, why: 'waiting for a slot' });
  expect(await trace(person())).toMatchObject({ place: 'none', position: null });
});

async function withoutAudit(run: () => Promise<void>): Promise<void> {
  await database.query('ALTER TABLE urr.audit_log RENAME TO audit_log_away');
  try {
    await run();
  } finally {
    await database.query('ALTER TABLE urr.audit_log_away RENAME TO audit_log');
  }
}

test('a change that cannot be written down does not stay in force', async () => {
  const event = anEvent();
  const ann = person();
  await check(event, ann);
  await withoutAudit(async () => {
    expect((await threshold(event, 50)).statusCode).toBeGreaterThanOrEqual(500);
  });
  await runJob('queue-snapshots');
  expect(await status(event, ann)).toMatchObject({ threshold: 2 });
});

test('a slot is not taken away when that cannot be written down', async () => {
  const event = anEvent();
  const ann = person();
  await check(event, ann);
  await withoutAudit(async () => {
    expect((await act(event, `users/${ann.userId}/end-slot`)).statusCode).toBeGreaterThanOrEqual(500);
  });
  expect(await status(event, ann)).toMatchObject({ status: 'active' });
});

test('a change that is taken back takes no other change with it', async () => {
  const event = anEvent();
  await check(event, person());
  const settings = async () => {
    const snapshot = await queue.store.snapshot({ eventId: event });
    return snapshot.status === 'ok' ? snapshot.settings : null;
  };
  await withoutAudit(async () => {
    let refused: ReturnType<typeof threshold> | undefined;
    await database.transaction(async (tx) => {
      // The first operator's change is in the store, and waits here to be written down.
      await tx.query('SELECT 1 FROM queue.events WHERE event_id = $1 FOR UPDATE', [event]);
      refused = threshold(event, 50);
      await eventually(async () => (await settings())?.threshold === 50, {
        withinMs: 30_000,
        what: 'it is in the store',
      });
      await queue.store.configure({ eventId: event, changes: { paused: true } });
    });
    expect((await refused)?.statusCode).toBeGreaterThanOrEqual(500);
  });
  expect(await settings()).toMatchObject({ threshold: 2, paused: true });
});

async function metric(name: string): Promise<number | undefined> {
  return (await queue.deps.metrics.registry.getSingleMetric(name)?.get())?.values[0]?.value;
}

/** What `/ready` would say of the module; null: nothing. */
async function problem(): Promise<string | null> {
  const checks = (queue.instance.checks ?? []).map(({ check: passes }) => passes());
  return Promise.all(checks).then(
    () => null,
    (error: Error) => error.message,
  );
}

const untilProblem = (wanted: string | null) =>
  eventually(
    async () => {
      await runJob('queue-admission');
      const now = await problem();
      return wanted === null ? now === null : now?.includes(wanted) === true;
    },
    { withinMs: 60_000, what: `the problem to be ${wanted}` },
  );

test('a process on a read replica is not ready, and says so to operators', async () => {
  const event = anEvent();
  await check(event, person());
  expect([await problem(), await overview(event)]).toMatchObject([null, { superseded: false }]);
  const { identity, servers } = queue.store;
  const refuse = () => Promise.reject(new StoreIsReplica('a replica'));
  Object.assign(queue.store, { identity: refuse, servers: refuse });
  await untilProblem('read replica');
  expect(await overview(event)).toMatchObject({ superseded: true });
  expect(await metric('urr_queue_on_replica')).toBe(1);
  Object.assign(queue.store, { identity, servers });
  await untilProblem(null);
  expect(await overview(event)).toMatchObject({ superseded: false });
  expect(await metric('urr_queue_on_replica')).toBe(0);
});

test('a process on a superseded server is not ready, and says so to operators', async () => {
  const event = anEvent();
  await check(event, person());
  await runJob('queue-admission');
  await database.query(
    `UPDATE queue.events SET identity = 'another', superseded = '{memory}', epoch = 2 WHERE event_id = $1`,
    [event],
  );
  await database.query(`INSERT INTO queue.servers VALUES ('another', urr.now() + interval '1 hour')`);
  await untilProblem('superseded server');
  expect(await overview(event)).toMatchObject({ superseded: true });
  expect(await metric('urr_queue_superseded')).toBe(1);
  await database.query(`UPDATE queue.events SET identity = 'memory', epoch = 1 WHERE event_id = $1`, [event]);
  await untilProblem(null);
  expect(await overview(event)).toMatchObject({ superseded: false });
});

test('a loss is counted, and that the queue was brought back', async () => {
  const event = anEvent();
  const counts = async () => [await metric('urr_queue_losses_total'), await metric('urr_queue_recoveries_total')];
  const ann = person();
  await check(event, ann);
  const [lost = 0, back = 0] = await counts();
  queue.store.wipe(event);
  expect(await check(event, ann)).toMatchObject({ status: 'active' });
  expect(await counts()).toEqual([lost + 1, back + 1]);
});
