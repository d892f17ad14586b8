import { describe, expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { aQueueOfEras, aWaitingRoom } from './testing/a-waiting-room.ts';

const room = await aWaitingRoom();
const { call, assign, check, act, aRoom, anEvent, browser, staff, clock, vwrTokens, database } = room;

/** The same but for its last character, which becomes another one of its kind. */
function nextText(text: string): string {
  const last = text.at(-1) ?? '';
  const next = /\d/.test(last) ? String((Number(last) + 1) % 10) : last === 'a' ? 'b' : 'a';
  return text.slice(0, -1) + next;
}

async function audited(subject: string) {
  const { rows } = await database.query<{ action: string; before: unknown; after: unknown }>(
    'SELECT action, before, after FROM urr.audit_log WHERE subject = $1 ORDER BY id',
    [subject],
  );
  return rows;
}

describe('a visitor', () => {
  test('takes a number, waits, and gets the pass when the line has come so far', async () => {
    const eventId = await aRoom();
    await act('schedule', eventId, { rate: 2 });
    const visitors = [browser(), browser(), browser()];
    const places = [];
    for (const one of visitors) places.push(await assign(eventId, one));
    expect(places.map(({ position, ahead }) => [position, ahead])).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    expect(places[2]).toMatchObject({ servingCounter: 0, estimatedWait: 2 });
    const third = places[2]?.requestId ?? '';
    expect((await check(eventId, third, visitors[2])).json()).toMatchObject({ admitted: false, position: 3, ahead: 2 });

    await room.pass(1_500);
    expect(await room.status(eventId)).toMatchObject({ serving: 3, totalInQueue: 3, waitingCount: 0, phase: 'open' });
    const answer = await check(eventId, third, visitors[2]);
    expect(answer.json()).toMatchObject({ admitted: true, servingCounter: 3 });
    const verified = vwrTokens.verify(answer.json().token);
    if (!verified.ok) throw new Error('the pass is not good');
    const era = verified.claims.era;
    expect(verified.claims).toMatchObject({
      sub: eventId,
      pos: 3,
      tier: 1,
      jti: `${era}.3`,
      exp: verified.claims.iat + 600,
    });
    const cookie = answer.cookies.find(({ name }) => name === `urr-vwr-token-${eventId}`);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', maxAge: 600, path: '/' });
  });

  test('keeps the number of the browser, whatever the body says', async () => {
    const eventId = await aRoom();
    const one = browser();
    const first = await assign(eventId, one);
    const again = await call('POST', `/vwr/assign/${eventId}`, { as: one, body: { userId: 'somebody', position: 1 } });
    expect(again.json()).toMatchObject({ requestId: first.requestId, position: first.position });
    const cookie = again.cookies.find(({ name }) => name === `urr-vwr-request-${eventId}`);
    expect(cookie).toMatchObject({ value: first.requestId, httpOnly: true, sameSite: 'Lax' });
    const bare = await call('POST', `/vwr/assign/${eventId}`, { as: one });
    expect(bare.json().position).toBe(first.position);
    expect((await assign(eventId, browser())).position).toBe(first.position + 1);
  });

  test('reaches the room under /vwr-api as well', async () => {
    const eventId = await aRoom();
    expect((await call('POST', `/vwr-api/vwr/assign/${eventId}`, { body: {} })).json()).toMatchObject({ position: 1 });
    expect((await call('GET', `/vwr-api/vwr/status/${eventId}`)).json()).toMatchObject({ isActive: true });
    const as = staff();
    expect((await call('GET', `/vwr-api/api/v1/admin/vwr/status/${eventId}`, { as })).statusCode).toBe(200);
  });

  test('is told that there is no room', async () => {
    const [eventId, unknown] = [anEvent(), anEvent()];
    expect((await call('POST', `/vwr/assign/${eventId}`, { body: {} })).json()).toMatchObject({
      status: 404,
      code: 'ROOM_NOT_ACTIVE',
    });
    expect((await call('GET', `/vwr/status/${unknown}`)).statusCode).toBe(404);
    expect((await call('GET', '/vwr/status/nonsense')).statusCode).toBe(400);
  });

  test('goes on with a number of before when the room is off, and gets no new one', async () => {
    const eventId = await aRoom();
    await act('schedule', eventId, { rate: 0 });
    const [one, two] = [browser(), browser()];
    const { requestId } = await assign(eventId, one);
    expect((await act('deactivate', eventId)).json()).toMatchObject({ isActive: false });
    expect((await check(eventId, requestId, one)).json()).toMatchObject({ admitted: true });
    expect((await call('POST', `/vwr/assign/${eventId}`, { as: two, body: {} })).statusCode).toBe(404);
    expect(await room.status(eventId)).toMatchObject({ isActive: false });
  });

  test('with a requestId that is edited, of another event, or of another visitor gets nothing', async () => {
    const [eventId, otherEvent] = [await aRoom(), await aRoom()];
    const [one, two] = [browser(), browser()];
    const [mine, others] = [await assign(eventId, one), await assign(eventId, two)];
    await act('advance', eventId, { batchSize: 10 });
    // Kind, event, era, number, visitor, when, MAC: each of them.
    const fields = mine.requestId.split('.');
    const edits = fields.map((field, at) => fields.with(at, nextText(field)).join('.'));
    for (const [event, requestId, as] of [
      ...edits.map((edited) => [eventId, edited, browser()] as const),
      [otherEvent, mine.requestId, browser()],
      [eventId, others.requestId, one],
      [eventId, `${mine.requestId}x`, one],
      [eventId, 'uvr1.x', browser()],
    ] as const) {
      expect((await check(event, requestId, as)).json()).toMatchObject({ status: 404, code: 'REQUEST_REFUSED' });
    }
    expect((await check(eventId, mine.requestId, one)).json()).toMatchObject({ admitted: true });
    // A cookie that proves nothing here is no number.
    one.cookies.set(`urr-vwr-request-${otherEvent}`, mine.requestId);
    expect((await assign(otherEvent, one)).position).toBe(1);
  });

  test('has a number until a day after the sale', async () => {
    const eventId = await aRoom({ saleClosesAt: new Date(clock.now() + 60_000).toISOString() });
    const one = browser();
    const { requestId } = await assign(eventId, one);
    await act('advance', eventId, { batchSize: 1 });
    clock.advance(60_000);
    expect(await room.status(eventId)).toMatchObject({ phase: 'closed' });
    clock.advance(24 * 3_600_000 - 1_000);
    expect((await check(eventId, requestId, one)).statusCode).toBe(200);
    clock.advance(1_000);
    expect((await check(eventId, requestId, one)).statusCode).toBe(404);
  });

  test('keeps the eight newest numbers', async () => {
    const one = browser();
    const events = [];
    for (let n = 0; n < 10; n++) {
      events.push(await aRoom());
      clock.advance(1_000);
      await assign(events[n] ?? '', one);
    }
    const kept = [...one.cookies.keys()].map((name) => name.replace('urr-vwr-request-', ''));
    expect(kept.toSorted()).toEqual(events.slice(2).toSorted());
  });
});

test('the status document may be kept for a second, and answers of one person may not', async () => {
  const eventId = await aRoom();
  expect((await call('GET', `/vwr/status/${eventId}`)).headers['cache-control']).toBe('public, max-age=1');
  const assigned = await call('POST', `/vwr/assign/${eventId}`, { body: {} });
  expect(assigned.headers['cache-control']).toBe('no-store');
  expect((await check(eventId, assigned.json().requestId)).headers['cache-control']).toBe('no-store');
});

describe('an operator', () => {
  test('alone may see and steer a room', async () => {
    const eventId = await aRoom();
    const { requestId } = await assign(eventId);
    const calls = [
      ['POST', `/api/admin/vwr/activate/${eventId}`],
      ['POST', `/api/admin/vwr/deactivate/${eventId}`],
      ['POST', `/api/admin/vwr/advance/${eventId}`],
      ['POST', `/api/admin/vwr/pause/${eventId}`],
      ['POST', `/api/admin/vwr/resume/${eventId}`],
      ['POST', `/api/admin/vwr/message/${eventId}`],
      ['PUT', `/api/admin/vwr/schedule/${eventId}`],
      ['GET', `/api/admin/vwr/status/${eventId}`],
      ['GET', `/api/admin/vwr/trace/${requestId}`],
    ] as const;
    for (const [method, path] of calls) {
      expect([path, (await call(method, path)).statusCode]).toEqual([path, 401]);
      expect([path, (await call(method, path, { as: staff('buyer') })).statusCode]).toEqual([path, 403]);
    }
    expect((await act('activate', '018f0000-0000-7000-8000-00000000dead')).statusCode).toBe(404);
    expect((await act('pause', anEvent())).statusCode).toBe(404);
  });

  test('switches a room on as often as they like: it is on once', async () => {
    const eventId = anEvent();
    const first = (await act('activate', eventId)).json();
    const one = browser();
    await assign(eventId, one);
    expect((await act('activate', eventId)).json()).toMatchObject({ era: first.era, totalInQueue: 1 });
    const both = await Promise.all([act('activate', eventId, {}), act('activate', eventId, { reset: false })]);
    for (const answer of both) expect(answer.json()).toMatchObject({ era: first.era, isActive: true });
    expect((await audited(eventId)).map(({ action }) => action)).toEqual(['waiting-room.activate']);
  });

  test('resets a room: numbers begin anew, and those of before are served first', async () => {
    const eventId = await aRoom();
    await act('schedule', eventId, { rate: 0 });
    const [early, late] = [browser(), browser()];
    for (let n = 0; n < 4; n++) await assign(eventId);
    const before = await assign(eventId, early);
    const { era } = (await act('activate', eventId)).json();
    const reset = (await act('activate', eventId, { reset: true })).json();
    expect(reset.era).toBeGreaterThan(era);
    expect(reset).toMatchObject({ totalInQueue: 0, serving: 0, waitingCount: 5 });
    const after = await assign(eventId, late);
    expect(after).toMatchObject({ position: 1, line: 6, ahead: 5, servingCounter: 0 });
    await act('advance', eventId, { batchSize: 5 });
    expect((await check(eventId, before.requestId, early)).json()).toMatchObject({ admitted: true, position: 5 });
    expect((await check(eventId, after.requestId, late)).json()).toMatchObject({ admitted: false, ahead: 0 });
    await act('advance', eventId, { batchSize: 1 });
    expect(await room.status(eventId)).toMatchObject({ serving: 1, servingLine: 6 });
    expect((await check(eventId, after.requestId, late)).json()).toMatchObject({ admitted: true, position: 1 });
    // The old number is still the browser's.
    expect(await assign(eventId, early)).toMatchObject({ requestId: before.requestId });
  });

  test('switches a room off and on again: those of before are let on, and nobody waits for them', async () => {
    const eventId = await aRoom();
    await act('schedule', eventId, { rate: 0 });
    const early = browser();
    const before = await assign(eventId, early);
    await act('deactivate', eventId);
    await act('activate', eventId);
    expect((await check(eventId, before.requestId, early)).json()).toMatchObject({ admitted: true });
    const after = await assign(eventId, browser());
    expect(after).toMatchObject({ position: 1, ahead: 0 });
    expect((await check(eventId, after.requestId)).json()).toMatchObject({ admitted: false });
  });

  test('pauses, sets the rate and tells people something', async () => {
    const eventId = await aRoom();
    for (let n = 0; n < 30; n++) await assign(eventId);
    expect((await act('pause', eventId)).json()).toMatchObject({ phase: 'paused', rateNow: 0 });
    await room.pass(1_000);
    const serving = (await room.status(eventId)).serving;
    await room.pass(1_000);
    expect(await room.status(eventId)).toMatchObject({ serving, phase: 'paused', rate: 0 });
    expect((await assign(eventId)).estimatedWait).toBeNull();
    await act('schedule', eventId, { rate: 5 });
    expect((await act('resume', eventId)).json()).toMatchObject({ phase: 'open', rate: 5 });
    await room.pass(2_000);
    expect((await room.status(eventId)).serving).toBeGreaterThanOrEqual(Number(serving) + 10);
    await act('message', eventId, { message: '곧 다시 시작합니다' });
    expect(await room.status(eventId)).toMatchObject({ message: '곧 다시 시작합니다' });
    await act('message', eventId, { message: null });
    expect(await room.status(eventId)).toMatchObject({ message: null });
    expect((await audited(eventId)).map(({ action, before, after }) => [action, before, after]).slice(1)).toEqual([
      ['waiting-room.pause', { paused: false }, { paused: true }],
      ['waiting-room.schedule', { rate: null, isAuto: false }, { rate: 5, isAuto: false }],
      ['waiting-room.resume', { paused: true }, { paused: false }],
      ['waiting-room.message', { message: null }, { message: '곧 다시 시작합니다' }],
      ['waiting-room.message', { message: '곧 다시 시작합니다' }, { message: null }],
    ]);
  });

  test('says when the line begins to be served: until then people only gather', async () => {
    const opens = new Date(clock.now() + 60_000).toISOString();
    const eventId = await aRoom({ saleOpensAt: opens });
    const one = await assign(eventId);
    expect(one.estimatedWait).toBeNull();
    await room.pass(500);
    expect(await room.status(eventId)).toMatchObject({ phase: 'prequeue', opensAt: opens, serving: 0 });
    await act('schedule', eventId, { opensAt: null });
    await room.pass(500);
    expect(await room.status(eventId)).toMatchObject({ phase: 'open', opensAt: null, serving: 1 });
  });

  test('traces a visitor', async () => {
    const eventId = await aRoom();
    await act('schedule', eventId, { rate: 0 });
    await assign(eventId);
    const { requestId } = await assign(eventId);
    const trace = async () => (await call('GET', `/api/admin/vwr/trace/${requestId}`, { as: staff() })).json();
    expect(await trace()).toMatchObject({ eventId, position: 2, line: 2, ahead: 1, state: 'waiting' });
    await act('advance', eventId, { batchSize: 2 });
    expect(await trace()).toMatchObject({ state: 'served', ahead: null, servingLine: 2 });
    await act('deactivate', eventId);
    expect(await trace()).toMatchObject({ state: 'off' });
    const unknown = await call('GET', `/api/admin/vwr/trace/${requestId}x`, { as: staff() });
    expect(unknown.statusCode).toBe(404);
  });

  test('guards the whole site with the room *', async () => {
    const { era } = (await act('activate', '*')).json();
    const one = browser();
    const { requestId, position } = await assign('*', one);
    expect(position).toBe(1);
    await act('advance', '*', { batchSize: 1 });
    const answer = await check('*', requestId, one);
    expect(vwrTokens.verify(answer.json().token)).toMatchObject({ ok: true, claims: { sub: '*', era } });
    expect(one.cookies.has('urr-vwr-token-*')).toBe(true);
    await act('deactivate', '*');
  });
});

test('those who guard hear which rooms are on', async () => {
  const rooms = async () => {
    const ask = room.instance.internal.activeRooms as (input: object) => Promise<{ rooms: { eventId: string }[] }>;
    return (await ask({})).rooms;
  };
  const eventId = await aRoom();
  const { era } = (await act('schedule', eventId, { failMode: 'open' })).json();
  expect(await rooms()).toContainEqual({ eventId, mode: 'site', era, failMode: 'open' });
  await act('deactivate', eventId);
  expect((await rooms()).some((one) => one.eventId === eventId)).toBe(false);
});

test('tier 2 hears of every switch, also of one that was made while it was away', async () => {
  const queue = aQueueOfEras();
  const away = { on: false };
  const withQueue = await aWaitingRoom({
    queue: {
      ...queue,
      async switchRoom(call) {
        if (away.on) throw platformErrors.fault('ROLE_UNAVAILABLE');
        return queue.switchRoom(call);
      },
    },
  });
  const eventId = await withQueue.aRoom();
  expect(queue.eras.get(eventId)).toEqual({ era: 1, on: true });
  away.on = true;
  expect((await withQueue.act('deactivate', eventId)).json()).toMatchObject({ isActive: false });
  expect(queue.eras.get(eventId)).toMatchObject({ on: true });
  // An era cannot be made up.
  expect((await withQueue.act('activate', eventId)).statusCode).toBe(503);
  away.on = false;
  await withQueue.runJob('refresh');
  await withQueue.runJob('follow');
  expect(queue.eras.get(eventId)).toEqual({ era: 2, on: false });
  expect((await withQueue.act('activate', eventId)).json()).toMatchObject({ era: 3 });
  await withQueue.runJob('follow');
  expect(queue.eras.get(eventId)).toEqual({ era: 3, on: true });
});

describe('the flow of a line', () => {
  test('follows a ramp: slow at first, faster afterwards', async () => {
    const eventId = await aRoom();
    for (let n = 0; n < 100; n++) await assign(eventId);
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const ramp = [
      { at: at(2_000), rate: 20 },
      { at: at(0), rate: 5 },
      { at: at(4_000), rate: 0 },
    ];
    const answer = (await act('schedule', eventId, { rate: 1_000, ramp })).json();
    expect(answer.ramp.map(({ rate }: { rate: number }) => rate)).toEqual([5, 20, 0]);
    await room.pass(2_000);
    expect((await room.status(eventId)).serving).toBeLessThanOrEqual(12);
    await room.pass(4_000);
    const { serving, rate } = await room.status(eventId);
    expect(rate).toBe(0);
    expect(serving).toBeGreaterThan(30);
    expect(serving).toBeLessThanOrEqual(55);
    expect((await act('schedule', eventId, { ramp: null })).json()).toMatchObject({ ramp: null, rate: 1_000 });
    expect((await act('schedule', eventId, { ramp: [] })).statusCode).toBe(400);
  });

  test('follows the line behind the room where the rate is automatic', async () => {
    const queue = aQueueOfEras();
    const own = await aWaitingRoom({ queue });
    const eventId = await own.aRoom();
    for (let n = 0; n < 200; n++) await own.assign(eventId);
    const demand = {
      waiting: 0,
      freeSlots: 0,
      threshold: 600,
      slotSeconds: 600,
      measuredRate: 2,
      entered: 0,
      epoch: 1,
    };
    queue.demands.set(eventId, { ...demand, soldOut: false, waiting: 300 });
    expect((await own.act('schedule', eventId, { rate: 'auto' })).json()).toMatchObject({ rate: 'auto' });
    await own.runJob('advance');
    await own.runJob('flow');
    const overview = async () =>
      (await own.call('GET', `/api/admin/vwr/status/${eventId}`, { as: own.staff() })).json();
    expect(await overview()).toMatchObject({ rateNow: 1, soldOut: false });
    await own.pass(10_000);
    const { serving } = await own.status(eventId);
    expect(serving).toBeGreaterThanOrEqual(9);
    expect(serving).toBeLessThanOrEqual(11);
    // The queue is away, or has nothing to say: the rate stays.
    queue.demands.delete(eventId);
    await own.runJob('flow');
    expect(await overview()).toMatchObject({ rateNow: 1 });
    queue.demands.set(eventId, { ...demand, soldOut: true });
    await own.runJob('flow');
    expect(await overview()).toMatchObject({ rateNow: 0, soldOut: true });
    expect(await own.status(eventId)).toMatchObject({ soldOut: true, rate: 0 });
    expect((await own.assign(eventId)).estimatedWait).toBeNull();
    // A seat came back.
    queue.demands.set(eventId, { ...demand, soldOut: false, freeSlots: 10 });
    own.clock.advance(10_000);
    await own.runJob('advance');
    await own.runJob('flow');
    expect((await overview()).rateNow).toBeGreaterThan(0);
    expect((await own.act('schedule', eventId, { rate: 30 })).json()).toMatchObject({ rate: 30, rateNow: 30 });
  });
});
