import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { ConsumerContext } from '#platform/bus/port.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { FreedSeat } from '../storage/transitions.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPinned } from '../testing/payments.ts';
import { reservationRow, ticketsOf } from '../testing/seen.ts';
import { useTicket } from '../testing/use-ticket.ts';
import { createPaymentsConsumer } from './payments.ts';

const database = await aTicketingDatabase();
afterEach(() => checkLedger(database));

const freed: FreedSeat[] = [];
const metrics = createMetrics();
const consumer = createPaymentsConsumer({
  ...{ database, random: systemRandom, logger: silentLogger, metrics },
  aftermath: { follow: (seats = []) => void freed.push(...seats) },
});
/** The envelope has nothing else that the handler reads. */
const hear = (...outcomes: { type: string }[]) =>
  consumer.handle(outcomes.map(({ type, ...data }) => ({ type, data })) as never, {} as ConsumerContext);

test('payments for reservations are applied; those for memberships and transfers are not ours', async () => {
  const show = await aSale(database);
  const [mine, other] = [await aHold(database, show, { seatNos: [0] }), await aHold(database, show, { seatNos: [1] })];
  const [paid, foreign] = [await aPinned(database, mine), await aPinned(database, other)];
  const membership = { ...foreign.confirmed(), paymentType: 'membership' as const };
  await hear(membership, paid.confirmed());
  expect((await reservationRow(database, mine.id)).status).toBe('confirmed');
  expect((await reservationRow(database, other.id)).status).toBe('paying');
  await hear(membership);
});

test('seats that come free are told to anyone who shields them', async () => {
  const show = await aSale(database);
  const held = await aHold(database, show, { seatNos: [4] });
  const payment = await aPinned(database, held);
  await hear(payment.confirmed());
  await hear(payment.reversed());
  expect(freed).toEqual([{ eventId: show.eventId, seatNo: 4, fence: 1 }]);
});

test('a ticket that is in use stays although its money went back, and is counted for a person', async () => {
  const show = await aSale(database);
  const held = await aHold(database, show, { seatNos: [6, 7] });
  const payment = await aPinned(database, held);
  await hear(payment.confirmed());
  const [used] = await ticketsOf(database, held.id);
  await useTicket(database, used?.id ?? '');
  await hear(payment.refunded(held.totalKrw));
  expect((await ticketsOf(database, held.id)).map(({ state }) => state)).toEqual(['checked_in', 'void']);
  expect((await reservationRow(database, held.id)).status).toBe('partially_cancelled');
  expect(await metrics.text()).toContain('urr_ticketing_refunded_tickets_in_use_total 1');
});

test('a payment for what does not exist fails, so that it waits for a person as a letter', async () => {
  const show = await aSale(database);
  const payment = await aPinned(database, await aHold(database, show, { seatNos: [0] }));
  const lost = { ...payment.confirmed(), attemptId: randomUUID(), referenceId: randomUUID() };
  await expect(hear(lost)).rejects.toThrow('what was paid for exists');
});
