import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { putDatabaseClockForward, releaseDatabaseClock } from '#test/kit/database-clock.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { createPaymentsConsumer } from '../consumers/payments.ts';
import { createEventCancellation } from '../jobs/event-cancellation.ts';
import { createSweeper } from '../jobs/sweeper.ts';
import type { SeatShield } from '../ports.ts';
import { applyPayments } from '../storage/transitions.ts';
import { aHold, type Held } from '../testing/a-hold.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPinned } from '../testing/payments.ts';
import { createAftermath } from './aftermath.ts';
import { createReservations } from './reservations.ts';

/** The shield hears of every seat that comes back, or it would refuse it for three seconds more. */
const database = await aTicketingDatabase();
const minuteMs = 60_000;
const { signal } = new AbortController();

const dropped: { eventId: string; seatNo: number; fence: number }[] = [];
const shield: SeatShield = {
  taken: async (_, requests) => requests.map(() => []),
  note: () => undefined,
  drop: (eventId, seats) => {
    for (const { seatNo, fence } of seats) dropped.push({ eventId, seatNo, fence });
  },
};
const deps = { database, random: systemRandom, logger: silentLogger, metrics: createMetrics() };
const ids = createIds({ clock: systemClock, random: systemRandom });
const aftermath = createAftermath({
  bus: { publish: async () => undefined, wakeRelays: () => undefined },
  shield,
});
const reservations = createReservations({ ...deps, ids, aftermath });
const sweeper = createSweeper({ database, aftermath });
const cancellation = createEventCancellation({ ...deps, aftermath });
const payments = createPaymentsConsumer({ ...deps, aftermath });

let show: Sale;
let held: Held;
beforeEach(async () => {
  show = await aSale(database, { seats: 4 });
  held = await aHold(database, show, { seatNos: [0, 1] });
  dropped.length = 0;
});
afterEach(async () => {
  await releaseDatabaseClock(database);
  // All that were held came back, each once, under the fence that they were held with.
  const bySeat = dropped.filter(({ eventId }) => eventId === show.eventId).sort((a, b) => a.seatNo - b.seatNo);
  expect(bySeat).toEqual([0, 1].map((seatNo) => ({ eventId: show.eventId, seatNo, fence: 1 })));
  await checkLedger(database);
});

const giveUp = () => reservations.cancel({ reservationId: held.id, userId: held.userId, ticketIds: null });

test('a hold that is given up', async () => {
  expect(await giveUp()).toMatchObject({ status: 'done', reservation: { status: 'released' } });
});

test('a hold whose time is over, by the sweeper', async () => {
  await putDatabaseClockForward(database, 5 * minuteMs);
  await sweeper.run(signal);
});

test('tickets that are cancelled by their buyer', async () => {
  const payment = await aPinned(database, held);
  await applyPayments(database, [payment.confirmed()], 1);
  expect(await giveUp()).toMatchObject({ status: 'done', reservation: { status: 'cancelled' } });
});

test('tickets that are cancelled by staff', async () => {
  const payment = await aPinned(database, held);
  await applyPayments(database, [payment.confirmed()], 1);
  const call = { reservationId: held.id, cancellationId: randomUUID(), userId: null, ticketIds: null };
  expect(await reservations.internal.cancelTickets({ ...call, reason: 'staff', terms: 'full' })).toMatchObject({
    verdict: 'cancelled',
  });
});

test('a hold of an event that is cancelled', async () => {
  await database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [show.eventId]);
  await cancellation.run(signal);
});

test('a payment that is declined after its buyer has given up', async () => {
  const { attemptId } = await aPinned(database, held);
  expect(await giveUp()).toMatchObject({ status: 'done', reservation: { paymentStatus: 'refund_requested' } });
  expect(dropped).toEqual([]);
  expect(await reservations.internal.unpin({ attemptId })).toEqual({ unpinned: true });
});

test('a payment that is declined when ten minutes are over', async () => {
  const { attemptId } = await aPinned(database, held);
  await putDatabaseClockForward(database, 10 * minuteMs);
  expect(await reservations.internal.unpin({ attemptId })).toEqual({ unpinned: true });
});

test('a payment that has failed, as payments tells it', async () => {
  const payment = await aPinned(database, held);
  await giveUp();
  const { type, ...data } = payment.failed();
  const events = [{ type, data }];
  await database.transaction((tx) =>
    // The handler reads nothing of the envelopes but these.
    payments.handle(events as never, { tx, partition: 0, attempt: 1, signal }),
  );
});
