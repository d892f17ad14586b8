import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { applyPayments, pin, sweepLapsed } from '../storage/transitions.ts';
import { aDoor } from '../testing/a-door.ts';
import { aHold, tryHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';

const database = await aTicketingDatabase();
const door = aDoor(database);

afterAll(async () => {
  await checkLedger(database);
});

async function aShop(options: Parameters<typeof aSale>[1] = {}) {
  const sale = await aSale(database, { seats: 20, ...options });
  const seller = door.person('seller', sale.sellerId);
  const change = (what: 'block' | 'unblock', seatNos: readonly number[], as = seller) =>
    door.call('POST', `/api/seller/events/${sale.eventId}/seats/${what}`, {
      as,
      body: { seatIds: seatNos.map((n) => sale.seatId(n)), reason: '음향 콘솔' },
    });
  const figures = async () =>
    (await door.call('GET', `/api/seller/events/${sale.eventId}/sales`, { as: seller })).json();
  return { sale, seller, change, figures };
}

let nowMs = Date.now();
/** Longer than any hold. */
async function timePasses(): Promise<void> {
  nowMs += 6 * 60_000;
  await setDatabaseClock(database, new Date(nowMs));
}

test('free seats are blocked and freed again, all or none, with an audit row and a row of the ledger', async () => {
  const { sale, seller, change } = await aShop();
  const blocked = await change('block', [0, 1, 2]);
  expect([blocked.statusCode, blocked.json()]).toEqual([200, { changed: 3 }]);
  expect(await tryHold(database, sale, { seatNos: [1] })).toBeNull();
  const again = await change('block', [2, 3]);
  expect([again.statusCode, again.json()]).toMatchObject([
    409,
    { code: 'SEATS_NOT_FREE', seats: [{ seatId: 'A-1-3', state: 'blocked' }] },
  ]);
  const wrong = await change('unblock', [2, 3]);
  expect(wrong.json().seats).toEqual([{ seatId: 'A-1-4', state: 'available' }]);
  expect((await change('unblock', [0, 1, 2])).json()).toEqual({ changed: 3 });
  expect(await tryHold(database, sale, { seatNos: [1, 3] })).not.toBeNull();
  const { rows } = await database.query(
    'SELECT actor_id, actor_role, action, after FROM urr.audit_log WHERE subject = $1 ORDER BY id',
    [sale.eventId],
  );
  const after = { seatIds: ['A-1-1', 'A-1-2', 'A-1-3'], reason: '음향 콘솔' };
  const who = { actor_id: seller.userId, actor_role: 'seller', after };
  expect(rows).toEqual([
    { ...who, action: 'ticketing.seats.block' },
    { ...who, action: 'ticketing.seats.unblock' },
  ]);
});

test('what is held, paid for or sold is not blocked; a hold whose time is over is free', async () => {
  const { sale, change } = await aShop();
  await aHold(database, sale, { seatNos: [2, 3] });
  await timePasses();
  await aHold(database, sale, { seatNos: [0] });
  const paying = await aHold(database, sale, { seatNos: [1] });
  const attempt = { attemptId: randomUUID(), userId: paying.userId, amountKrw: paying.totalKrw };
  expect(await pin(database, { reservationId: paying.id, ...attempt })).toBe('pinned');
  const refused = await change('block', [0, 1, 2]);
  expect(refused.json().seats).toEqual([
    { seatId: 'A-1-1', state: 'held' },
    { seatId: 'A-1-2', state: 'paying' },
  ]);
  expect((await change('block', [2])).json()).toEqual({ changed: 1 });
  // The reservation ends later, and takes the block from nobody.
  await sweepLapsed(database, 100);
  const { rows } = await database.query(
    'SELECT seat_no, state FROM ticketing.seats WHERE event_id = $1 AND seat_no < 4 ORDER BY 1',
    [sale.eventId],
  );
  expect(rows.map((row) => Object.values(row))).toEqual([
    [0, 1],
    [1, 2],
    [2, 4],
    [3, 0],
  ]);
});

test('a buyer and the seller at once: one has the seat', async () => {
  const { sale, change } = await aShop();
  for (let seatNo = 0; seatNo < 15; seatNo++) {
    const [held, blocked] = await Promise.all([
      tryHold(database, sale, { seatNos: [seatNo] }),
      change('block', [seatNo]),
    ]);
    expect([held === null, blocked.statusCode]).toEqual(held === null ? [true, 200] : [false, 409]);
  }
});

test('seats that are none, twice, of a standing area or of another seller', async () => {
  const { sale, seller, change } = await aShop({ ticketTypes: [{ capacity: 5 }] });
  const url = `/api/seller/events/${sale.eventId}/seats/block`;
  const send = (seatIds: string[], as = seller) => door.call('POST', url, { as, body: { seatIds, reason: 'x' } });
  for (const seatIds of [['A-9-9'], ['B-1-1'], ['Z1'], ['Z1-1-1'], ['A-1-1', 'A-1-1'], []]) {
    expect([seatIds, (await send(seatIds)).statusCode]).toEqual([seatIds, 400]);
  }
  expect((await send(['A-1-1', 'A-9-9'])).json().errors).toEqual([
    { field: 'body.seatIds.1', message: 'is not a seat of this event' },
  ]);
  expect((await change('block', [0], door.person('seller'))).statusCode).toBe(404);
  expect((await change('block', [0], door.person('buyer'))).statusCode).toBe(403);
  expect((await change('block', [0], door.person('operator'))).statusCode).toBe(200);
});

test('while the seats are being made anew nothing is blocked', async () => {
  const { sale, change } = await aShop();
  const offer = (text: string) =>
    database.query('UPDATE ticketing.events SET offer = $2 WHERE event_id = $1', [sale.eventId, text]);
  await offer('another offer');
  const refused = await change('block', [0]);
  expect([refused.statusCode, refused.json().code]).toEqual([503, 'SEATS_NOT_READY']);
  await offer('an offer');
  await door.books.renew(sale.eventId);
  expect((await change('block', [0])).statusCode).toBe(200);
});

test('the figures add up, by grade and area, and a hold whose time is over is free', async () => {
  const { sale, change, figures } = await aShop({ priceKrw: 100, ticketTypes: [{ capacity: 10, priceKrw: 40 }] });
  for (const options of [{ seatNos: [3, 4] }, { places: [1] }]) await aHold(database, sale, options);
  await timePasses();
  const sold = await aHold(database, sale, { seatNos: [0, 1], feeKrw: 5 });
  const standing = await aHold(database, sale, { places: [2], feeKrw: 5 });
  for (const { id, userId, totalKrw } of [sold, standing]) {
    const attemptId = randomUUID();
    await pin(database, { reservationId: id, attemptId, userId, amountKrw: totalKrw });
    const money = { amountKrw: totalKrw, capturedKrw: totalKrw, refundedKrw: 0 };
    const of = { paymentType: 'reservation', referenceId: id, userId, provider: 'test', paymentKey: null };
    const at = new Date().toISOString();
    await applyPayments(
      database,
      [{ type: 'PAYMENT_CONFIRMED', attemptId, orderId: id, version: 1, ...of, ...money, at }],
      1,
    );
  }
  await aHold(database, sale, { seatNos: [2] });
  await aHold(database, sale, { places: [3] });
  await change('block', [5]);
  const expected = {
    eventId: sale.eventId,
    grades: [{ grade: 'R', priceKrw: 100, total: 20, sold: 2, held: 1, blocked: 1, free: 16, soldKrw: 200 }],
    areas: [{ areaId: 'Z1', priceKrw: 40, total: 10, sold: 2, held: 3, free: 5, soldKrw: 80 }],
    checkedIn: 0,
  };
  expect(await figures()).toMatchObject(expected);
  // Tidying up changes nothing of it.
  await sweepLapsed(database, 100);
  expect(await figures()).toMatchObject(expected);
  const { rows } = await database.query<{ id: string }>('SELECT id FROM ticketing.tickets WHERE event_id = $1', [
    sale.eventId,
  ]);
  const call = { eventId: sale.eventId, by: randomUUID(), version: 1, gate: null };
  await door.doors.checkIn({ ...call, ticketId: rows[0]?.id ?? '' });
  expect(await figures()).toMatchObject({ ...expected, checkedIn: 1 });
});

test.each(['constructor', 'toString', '__proto__'])('a grade may be called %s', async (grade) => {
  const { sale, figures } = await aShop({ priceKrw: 0 });
  const inPlan = `UPDATE ticketing.plans SET plan = jsonb_set(plan, '{grades,0,grade}', to_jsonb($2::text)) WHERE event_id = $1`;
  await database.query(inPlan, [sale.eventId, grade]);
  expect(await figures()).toMatchObject({ grades: [{ grade, total: 20, soldKrw: 0 }] });
});
