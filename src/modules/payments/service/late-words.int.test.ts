import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { findPayment, type PaymentRecord } from '../storage/payments.ts';
import { createOutcomes, type Outcomes } from './outcomes.ts';
import { createPayables } from './payables.ts';

/** Words of the provider that are older than what is known, or were read by somebody who knew less. */
let provider: PlayedProvider;
let desk: PayDesk;
let outcomes: Outcomes;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  const payables = createPayables({ ticketing: desk.reservations.internal });
  const manual = { open: () => Promise.reject(new Error('nobody has to be asked')) };
  outcomes = createOutcomes({
    ...{ database: desk.database, bus: { wakeRelays: () => {} }, clock: systemClock, logger: silentLogger },
    ...{ payables, manual },
  });
});

/** A virtual account that waits for its deposit. */
async function anAccount(): Promise<{ waiting: PaymentRecord; paymentKey: string }> {
  const held = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0] });
  const orderId = await desk.prepare(held, 'virtual_account');
  provider.captures.push('waits');
  const paymentKey = `key-of-${orderId}`;
  const { body } = await desk.confirm(held, orderId, { paymentKey });
  await desk.deliver();
  return { waiting: await paymentNow(body.payment.id), paymentKey };
}

async function paymentNow(paymentId: string): Promise<PaymentRecord> {
  const payment = await findPayment(desk.database, paymentId);
  if (payment === null) throw new Error('there is no such payment');
  return payment;
}

function seenAtProvider(paymentKey: string) {
  const seen = provider.books.get(paymentKey);
  if (seen === undefined) throw new Error('the provider does not know it');
  return seen;
}

async function end(): Promise<void> {
  await desk.deliver();
  await desk.run('payments-refunds');
  await desk.deliver();
  await checkLedger(desk.database);
}

test('a webhook about an attempt that has ended tells nobody of it again', async () => {
  const held = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.captures.push('declines');
  expect(await desk.confirm(held, orderId, { paymentKey: 'declined' })).toMatchObject({ code: 'PAYMENT_DECLINED' });
  const before = await desk.messages();
  await desk.payments.hear('sandbox', { paymentKey: 'declined', orderId });
  await desk.run('payments-hints');
  expect(await desk.messages()).toHaveLength(before.length);
  const { rows } = await desk.database.query('SELECT status, version FROM payments.ledger ORDER BY id');
  expect(rows).toEqual([
    { status: 'created', version: 1 },
    { status: 'capturing', version: 2 },
    { status: 'failed', version: 3 },
  ]);
  await end();
});

test('a deposit that was given back by the one who closes the account is not owed once more', async () => {
  const { waiting, paymentKey } = await anAccount();
  provider.deposit(paymentKey);
  // A webhook is faster than the one who closes the account, who goes by what he has read before.
  await outcomes.found(waiting, seenAtProvider(paymentKey));
  await provider.refund({
    ...{ refundId: waiting.paymentId, paymentKey, amountKrw: null, balanceKrw: null, reason: 'no longer wanted' },
    ...{ account: null, firstSentAtMs: 0 },
  });
  await outcomes.found(waiting, seenAtProvider(paymentKey));
  expect(await paymentNow(waiting.paymentId)).toMatchObject({ status: 'refunded', refundedKrw: waiting.amountKrw });
  await end();
});

test('somebody who asked before the deposit came does not believe that it was taken back', async () => {
  const { waiting, paymentKey } = await anAccount();
  const before = seenAtProvider(paymentKey);
  provider.deposit(paymentKey);
  const paid = await outcomes.found(waiting, seenAtProvider(paymentKey));
  expect(paid.status).toBe('captured');
  expect(await outcomes.found(paid, before)).toMatchObject({ status: 'captured' });
  expect(await paymentNow(waiting.paymentId)).toMatchObject({ status: 'captured' });
  await end();
});

test('a refund that is refused since its money has gone back elsewhere is booked, and no person is asked', async () => {
  const sale = await desk.sale({ priceKrw: 50_000 });
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  await desk.confirm(held, orderId, { paymentKey: 'elsewhere' });
  await desk.deliver();
  await desk.reservations.internal.cancelTickets({
    ...{ reservationId: held.id, cancellationId: crypto.randomUUID(), userId: null, ticketIds: null },
    ...{ reason: 'staff', terms: 'full' },
  });
  await desk.deliver();
  const { balanceKrw } = seenAtProvider('elsewhere');
  await provider.refund({
    ...{ refundId: 'at the console', paymentKey: 'elsewhere', amountKrw: balanceKrw, balanceKrw, reason: 'by hand' },
    ...{ account: null, firstSentAtMs: 0 },
  });
  await desk.run('payments-refunds');
  await desk.run('payments-refunds');
  const { rows } = await desk.database.query(
    'SELECT kind, status, amount_krw FROM payments.refunds ORDER BY requested_at',
  );
  expect(rows).toEqual([
    { kind: 'cancellation', status: 'done', amount_krw: 0 },
    { kind: 'found', status: 'done', amount_krw: balanceKrw },
  ]);
  expect((await desk.database.query('SELECT FROM payments.manual')).rowCount).toBe(0);
  await end();
});
