import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { putDatabaseClockForward, releaseDatabaseClock } from '#test/kit/database-clock.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { createSeatPicker, type SeatWish } from '../domain/best-available.ts';
import { cancel, sweepLapsed } from '../storage/transitions.ts';
import { aBoxOffice } from '../testing/a-box-office.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aDrawing } from '../testing/a-show.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aSeatMapDesk, rowsOf, type SeatMapDesk } from '../testing/seat-map-desk.ts';
import type { BestVerdict } from './best-available.ts';

const database = await aTicketingDatabase({ poolMax: 20 });
const holdMs = 5 * 60_000;
afterEach(() => releaseDatabaseClock(database));

/**
 * Anyone who chooses for five seconds is told to try again, and on a busy machine a stampede takes longer. Not quite still: what is
 * believed of seats that others are at has to end.
 */
const patient = { clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() / 20 } };

function ask(
  desk: SeatMapDesk,
  eventId: string,
  wish: SeatWish,
  {
    userId = randomUUID() as string,
    key = randomUUID() as string,
    replaces = null,
  }: { userId?: string; key?: string; replaces?: string | null } = {},
) {
  const idempotency = { key, method: 'POST', route: '/api/seats/best-available', fingerprint: JSON.stringify(wish) };
  return desk.bestAvailable.reserve({ eventId, userId, slotId: 'a slot', wish, replaces, idempotency });
}

const seatsIn = (verdict: BestVerdict) =>
  'reservation' in verdict ? verdict.reservation.seats.map(({ seatId }) => seatId) : [];

test('the best seats are held, and the next ones for the next', async () => {
  const sale = await aSale(database, { seats: 20 });
  const desk = aSeatMapDesk(database);
  expect(seatsIn(await ask(desk, sale.eventId, { count: 2, together: true }))).toEqual(['A-1-5', 'A-1-6']);
  expect(seatsIn(await ask(desk, sale.eventId, { count: 2, together: true }))).not.toEqual(['A-1-5', 'A-1-6']);
  await checkLedger(database);
});

test('500 at once on 400 seats, in two processes: 400 get one, and the others are told only when nothing is left', async () => {
  const sale = await aSale(database, { seats: 400 });
  const desks = [aSeatMapDesk(database, patient), aSeatMapDesk(database, patient)] as const;
  await Promise.all(desks.map((desk) => desk.open(sale.eventId)));
  const verdicts = await Promise.all(
    Array.from({ length: 500 }, (_, n) => ask(desks[n % 2 === 0 ? 0 : 1], sale.eventId, { count: 1, together: true })),
  );
  expect(Map.groupBy(verdicts, ({ status }) => status).get('granted')).toHaveLength(400);
  const refused = verdicts.filter(({ status }) => status === 'nothing-fits');
  expect(refused).toHaveLength(100);
  expect(refused[0]).toEqual({ status: 'nothing-fits', wouldFit: [] });
  expect(new Set(verdicts.flatMap(seatsIn)).size).toBe(400);
  await checkLedger(database);
});

test('parties at once: anyone who is refused would not have fitted, and what is told would fit', async () => {
  const { between, fraction } = createSeededRandom(testSeed());
  const sale = await aSale(database, { seats: 200 });
  const desks = [aSeatMapDesk(database, patient), aSeatMapDesk(database, patient)] as const;
  const wishes = Array.from({ length: 120 }, () => ({ count: between(1, 4), together: fraction() < 0.7 }));
  const verdicts = await Promise.all(wishes.map((wish, n) => ask(desks[n % 2 === 0 ? 0 : 1], sale.eventId, wish)));
  const { looks } = await rowsOf(database, sale.eventId);
  const picker = createSeatPicker((await desks[0].open(sale.eventId)).plan);
  for (const [seatNo, look] of looks.entries()) picker.setFree(seatNo, look === 0);
  // Nobody has given anything back, so what does not fit in the end may have fitted before, but not the other way round.
  for (const [n, verdict] of verdicts.entries()) {
    expect(['granted', 'nothing-fits']).toContain(verdict.status);
    if (verdict.status === 'nothing-fits') expect(picker.pick(wishes[n] as SeatWish)).toBeNull();
  }
  expect(verdicts.some(({ status }) => status === 'nothing-fits')).toBe(true);
  await checkLedger(database);
});

test('what others took since the map was read is found out, and what came back is given', async () => {
  const sale = await aSale(database, { seats: 10 });
  const desk = aSeatMapDesk(database);
  const map = await desk.open(sale.eventId);
  const held = await aHold(database, sale, { seatNos: [4, 5] });
  const got = seatsIn(await ask(desk, sale.eventId, { count: 2, together: true }));
  expect(got).not.toContain('A-1-5');
  expect(got).toHaveLength(2);
  // All the others are taken, and the map shows it when the first two come back.
  const { looks } = await rowsOf(database, sale.eventId);
  await aHold(database, sale, { seatNos: [...looks.keys()].filter((seatNo) => looks[seatNo] === 0) });
  await map.refresh();
  expect((await ask(desk, sale.eventId, { count: 1, together: true })).status).toBe('nothing-fits');
  await cancel(database, {
    ...{ reservationId: held.id, userId: held.userId, cancellationId: randomUUID(), ticketIds: null },
    ...{ reason: 'buyer', seed: 1 },
  });
  expect(seatsIn(await ask(desk, sale.eventId, { count: 2, together: true }))).toEqual(['A-1-5', 'A-1-6']);
  await checkLedger(database);
});

test('a hold whose time is over is given to the next, although the map has read nothing since', async () => {
  const sale = await aSale(database, { seats: 4 });
  await aHold(database, sale, { seatNos: [0, 1, 2, 3] });
  const clock = aClock(Date.now());
  const desk = aSeatMapDesk(database, { clock });
  await desk.open(sale.eventId);
  expect((await ask(desk, sale.eventId, { count: 4, together: true })).status).toBe('nothing-fits');
  clock.advance(holdMs);
  await putDatabaseClockForward(database, holdMs);
  expect((await ask(desk, sale.eventId, { count: 4, together: true })).status).toBe('granted');
  // Else the first hold would be live again when the clock goes back.
  await sweepLapsed(database, 1_000);
  await checkLedger(database);
});

test('a repeated key is answered with its reservation, even when nothing is left', async () => {
  const sale = await aSale(database, { seats: 4 });
  const desk = aSeatMapDesk(database);
  const who = { userId: randomUUID(), key: randomUUID() };
  const wish = { count: 4, together: true };
  const first = await ask(desk, sale.eventId, wish, who);
  expect(first.status).toBe('granted');
  const again = await ask(desk, sale.eventId, wish, who);
  expect([again.status, seatsIn(again)]).toEqual(['replayed', seatsIn(first)]);
  expect((await ask(desk, sale.eventId, { ...wish, count: 1 }, who)).status).toBe('mismatch');
  expect((await ask(desk, sale.eventId, wish)).status).toBe('nothing-fits');
  await checkLedger(database);
});

/** Regular readings of the ledger stop before it. */
async function aLongTransaction(): Promise<void> {
  const session = await database.session('a long transaction');
  atEnd(() => session.close());
  await session.query('BEGIN');
  await session.query('SELECT pg_current_xact_id()');
}

test('of seats that have become dearer since the map was read, none is held above the price that the buyer named', async () => {
  const office = aBoxOffice(database);
  const event = await office.show(aDrawing({ sections: 2, rows: 1, seats: 3 }));
  const desk = aSeatMapDesk(database);
  const map = await desk.open(event.eventId);
  const maxPriceKrw = Math.max(...event.prices.map(({ priceKrw }) => priceKrw));
  await aLongTransaction();
  const prices = event.prices.map(({ grade }) => ({ grade, priceKrw: maxPriceKrw + 1 }));
  await office.hear({ data: { ...event, version: 2, prices } });
  await office.build();
  // The process hears of it, but its map is held back.
  await desk.books.renew(event.eventId);
  const verdict = await ask(desk, event.eventId, { count: 1, together: true, maxPriceKrw });
  expect(verdict.status).toBe('nothing-fits');
  expect(map.plan.document.grades[0]?.priceKrw).toBe(maxPriceKrw + 1);
  const dearer = await ask(desk, event.eventId, { count: 1, together: true, maxPriceKrw: maxPriceKrw + 1 });
  expect(dearer).toMatchObject({ status: 'granted', reservation: { seats: [{ priceKrw: maxPriceKrw + 1 }] } });
  await checkLedger(database);
});

test('of seats that were built anew since the map was read, those of the section that was asked for are held', async () => {
  const office = aBoxOffice(database);
  const event = await office.show(aDrawing({ sections: 2, rows: 1, seats: 3 }));
  const desk = aSeatMapDesk(database);
  const map = await desk.open(event.eventId);
  const section = map.plan.document.sections[1]?.id ?? '';
  await aLongTransaction();
  const layoutId = randomUUID();
  office.stub.layouts.set(layoutId, aDrawing({ sections: 2, rows: 1, seats: 6 }));
  await office.hear({ data: { ...event, version: 2, layoutId } });
  await office.build();
  // The process hears of it, but its map is held back.
  await desk.books.renew(event.eventId);
  const verdict = await ask(desk, event.eventId, { count: 2, together: true, section });
  expect(verdict).toMatchObject({ status: 'granted', reservation: { seats: [{ section }, { section }] } });
  await checkLedger(database);
});

const reservationIn = (verdict: BestVerdict) => {
  if (!('reservation' in verdict)) throw new Error(`refused: ${verdict.status}`);
  return verdict.reservation;
};

test('who gives a reservation back may be given its seats again, also in a process whose map does not show it yet', async () => {
  const sale = await aSale(database, { seats: 4 });
  const [here, there] = [aSeatMapDesk(database), aSeatMapDesk(database)];
  await there.open(sale.eventId);
  const userId = randomUUID();
  const two = reservationIn(await ask(here, sale.eventId, { count: 2, together: true }, { userId }));
  const others = await ask(there, sale.eventId, { count: 4, together: true }, { replaces: two.id });
  expect(others.status).toBe('nothing-fits');
  const all = await ask(there, sale.eventId, { count: 4, together: true }, { userId, replaces: two.id });
  expect([all.status, seatsIn(all)]).toEqual(['granted', ['A-1-1', 'A-1-2', 'A-1-3', 'A-1-4']]);
  const tooMany = { userId, replaces: reservationIn(all).id };
  expect(await ask(here, sale.eventId, { count: 5, together: true }, tooMany)).toMatchObject({
    status: 'nothing-fits',
    wouldFit: [{ count: 4, together: true, left: 4 }],
  });
  const fewer = await ask(here, sale.eventId, { count: 2, together: true }, tooMany);
  expect([fewer.status, seatsIn(fewer).length]).toEqual(['granted', 2]);
  expect((await ask(there, sale.eventId, { count: 2, together: true })).status).toBe('granted');
  await checkLedger(database);
});

test('own seats that lapsed and went to somebody else are not counted as the own ones', async () => {
  const sale = await aSale(database, { seats: 4 });
  const desk = aSeatMapDesk(database);
  const userId = randomUUID();
  const own = reservationIn(await ask(desk, sale.eventId, { count: 2, together: true }, { userId }));
  await desk.open(sale.eventId).then((map) => map.refresh());
  // The map has not heard yet how late it is, and still shows the own hold.
  await putDatabaseClockForward(database, holdMs);
  await sweepLapsed(database, 1_000);
  await aHold(database, sale, { seatNos: [0, 1, 2] });
  const verdict = await ask(desk, sale.eventId, { count: 2, together: true }, { userId, replaces: own.id });
  expect(verdict).toMatchObject({ status: 'nothing-fits', wouldFit: [{ count: 1 }] });
  await checkLedger(database);
});
