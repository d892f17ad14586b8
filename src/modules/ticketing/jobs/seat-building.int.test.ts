import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import type { EventSnapshot } from '#modules/catalog/contract.ts';
import { aGreatHall } from '#modules/catalog/testing/any-layout.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { aBoxOffice, type BoxOffice } from '../testing/a-box-office.ts';
import { aDrawing, aSnapshot, type CatalogStub } from '../testing/a-show.ts';

const database = createDatabase({ url: (await aDatabase()).url, poolMax: 6 });
atEnd(() => database.close());
afterAll(async () => expect((await checkLedger(database)).events).toBeGreaterThan(0));

const soon = { saleOpensAt: new Date(Date.now() + 600_000).toISOString() };
const standing = aDrawing({ sections: 0, standing: [300, 20] });

describe('the seats of an event', () => {
  test.each([
    { seats: 0, document: standing },
    { seats: 1, document: aDrawing({ sections: 1, rows: 1, seats: 1 }) },
    { seats: 20_000, document: aGreatHall(20) },
    { seats: 100_000, document: aGreatHall(100) },
  ])('are made from its layout: $seats', async ({ seats, document }) => {
    const office = aBoxOffice(database);
    const event = await office.show(document);
    expect(await seatsIn(event.eventId)).toEqual({ seats, free: seats, last: seats === 0 ? null : seats - 1 });
    const book = await office.books.get(event.eventId);
    expect([book?.isReady, book?.plan?.seatCount, book?.plan?.layoutId]).toEqual([true, seats, event.layoutId]);
    const [built] = await actsOf(event.eventId);
    expect(built).toMatchObject({ act: 'built', cause: { offer: book?.plan?.offer, seatCount: seats } });
  });

  test('standing places are as many as the areas hold', async () => {
    const event = await aBoxOffice(database).show(standing);
    const { rows } = await database.query(
      `SELECT ticket_type_id, capacity, sum(places_left)::integer AS places_left
       FROM ticketing.ticket_types JOIN ticketing.shards USING (ticket_type_id) WHERE event_id = $1 GROUP BY 1, 2 ORDER BY 2`,
      [event.eventId],
    );
    const [large, small] = event.ticketTypes.map(({ id }) => id);
    expect(rows).toEqual([
      { ticket_type_id: small, capacity: 20, places_left: 20 },
      { ticket_type_id: large, capacity: 300, places_left: 300 },
    ]);
  });

  test('are built once, though several processes are at it together', async () => {
    const { stub, hear } = aBoxOffice(database);
    const document = aGreatHall(5);
    const event = aSnapshot(document);
    stub.layouts.set(event.layoutId, document);
    await hear({ data: event });
    await Promise.all(Array.from({ length: 4 }, () => aBoxOffice(database, { stub }).build()));
    expect((await actsOf(event.eventId)).map(({ act }) => act)).toEqual(['built']);
    expect(await seatsIn(event.eventId)).toMatchObject({ seats: 5_000 });
  });

  test('are not made twice by a replay from the beginning, in whatever order', async () => {
    const office = aBoxOffice(database);
    const first = await office.show(aDrawing());
    const second = { ...first, version: 2, title: '다른 제목' };
    const third = { ...first, version: 3, purchaseLimit: 2 };
    await office.hear({ data: third }, { data: second });
    await office.build();
    await office.hear({ type: 'EVENT_PUBLISHED', data: first }, { data: third }, { data: second });
    await office.hear({ data: second });
    await office.build();
    expect((await actsOf(first.eventId)).map(({ act }) => act)).toEqual(['built']);
    expect(await office.books.renew(first.eventId)).toMatchObject({
      version: 3,
      isReady: true,
      facts: { purchaseLimit: 2 },
    });
  });
});

describe('before the sale opens', () => {
  test('other prices build them anew, and until then nothing is ready', async () => {
    const office = aBoxOffice(database);
    const event = await office.show(aDrawing(), soon);
    const prices = event.prices.map(({ grade }) => ({ grade, priceKrw: 1_000 }));
    await office.hear({ data: { ...event, version: 2, prices } });
    expect(await office.books.renew(event.eventId)).toMatchObject({ version: 2, isReady: false });
    await office.build();
    const book = await office.books.get(event.eventId);
    expect([book?.isReady, book?.plan?.seat(0)?.priceKrw]).toEqual([true, 1_000]);
    expect((await actsOf(event.eventId)).map(({ act }) => act)).toEqual(['built', 'built']);
  });

  test('another title stops nothing', async () => {
    const office = aBoxOffice(database);
    const event = await office.show(aDrawing(), soon);
    await office.hear({ data: { ...event, version: 2, title: '다른 제목' } });
    expect(await office.books.renew(event.eventId)).toMatchObject({ version: 2, isReady: true });
  });

  test('another layout builds them anew, and what the seller blocked stays blocked by its name', async () => {
    const office = aBoxOffice(database);
    const event = await office.show(aDrawing({ sections: 1, rows: 2, seats: 5 }), soon);
    // S1-1-5 and S1-2-1; in the new layout, whose rows have 4 seats, only the second is left.
    expect(await office.block(event.eventId, [4, 5])).toEqual({ status: 'done' });
    const layoutId = randomUUID();
    const smaller = aDrawing({ sections: 1, rows: 2, seats: 4 });
    office.stub.layouts.set(layoutId, smaller);
    await office.hear({ data: { ...event, version: 2, layoutId } });
    await office.build();
    expect(await seatsIn(event.eventId)).toEqual({ seats: 8, free: 7, last: 7 });
    const book = await office.books.get(event.eventId);
    expect([book?.plan?.layoutId, book?.plan?.seatNoOf('S1-2-1')]).toEqual([layoutId, 4]);
    expect((await actsOf(event.eventId)).at(-1)).toMatchObject({
      act: 'blocked',
      seat_nos: [4],
      seat_steps: [1],
      seat_state: 4,
    });
  });
});

describe('once something was reserved', () => {
  test('other prices are those of the next buyer, and no seat is touched', async () => {
    const office = aBoxOffice(database);
    const event = await office.show(aDrawing({ standing: [10] }));
    await holdIn(office, event.eventId);
    const prices = event.prices.map(({ grade }) => ({ grade, priceKrw: 1_000 }));
    const ticketTypes = event.ticketTypes.map((type) => ({ ...type, priceKrw: 500 }));
    await office.hear({ data: { ...event, version: 2, prices, ticketTypes } });
    await office.build();
    const book = await office.books.get(event.eventId);
    expect([book?.isReady, book?.plan?.seat(0)?.priceKrw, book?.plan?.document.ticketTypes[0]?.priceKrw]).toEqual([
      true,
      1_000,
      500,
    ]);
    expect((await actsOf(event.eventId)).map(({ act }) => act)).toEqual(['built', 'held', 'repriced']);
    expect(await office.hold(event.eventId, [1])).toMatchObject({ reservation: { seats: [{ priceKrw: 1_000 }] } });
  });

  test.each([
    { what: 'another layout', change: { layoutId: randomUUID() } },
    { what: 'a standing area less', change: { ticketTypes: [] } },
  ])('$what stops the sale and raises an alarm', async ({ change }) => {
    const log = aLog();
    const office = aBoxOffice(database, { logger: log.logger });
    const document = aDrawing({ standing: [10] });
    const event = await office.show(document);
    await holdIn(office, event.eventId);
    const next = { ...event, version: 2, ...change };
    office.stub.layouts.set(next.layoutId, document);
    await office.hear({ data: next });
    await office.build();
    expect(await office.books.get(event.eventId)).toMatchObject({ isReady: false, plan: { layoutId: event.layoutId } });
    expect(await seatsIn(event.eventId)).toMatchObject({ seats: 30 });
    expect(log.lines().filter((line) => line.includes('its sale stands still'))).toHaveLength(1);
  });
});

describe('in the middle of a rush', () => {
  const rounds = Array.from({ length: 8 }, (_, round) => round);
  const triesMax = 200;

  /** So many people take a seat each, in two processes, while the other thing happens. */
  async function rush(event: EventSnapshot, stub: CatalogStub, meanwhile: () => Promise<void>) {
    const offices = [aBoxOffice(database, { stub }), aBoxOffice(database, { stub })];
    const holds = Array.from({ length: 30 }, async (_, seatNo) => {
      await setImmediate();
      const office = offices[seatNo % 2] as BoxOffice;
      let verdict = await office.hold(event.eventId, [seatNo]);
      // The build has the seats in hand, for as long as the machine needs: a client asks again.
      for (let tries = 1; verdict.status === 'busy' && tries < triesMax; tries++)
        verdict = await office.hold(event.eventId, [seatNo]);
      return verdict;
    });
    const [verdicts] = await Promise.all([Promise.all(holds), meanwhile()]);
    return verdicts;
  }

  test.each(rounds)(
    'a hold is granted by the old prices or by the new ones, never by something else (%i)',
    async () => {
      const office = aBoxOffice(database);
      const event = await office.show(aDrawing());
      const old = new Map(event.prices.map(({ grade, priceKrw }) => [grade, priceKrw]));
      const prices = event.prices.map(({ grade }) => ({ grade, priceKrw: 1_000 }));
      const verdicts = await rush(event, office.stub, async () => {
        await office.hear({ data: { ...event, version: 2, prices } });
        await office.build();
      });
      for (const verdict of verdicts) {
        if (verdict?.status !== 'granted') expect(['not-ready', 'other-offer']).toContain(verdict?.status);
        else
          for (const { grade, priceKrw } of verdict.reservation.seats)
            expect([old.get(grade), 1_000]).toContain(priceKrw);
      }
      expect(await office.books.renew(event.eventId)).toMatchObject({ isReady: true });
    },
  );

  test.each(rounds)('another layout is built if nobody holds anything yet, and else not at all (%i)', async () => {
    const office = aBoxOffice(database);
    const event = await office.show(aDrawing());
    const layoutId = randomUUID();
    office.stub.layouts.set(layoutId, aDrawing({ rows: 4 }));
    const verdicts = await rush(event, office.stub, async () => {
      await office.hear({ data: { ...event, version: 2, layoutId } });
      await office.build();
    });
    const granted = verdicts.filter((verdict) => verdict?.status === 'granted').length;
    const acts = (await actsOf(event.eventId)).map(({ act }) => act);
    const isBuiltAnew = acts.filter((act) => act === 'built').length === 2;
    // Anyone who came after the new seats has those.
    expect(isBuiltAnew ? acts.slice(0, 2) : acts[0]).toEqual(isBuiltAnew ? ['built', 'built'] : 'built');
    expect((await seatsIn(event.eventId))?.seats).toBe(isBuiltAnew ? 40 : 30);
    if (!isBuiltAnew) expect(granted).toBeGreaterThan(0);
  });
});

test('a build waits for holds under way, and finds them', async () => {
  const office = aBoxOffice(database);
  const event = await office.show(aDrawing());
  const layoutId = randomUUID();
  office.stub.layouts.set(layoutId, aDrawing({ rows: 4 }));
  const building = Promise.withResolvers<void>();
  await database.transaction(
    async (tx) => {
      const slow = aBoxOffice({ ...database, query: tx.query.bind(tx) }, { stub: office.stub });
      expect(await slow.hold(event.eventId, [0])).toMatchObject({ status: 'granted' });
      await office.hear({ data: { ...event, version: 2, layoutId } });
      office.build().then(building.resolve, building.reject);
      const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%build_seats%'`;
      await eventually(async () => (await database.query(waits)).rowCount === 1, {
        withinMs: 60_000,
        what: 'it to wait',
      });
    },
    { retry: false },
  );
  await building.promise;
  expect((await actsOf(event.eventId)).map(({ act }) => act)).toEqual(['built', 'held']);
  expect(await seatsIn(event.eventId)).toEqual({ seats: 30, free: 29, last: 29 });
});

test('while catalog is away what is built stays ready, and what is not is built when it is back', async () => {
  const office = aBoxOffice(database);
  const built = await office.show(aDrawing());
  office.stub.away = true;
  const waiting = await office.show(aDrawing());
  expect((await office.books.get(built.eventId))?.isReady).toBe(true);
  expect(await office.books.get(waiting.eventId)).toMatchObject({ isReady: false, plan: null });
  office.stub.away = false;
  // Another process, which has not failed and therefore does not wait.
  await aBoxOffice(database, { stub: office.stub }).build();
  expect((await office.books.renew(waiting.eventId))?.isReady).toBe(true);
});

test('a build that fails leaves nothing behind, and holds up no other event', async () => {
  const office = aBoxOffice(database);
  const document = aDrawing({ standing: [10] });
  const good = aSnapshot(document);
  // No area holds fewer than none: the database refuses it after the seats are written.
  const [type] = good.ticketTypes;
  const bad = aSnapshot(document, {
    saleOpensAt: '2020-01-01T00:00:00.000Z',
    ticketTypes: [{ ...type, id: randomUUID(), capacity: -1 }] as never,
  });
  for (const { layoutId } of [good, bad]) office.stub.layouts.set(layoutId, document);
  await office.hear({ data: bad }, { data: good });
  await office.build();
  expect(await seatsIn(bad.eventId)).toMatchObject({ seats: 0 });
  expect(await actsOf(bad.eventId)).toEqual([]);
  expect((await office.books.get(good.eventId))?.isReady).toBe(true);
});

test('an event that is cancelled before it has seats gets none, and stays cancelled', async () => {
  const office = aBoxOffice(database);
  const document = aDrawing();
  const event = aSnapshot(document);
  office.stub.layouts.set(event.layoutId, document);
  await office.hear({ type: 'EVENT_CANCELLED', data: { ...event, version: 3 } }, { data: { ...event, version: 2 } });
  await office.hear({ data: { ...event, version: 4 } });
  await office.build();
  expect(await office.books.get(event.eventId)).toMatchObject({ isCancelled: true, isReady: false, plan: null });
  expect(await seatsIn(event.eventId)).toMatchObject({ seats: 0 });
});

test('the delay with which seats come back is kept in milliseconds', async () => {
  const office = aBoxOffice(database);
  const [without, with600] = [
    await office.show(aDrawing()),
    await office.show(aDrawing(), { seatReturnDelayMaxSeconds: 600 }),
  ];
  const { rows } = await database.query<{ delay: number }>(
    'SELECT return_delay_max_ms AS delay FROM ticketing.events WHERE event_id = ANY ($1::uuid[]) ORDER BY 1',
    [[without.eventId, with600.eventId]],
  );
  expect(rows.map(({ delay }) => delay)).toEqual([0, 600_000]);
});

async function seatsIn(eventId: string) {
  const { rows } = await database.query(
    `SELECT count(*) AS seats, count(*) FILTER (WHERE state = 0) AS free, max(seat_no) AS last FROM ticketing.seats WHERE event_id = $1`,
    [eventId],
  );
  return rows[0];
}

async function actsOf(eventId: string) {
  const { rows } = await database.query('SELECT * FROM ticketing.ledger WHERE event_id = $1 ORDER BY id', [eventId]);
  return rows;
}

/** Somebody holds the first seat. */
async function holdIn(office: BoxOffice, eventId: string): Promise<void> {
  const verdict = await office.hold(eventId, [0]);
  expect(verdict).toMatchObject({ status: 'granted' });
}
