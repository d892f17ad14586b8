import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { applyPayments, confirmFree, pin } from '../storage/transitions.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPinned } from '../testing/payments.ts';
import { reservationRow, seatStates, ticketsOf, told } from '../testing/seen.ts';
import { createEventCancellation } from './event-cancellation.ts';

const database = await aTicketingDatabase();
afterEach(() => checkLedger(database));

const follow = () => undefined;
const job = createEventCancellation({ database, logger: silentLogger, aftermath: { follow } });
const { signal } = new AbortController();
let nowMs = Date.now();

async function pass(ms: number): Promise<void> {
  nowMs += ms;
  await setDatabaseClock(database, new Date(nowMs));
}

const mark = (eventId: string) =>
  database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [eventId]);

async function isDone(eventId: string): Promise<boolean> {
  const { rows } = await database.query<{ done: boolean }>(
    'SELECT cancel_done_at IS NOT NULL AS done FROM ticketing.events WHERE event_id = $1',
    [eventId],
  );
  return rows[0]?.done ?? false;
}

test('an event is cancelled while people hold and pay: holds end, tickets are void, payments under way are refunded', async () => {
  await pass(0);
  const show = await aSale(database, { seats: 10, ticketTypes: [{ capacity: 20 }], nowMs });
  const pending = await aHold(database, show, { seatNos: [0], places: [1] });
  const captured = await aHold(database, show, { seatNos: [1] });
  const declined = await aHold(database, show, { seatNos: [2] });
  const bought = await aHold(database, show, { seatNos: [3, 4], places: [2] });
  const late = await aHold(database, show, { seatNos: [5] });
  const [good, bad, paid] = [
    await aPinned(database, captured),
    await aPinned(database, declined),
    await aPinned(database, bought),
  ];
  await applyPayments(database, [paid.confirmed()], 1);

  await mark(show.eventId);
  const { id: reservationId, userId, totalKrw: amountKrw } = late;
  expect(await pin(database, { reservationId, userId, amountKrw, attemptId: randomUUID() })).toBe('closed');
  expect(await confirmFree(database, { reservationId, userId })).toBe('over');
  await job.run(signal);

  expect((await reservationRow(database, pending.id)).status).toBe('released');
  expect((await reservationRow(database, bought.id)).status).toBe('cancelled');
  expect((await ticketsOf(database, bought.id)).map(({ state }) => state)).toEqual(Array(4).fill('void'));
  expect((await told(database, bought.id)).at(-1)?.data).toMatchObject({
    ...{ reason: 'event_cancelled', isWhole: true },
    refunds: [{ orderId: paid.orderId, faceKrw: 160_000, feeKrw: 12_000 }],
  });
  for (const held of [captured, declined])
    expect(await reservationRow(database, held.id)).toMatchObject({ status: 'paying', refund_requested: true });
  await applyPayments(database, [good.confirmed(), bad.failed()], 1);
  expect((await told(database, captured.id)).map(({ type }) => type)).toContain('RESERVATION_PAYMENT_REJECTED');
  expect(await seatStates(database, show.eventId)).toEqual(Array(10).fill(0));

  // A hold that had not seen the mark commits after the first pass.
  const unseen = await aHold(database, show, { seatNos: [7] });
  await pass(9_999);
  await job.run(signal);
  expect((await reservationRow(database, unseen.id)).status).toBe('released');
  await job.run(signal);
  expect(await isDone(show.eventId)).toBe(false);
  await pass(1);
  await job.run(signal);
  expect(await isDone(show.eventId)).toBe(true);
});

test('more reservations than one bite takes are all cancelled, and passes by several processes do not disturb each other', async () => {
  const show = await aSale(database, { seats: 130, nowMs });
  const held = await Promise.all(Array.from({ length: 130 }, (_, n) => aHold(database, show, { seatNos: [n] })));
  await mark(show.eventId);
  await Promise.all([job.run(signal), job.run(signal), job.run(signal)]);
  for (const { id } of held) expect((await reservationRow(database, id)).status).toBe('released');
});

test('an event that is cancelled before its seats exist is done with', async () => {
  const show = await aSale(database, { seats: 0, nowMs });
  await mark(show.eventId);
  await job.run(signal);
  expect(await isDone(show.eventId)).toBe(false);
  await pass(10_000);
  await job.run(signal);
  expect(await isDone(show.eventId)).toBe(true);
});
