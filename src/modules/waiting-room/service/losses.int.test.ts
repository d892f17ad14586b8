import { describe, expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { createMemoryCounters } from '../counters/memory.ts';
import { aQueueOfEras, aWaitingRoom } from '../testing/a-waiting-room.ts';

/** Several processes on one database and one store of counters. */
async function processes(count: number, options: { shared?: boolean } = {}) {
  const { url } = await aDatabase();
  const clock = aClock();
  const counters = createMemoryCounters({ clock });
  const own = () => (options.shared === false ? createMemoryCounters({ clock }) : counters);
  const rooms = [];
  const queue = aQueueOfEras();
  for (let n = 0; n < count; n++) rooms.push(await aWaitingRoom({ databaseUrl: url, clock, counters: own, queue }));
  return { rooms, counters, clock };
}

type Room = Awaited<ReturnType<typeof aWaitingRoom>>;
const crowd = (room: Room, eventId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => room.assign(eventId)));
const numbers = (places: readonly { position: number }[]) => places.map(({ position }) => position);
const sorted = (all: readonly number[]) => all.toSorted((a, b) => a - b);
const admitted = async (room: Room, eventId: string, places: readonly { requestId: string }[]) => {
  const checked = await Promise.all(places.map(({ requestId }) => room.check(eventId, requestId)));
  return checked.filter((answer) => answer.json().admitted === true).length;
};
/** Two programs one after the other, each with counters of its own: the first is killed. */
const killedAndNext = async () => (await processes(2, { shared: false })).rooms as [Room, Room];
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

describe('numbers', () => {
  test('of 200 that come at once in each of two processes are unique and have no gaps', async () => {
    const { rooms } = await processes(2);
    const [one, two] = rooms as [Room, Room];
    const eventId = await one.aRoom();
    await two.runJob('refresh');
    const places = (await Promise.all([crowd(one, eventId, 200), crowd(two, eventId, 200)])).flat();
    expect(sorted(numbers(places))).toEqual(upTo(400));
    expect(sorted(places.map(({ line }) => line))).toEqual(upTo(400));
  });

  test('go on behind the bound after a loss, and those of before are served first', async () => {
    const { rooms, counters } = await processes(2);
    const [one, two] = rooms as [Room, Room];
    const eventId = await one.aRoom();
    await one.act('schedule', eventId, { rate: 0 });
    await two.runJob('refresh');
    const early = await crowd(one, eventId, 30);
    await one.pass(1_000);
    counters.forget();
    const late = (await Promise.all([crowd(one, eventId, 50), crowd(two, eventId, 50)])).flat();
    expect(sorted(numbers(late))).toEqual(upTo(10_100, 10_001));
    // Nobody waits for numbers that were never given.
    expect(sorted(late.map(({ line }) => line))).toEqual(upTo(130, 31));
    await one.runJob('refresh');
    expect(await one.status(eventId)).toMatchObject({ waitingCount: 130, servingLine: 0 });

    await one.act('advance', eventId, { batchSize: 30 });
    for (const { requestId } of early)
      expect((await two.check(eventId, requestId)).json()).toMatchObject({ admitted: true });
    const first = late.find(({ line }) => line === 31);
    expect((await two.check(eventId, first?.requestId ?? '')).json()).toMatchObject({ admitted: false, ahead: 0 });
    await one.act('advance', eventId, { batchSize: 1 });
    expect((await two.check(eventId, first?.requestId ?? '')).json()).toMatchObject({ admitted: true });
    expect(await one.status(eventId)).toMatchObject({ serving: 10_001, servingLine: 31 });
  });

  test('of the second before a loss that nobody saved are given to nobody else, and keep their places', async () => {
    const [killed, next] = await killedAndNext();
    const eventId = await killed.aRoom();
    await killed.act('schedule', eventId, { rate: 0 });
    const saved = await crowd(killed, eventId, 20);
    await killed.pass(1_100);
    const unsaved = await crowd(killed, eventId, 5);
    await next.runJob('refresh');
    const late = await crowd(next, eventId, 10);
    const all = numbers([...saved, ...unsaved, ...late]);
    expect(new Set(all).size).toBe(35);
    expect(late.every(({ position }) => position > 10_000)).toBe(true);
    await next.act('advance', eventId, { batchSize: 20 });
    expect(await admitted(next, eventId, saved)).toBe(20);
    expect(await admitted(next, eventId, [...unsaved, ...late])).toBe(0);
    await next.act('advance', eventId, { batchSize: 5 });
    expect(await admitted(next, eventId, unsaved)).toBe(5);
    expect(await admitted(next, eventId, late)).toBe(5);
  });

  test('of a crowd whose process was killed before it saved any of them open nothing before the opening, and then at the rate', async () => {
    const [killed, next] = await killedAndNext();
    const eventId = await killed.aRoom({ saleOpensAt: new Date(killed.clock.now() + 60_000).toISOString() });
    await killed.act('schedule', eventId, { rate: 10 });
    const unsaved = await crowd(killed, eventId, 100);
    await next.runJob('refresh');
    await next.pass(1_000);
    expect(await admitted(next, eventId, unsaved)).toBe(0);
    next.clock.advance(60_000);
    // Nobody else comes, and the line goes on to them all the same.
    await next.pass(3_000);
    const soon = await admitted(next, eventId, unsaved);
    expect(soon).toBeGreaterThanOrEqual(20);
    expect(soon).toBeLessThanOrEqual(50);
    // Whoever comes now does not wait for numbers that were never given.
    const [late] = await crowd(next, eventId, 1);
    expect(late?.ahead).toBeLessThanOrEqual(5);
    await next.pass(10_000);
    expect(await admitted(next, eventId, unsaved)).toBe(100);
  });

  test('that a loss forgot are reached by hand, and served when the room is switched off and on', async () => {
    const [killed, next] = await killedAndNext();
    const eventId = await killed.aRoom();
    await killed.act('schedule', eventId, { rate: 0 });
    const unsaved = await crowd(killed, eventId, 30);
    await next.runJob('refresh');
    await crowd(next, eventId, 1);
    await next.act('advance', eventId, { batchSize: 10 });
    expect(await admitted(next, eventId, unsaved)).toBe(10);
    await killed.act('deactivate', eventId);
    // It alone knows the event.
    await killed.act('activate', eventId);
    await next.runJob('refresh');
    expect(await admitted(next, eventId, unsaved)).toBe(30);
    const [late] = await crowd(next, eventId, 1);
    expect(late).toMatchObject({ ahead: 0 });
  });

  test('never pass the bound, however many come before it is raised', async () => {
    const { rooms } = await processes(2);
    const [one, two] = rooms as [Room, Room];
    const eventId = await one.aRoom();
    await two.runJob('refresh');
    const places = [];
    for (let round = 0; round < 4; round++)
      places.push(...(await Promise.all([crowd(one, eventId, 2_000), crowd(two, eventId, 1_000)])).flat());
    expect(sorted(numbers(places))).toEqual(upTo(12_000));
    const { rows } = await one.database.query<{ bound: string }>(
      'SELECT bound FROM waiting_room.rooms WHERE event_id = $1',
      [eventId],
    );
    expect(Number(rows[0]?.bound)).toBeGreaterThanOrEqual(12_000);
  });

  test('go on being given and served while PostgreSQL is away, and are saved when it is back', async () => {
    const room = await aWaitingRoom();
    const eventId = await room.aRoom();
    room.outage.on = true;
    expect(sorted(numbers(await crowd(room, eventId, 100)))).toEqual(upTo(100));
    for (let step = 0; step < 15; step++) {
      await room.runJob('advance');
      room.clock.advance(100);
    }
    expect((await room.status(eventId)).serving).toBeGreaterThan(50);
    expect((await room.call('GET', `/api/admin/vwr/status/${eventId}`, { as: room.staff() })).statusCode).toBe(503);
    room.outage.on = false;
    await room.pass(1_100);
    const { rows } = await room.database.query<{ given: number; serving: number }>(
      'SELECT given, serving FROM waiting_room.rooms WHERE event_id = $1',
      [eventId],
    );
    expect(rows[0]).toMatchObject({ given: 100, serving: 100 });
  });

  test('of a process that raised the epoch and died before it began it are skipped', async () => {
    const { rooms, counters } = await processes(1);
    const [one] = rooms as [Room];
    const eventId = await one.aRoom();
    await crowd(one, eventId, 3);
    await one.pass(1_100);
    counters.forget();
    // As whoever raised the epoch leaves it.
    await one.database.query(
      `WITH raised AS (UPDATE waiting_room.rooms SET epoch = 2, begun = false, begin_until = urr.now() - interval '1 s', given = bound, bound = bound + 10
         WHERE event_id = $1 RETURNING event_id, era, given)
       INSERT INTO waiting_room.segments (event_id, epoch, era, first, line_offset) SELECT event_id, 2, era, given, 3 - given FROM raised`,
      [eventId],
    );
    await one.database.query('UPDATE waiting_room.segments SET last = 3 WHERE event_id = $1 AND epoch = 1', [eventId]);
    const [late] = await crowd(one, eventId, 1);
    expect(late).toMatchObject({ position: 10_011, line: 4 });
  });
});

test('a line whose counters went back to an earlier moment goes on behind its bound', async () => {
  const { rooms, counters } = await processes(1);
  const [one] = rooms as [Room];
  const eventId = await one.aRoom();
  await crowd(one, eventId, 50);
  await one.pass(1_100);
  const [row] = (
    await one.database.query<{ epoch: number; bound: string }>(
      'SELECT epoch, bound FROM waiting_room.rooms WHERE event_id = $1',
      [eventId],
    )
  ).rows;
  counters.forget();
  await counters.begin({ eventId, epoch: row?.epoch ?? 0, first: 20, bound: 10_000, lineOffset: 0, serving: 5 });
  await one.runJob('refresh');
  const late = await crowd(one, eventId, 2);
  expect(sorted(numbers(late))).toEqual(upTo(Number(row?.bound) + 2, Number(row?.bound) + 1));
});

test('a database that was restored from a backup gives no number that the counters know of', async () => {
  const { rooms, counters } = await processes(1);
  const [one] = rooms as [Room];
  const eventId = await one.aRoom();
  await crowd(one, eventId, 5);
  await one.pass(1_100);
  // What the database has forgotten: a later epoch, whose numbers go far beyond its bound.
  const later = { eventId, epoch: 9, first: 50_000, bound: 70_000, lineOffset: -49_000, serving: 3 };
  await counters.begin(later);
  await counters.assign({ eventId, epoch: 9, count: 100 });
  const late = await crowd(one, eventId, 3);
  expect(sorted(numbers(late))).toEqual(upTo(70_003, 70_001));
  expect(sorted(late.map(({ line }) => line))).toEqual([6, 7, 8]);
});
