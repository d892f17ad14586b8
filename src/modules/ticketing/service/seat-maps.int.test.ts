import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { pin, prepare, sweepLapsed, unpin } from '../storage/transitions.ts';
import { aHold, type Held, tryHold } from '../testing/a-hold.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aSeatMapDesk, rowsOf, shownBy } from '../testing/seat-map-desk.ts';
import type { LiveMap } from './live-map.ts';

const database = await aTicketingDatabase({ poolMax: 20 });
const minutes = 60_000;
afterEach(() => releaseDatabaseClock(database));

/** Does what buyers and payments do, at random. */
async function actAtRandom(sale: Sale, random: () => number, held: Held[]): Promise<void> {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const one = pick(held);
  const act = random();
  if (act < 0.55 || one === undefined) {
    const seatNos = [...new Set([0, 1, 2].map(() => Math.floor(random() * sale.seatCount)))].sort((a, b) => a - b);
    const wish = random() < 0.6 ? { seatNos } : { places: [1 + Math.floor(random() * 3)] };
    const made = await tryHold(database, sale, wish);
    if (made !== null) held.push(made);
  } else if (act < 0.7) await prepare(database, { reservationId: one.id, userId: one.userId });
  else {
    const attemptId = randomUUID();
    await pin(database, { attemptId, reservationId: one.id, userId: one.userId, amountKrw: one.totalKrw });
    if (random() < 0.7) await unpin(database, attemptId);
  }
}

test('a map that is fed by the ledger while many write equals the rows in the end', async () => {
  const { fraction } = createSeededRandom(testSeed());
  const sale = await aSale(database, { seats: 40, ticketTypes: [{ capacity: 50_000 }] });
  const desk = aSeatMapDesk(database);
  const map = await desk.open(sale.eventId);
  const held: Held[] = [];
  let now = Date.now();
  for (let round = 0; round < 3; round++) {
    let isWriting = true;
    const reading = (async () => {
      while (isWriting) {
        await desk.read();
        if (fraction() < 0.3) await map.refresh();
      }
    })();
    const writers = Array.from({ length: 12 }, async () => {
      for (let acts = 0; acts < 8; acts++) await actAtRandom(sale, fraction, held);
    });
    await Promise.all(writers);
    isWriting = false;
    await reading;
    await map.refresh();
    expect(shownBy(map)).toEqual(await rowsOf(database, sale.eventId));

    // Five minutes later most holds have lapsed: the map knows by itself, before anybody has tidied up.
    now += 5 * minutes + 1;
    await setDatabaseClock(database, new Date(now));
    await map.refresh();
    expect(shownBy(map)).toEqual(await rowsOf(database, sale.eventId));
    if (round < 2) await sweepLapsed(database, 1_000);
    await map.refresh();
    expect(shownBy(map)).toEqual(await rowsOf(database, sale.eventId));
  }
  expect(await desk.metric('urr_seat_map_whole_readings_total')).toBe(1);
  const another = await aSeatMapDesk(database).open(sale.eventId);
  expect(shownBy(another)).toEqual(shownBy(map));
  await checkLedger(database);
});

test('what commits late is not skipped, and a transaction that takes long holds the map back but not a refresh', async () => {
  const sale = await aSale(database, { seats: 5, ticketTypes: [{ capacity: 100 }] });
  const desk = aSeatMapDesk(database);
  const map = await desk.open(sale.eventId);
  const session = await database.session('a long transaction');
  atEnd(() => session.close());
  await session.query('BEGIN');
  await session.query('SELECT pg_current_xact_id()');

  await aHold(database, sale, { seatNos: [1] });
  await aHold(database, sale, { places: [3] });
  await desk.read();
  await desk.read();
  expect(shownBy(map)).toEqual({ looks: [0, 0, 0, 0, 0], places: [100] });
  expect(await desk.metric('urr_seat_map_lag_seconds')).toBeGreaterThan(0);
  const version = map.version();

  await map.refresh();
  expect(shownBy(map)).toEqual({ looks: [0, 1, 0, 0, 0], places: [97] });
  expect(map.changesSince(version)).toMatchObject({ resync: false, seats: [[1, 1]] });
  await desk.read();
  expect(shownBy(map)).toEqual({ looks: [0, 1, 0, 0, 0], places: [97] });

  await session.query(
    `INSERT INTO ticketing.ledger (at, event_id, act, seat_nos, seat_fences, seat_steps, seat_state)
     VALUES (urr.now(), $1, 'blocked', '{0}', '{0}', '{1}', 4)`,
    [sale.eventId],
  );
  await session.query('ROLLBACK');
  await aHold(database, sale, { seatNos: [2] });
  await desk.readUntil(() => expect(shownBy(map)).toEqual({ looks: [0, 1, 1, 0, 0], places: [97] }));
  expect(map.version()).toBeGreaterThan(version);
});

/** Regular readings of the ledger stop before it until it ends. */
async function aLongTransaction(): Promise<{ end(): Promise<unknown> }> {
  const session = await database.session('a long transaction');
  atEnd(() => session.close());
  await session.query('BEGIN');
  await session.query('SELECT pg_current_xact_id()');
  return { end: () => session.query('COMMIT') };
}

/** A page that has read the map of one process and asks another one from now on. */
function aPageAt(map: LiveMap) {
  const page = { version: map.version(), looks: [...map.looks()] };
  return {
    page,
    poll(other: LiveMap) {
      const { version, resync, seats } = other.changesSince(page.version);
      // Only where a transaction of another test was the oldest when the page read the map.
      if (resync) page.looks = [...other.looks()];
      for (const [seatNo, look] of seats) page.looks[seatNo] = look;
      page.version = version;
    },
  };
}

test('who changes to a process that read the map later is told what that reading had in it', async () => {
  const sale = await aSale(database, { seats: 10 });
  const [here, there] = [aSeatMapDesk(database), aSeatMapDesk(database)];
  const long = await aLongTransaction();
  const { page, poll } = aPageAt(await here.open(sale.eventId));
  await aHold(database, sale, { seatNos: [3] });
  const map = await there.open(sale.eventId);
  await long.end();
  await aHold(database, sale, { seatNos: [7] });
  await there.readUntil(() => expect(map.looks()[7]).toBe(1));
  poll(map);
  expect(page.looks).toEqual((await rowsOf(database, sale.eventId)).looks);
  await checkLedger(database);
});

test('who changes to a process that knew something early is told it when its turn has come', async () => {
  const sale = await aSale(database, { seats: 10 });
  const [here, there] = [aSeatMapDesk(database), aSeatMapDesk(database)];
  const long = await aLongTransaction();
  const [mapHere, mapThere] = [await here.open(sale.eventId), await there.open(sale.eventId)];
  await aHold(database, sale, { seatNos: [5] });
  const longer = await aLongTransaction();
  await aHold(database, sale, { seatNos: [3] });
  await mapThere.refresh();
  await long.end();
  await here.readUntil(() => expect(mapHere.looks()[5]).toBe(1));
  const { page, poll } = aPageAt(mapHere);
  expect(page.looks[3]).toBe(0);
  await longer.end();
  await aHold(database, sale, { seatNos: [7] });
  await there.readUntil(() => expect(mapThere.looks()[7]).toBe(1));
  poll(mapThere);
  expect(page.looks).toEqual((await rowsOf(database, sale.eventId)).looks);
  await checkLedger(database);
});

test('`mine` is the own newest reservation that still holds something, without a query for those who ask', async () => {
  let queries = 0;
  const counted = createDatabase({ url: database.url, poolMax: 2, observe: () => void queries++ });
  atEnd(() => counted.close());
  const sale = await aSale(database, { seats: 5 });
  const desk = aSeatMapDesk(counted);
  const ann = randomUUID();
  const first = await aHold(database, sale, { userId: ann, seatNos: [0, 1] });
  const map = await desk.open(sale.eventId);
  expect(map.mineOf(ann)).toMatchObject({
    id: first.id,
    status: 'pending',
    seats: [{ seatId: 'A-1-1' }, { seatId: 'A-1-2' }],
  });
  const before = queries;
  for (let reader = 0; reader < 1_000; reader++) {
    await desk.open(sale.eventId);
    expect(map.mineOf(randomUUID())).toBeNull();
  }
  expect(queries).toBe(before);
  await setDatabaseClock(database, new Date(Date.now() + 5 * minutes + 1));
  await map.refresh();
  expect([map.mineOf(ann), map.looks()[0]]).toEqual([null, 0]);
});

test('seats that are built anew are a new map, and everybody has to read it', async () => {
  const sale = await aSale(database, { seats: 5 });
  const desk = aSeatMapDesk(database);
  const map = await desk.open(sale.eventId);
  const version = map.version();
  await database.query(`INSERT INTO ticketing.ledger (at, event_id, act) VALUES (urr.now(), $1, 'built')`, [
    sale.eventId,
  ]);
  await desk.readUntil(() => expect(map.changesSince(version)).toMatchObject({ resync: true }));
  expect(map.changesSince(map.version())).toMatchObject({ resync: false, seats: [] });
  expect(await desk.metric('urr_seat_map_whole_readings_total')).toBe(2);
});

test('when its connection is lost, every map is read again as a whole', async () => {
  const sale = await aSale(database, { seats: 5 });
  const desk = aSeatMapDesk(database);
  const map = await desk.open(sale.eventId);
  await desk.read();
  const version = map.version();
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'urr seat maps' AND datname = current_database()`,
  );
  await aHold(database, sale, { seatNos: [3] });
  await desk.readUntil(() => expect([...map.looks()]).toEqual([0, 0, 0, 1, 0]));
  expect(map.changesSince(version)).toMatchObject({ resync: true });
  expect(map.version()).toBeGreaterThan(version);
});
