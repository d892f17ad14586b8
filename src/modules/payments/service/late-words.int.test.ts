import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import { findPayment, type PaymentRecord } from '../storage/payments.ts';
import { requestRefund } from '../storage/refunds.ts';
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
    ...{ payables, manual, config },
  });
});

const config = { answerWithinMs: 20_000, ticketsWithinMs: 0, depositMs: 30 * 60_000, refundsPerSecond: 1_000 };

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

test('a deposit that is booked while a webhook is followed up is not believed to be taken back', async () => {
  const { waiting, paymentKey } = await anAccount();
  const { find } = provider;
  // Between what the provider says and what is made of it the deposit comes, and somebody else books it.
  provider.find = async (by) => {
    const said = await find(by);
    provider.deposit(paymentKey);
    await outcomes.found(waiting, seenAtProvider(paymentKey));
    return said;
  };
  await desk.payments.hear('sandbox', { paymentKey, orderId: waiting.orderId });
  await desk.run('payments-hints');
  expect(await paymentNow(waiting.paymentId)).toMatchObject({ status: 'captured' });
  await end();
});

test('two refunds of one payment are sent one after the other, since each says what is left', async () => {
  const held = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0, 1] });
  const orderId = await desk.prepare(held);
  const { body } = await desk.confirm(held, orderId, { paymentKey: 'twice' });
  await desk.deliver();
  for (const amountKrw of [1_000, 2_000])
    await requestRefund(desk.database, {
      ...{ refundId: crypto.randomUUID(), paymentId: body.payment.id, kind: 'goodwill', cancellationId: null },
      ...{ ticketIds: [], amountKrw, reason: 'a cold hall' },
    });
  const sent = () => provider.calls.filter((call) => call.startsWith('refund')).length;
  await desk.run('payments-refunds');
  expect(sent()).toBe(1);
  await desk.run('payments-refunds');
  expect(sent()).toBe(2);
  expect(await paymentNow(body.payment.id)).toMatchObject({ refundedKrw: 3_000 });
  await end();
});
