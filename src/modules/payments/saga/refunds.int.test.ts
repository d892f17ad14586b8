import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { HoldOptions } from '#modules/ticketing/testing/a-hold.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import { isMoneyUnderWay } from '../storage/privacy.ts';

/* Money goes back once: several refunds of one payment, a provider that fails, money that somebody else gave back. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
});

/** Without a booking fee, which would be kept if midnight came in between. */
const buy = (options: HoldOptions) => desk.buy(sale, { ...options, feeKrw: 0 });
const staff = { userId: randomUUID(), role: 'operator' };
const resolve = async (resolution: string) => {
  const [item] = await desk.manual();
  return desk.call('resolveManualPayment', {
    ...{ ...staff, params: { manualId: item?.id }, body: { resolution, note: 'x' } },
  });
};
const goodwill = (paymentKey: string, amountKrw: number, key: string = randomUUID()) =>
  desk.call('cancelPayment', { ...staff, key, params: { paymentKey }, body: { amountKrw, reason: 'sorry' } });
const refundRows = async () =>
  (
    await desk.database.query<{ kind: string; status: string; amount_krw: number }>(
      'SELECT kind, status, amount_krw FROM payments.refunds ORDER BY requested_at, refund_id',
    )
  ).rows;

test('several refunds of one payment are sent one after the other, by one process or by two', async () => {
  const { held, orderId } = await buy({ seatNos: [0, 1, 2] });
  for (const { id } of await desk.ticketsOf(held)) await desk.cancel(held, [id]);
  await desk.deliver();
  let inHand = 0;
  let inHandMost = 0;
  const { refund } = provider;
  provider.refund = async (call) => {
    inHandMost = Math.max(inHandMost, ++inHand);
    // Long enough for the others to come, if they may.
    await Promise.all([desk.run('payments-refunds'), desk.run('payments-refunds')]);
    inHand -= 1;
    return refund(call);
  };
  await Promise.all([desk.run('payments-refunds'), desk.run('payments-refunds')]);
  provider.refund = refund;
  await desk.settle();
  expect([inHandMost, provider.moneyOf(orderId), await desk.manual()]).toEqual([1, 0, []]);
  expect((await refundRows()).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
});

test('the same cancellation by two pages gives the money back once', async () => {
  const { held, orderId, paymentKey } = await buy({ seatNos: [0] });
  const call = (key: string) =>
    desk.call('cancelPayment', { userId: held.userId, key, params: { paymentKey }, body: { reason: 'x' } });
  const same = randomUUID();
  const answers = await Promise.all([call(same), call(same), call(randomUUID()), desk.cancel(held)]);
  expect(answers.slice(0, 3)).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  await desk.settle();
  expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 1]);
});

test('parts beyond the total are refused, and what goes back never exceeds what was captured', async () => {
  const { held, orderId, paymentKey } = await buy({ seatNos: [0, 1] });
  const key = randomUUID();
  expect(await goodwill(paymentKey, held.totalKrw + 1)).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
  expect(await goodwill(paymentKey, 60_000, key)).toMatchObject({ status: 200 });
  expect(await goodwill(paymentKey, 60_000, key)).toMatchObject({ status: 200 });
  expect(await goodwill(paymentKey, 60_000)).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw - 60_000);
  // The tickets are worth more than is left: the rest goes back.
  await desk.cancel(held);
  await desk.settle();
  expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 2]);
});

test('cancelled, sold again, and only then the old refund is heard: the new ticket is untouched', async () => {
  const { held: first } = await buy({ seatNos: [0] });
  await desk.cancel(first);
  await desk.deliver();
  await desk.run('payments-refunds');
  // PAYMENT_REFUNDED of the first is in the outbox and waits.
  const second = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(second);
  expect(await desk.confirm(second, orderId)).toMatchObject({ status: 200 });
  const told = await desk.messages();
  const refunded = told.filter(({ envelope }) => envelope.type === 'PAYMENT_REFUNDED');
  expect(refunded).toHaveLength(1);
  for (const message of told.filter(({ envelope }) => envelope.type !== 'PAYMENT_REFUNDED')) await desk.hear(message);
  expect(await desk.statusOf(second)).toMatchObject({ status: 'confirmed' });
  for (const message of [...refunded, ...refunded, ...refunded]) await desk.hear(message);
  await desk.settle();
  expect(await desk.statusOf(second)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  expect(await desk.statusOf(first)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
  expect(provider.moneyOf(orderId)).toBe(second.totalKrw);
});

test('every message of a cancellation of one ticket of three, three times: its money goes back once', async () => {
  const { held, orderId } = await buy({ seatNos: [0, 1, 2] });
  const [one] = await desk.ticketsOf(held);
  await desk.cancel(held, [one?.id ?? '']);
  for (let time = 0; time < 3; time++) {
    for (const message of await desk.messages()) await desk.hear(message);
    await desk.settle();
  }
  expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([100_000, 1]);
  expect(await refundRows()).toMatchObject([{ kind: 'cancellation', status: 'done', amount_krw: 50_000 }]);
});

test.each(['lost-after', 'later'] as const)('a refund whose answer is "%s" goes back once', async (how) => {
  const { held, orderId } = await buy({ seatNos: [0] });
  provider.refunds.push(how, how);
  await desk.cancel(held);
  await desk.settle();
  expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 1]);
});

test('a provider that is away for hours keeps nobody’s money: refunds go on when it is back', async () => {
  const { held, orderId } = await buy({ seatNos: [0] });
  await desk.cancel(held);
  await desk.deliver();
  provider.isAway = true;
  for (let hour = 0; hour < 20; hour++) {
    await desk.run('payments-refunds');
    await desk.later(60 * 60_000);
  }
  expect(await desk.manual()).toEqual([]);
  provider.isAway = false;
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('a refund that has failed for a day is for a person, and goes back when they have it tried again', async () => {
  const { held, orderId } = await buy({ seatNos: [0] });
  await desk.cancel(held);
  await desk.deliver();
  provider.isAway = true;
  for (let hour = 0; hour <= 24; hour++) {
    expect(await desk.manual()).toEqual([]);
    await desk.run('payments-refunds');
    await desk.later(60 * 60_000);
  }
  expect(await desk.manual()).toMatchObject([{ kind: 'refund_stuck', amountKrw: held.totalKrw }]);
  provider.isAway = false;
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
  expect(await resolve('retry')).toMatchObject({ status: 200 });
  await desk.settle();
  expect([provider.moneyOf(orderId), await desk.manual()]).toEqual([0, []]);
});

test('a refund that the provider refuses is for a person, who has it tried again', async () => {
  const { held, orderId } = await buy({ seatNos: [0] });
  provider.refunds.push('refused');
  await desk.cancel(held);
  await desk.settle();
  const [item] = await desk.manual();
  expect(item).toMatchObject({ kind: 'refund_stuck', amountKrw: held.totalKrw });
  const resolving = { ...staff, params: { manualId: item?.id } };
  expect(await desk.call('resolveManualPayment', { ...resolving, body: { resolution: 'refund', note: 'x' } })).toEqual(
    expect.objectContaining({ code: 'PAYMENT_NOT_REFUNDABLE' }),
  );
  expect(
    await desk.call('resolveManualPayment', { ...resolving, body: { resolution: 'retry', note: 'called them' } }),
  ).toMatchObject({ status: 200, body: { resolution: 'retry' } });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
  const { rows } = await desk.database.query<{ action: string }>(
    `SELECT action FROM urr.audit_log WHERE action = 'payments.manual.resolve'`,
  );
  expect(rows).toHaveLength(1);
});

test('all of the money given back at the provider’s console takes the tickets with it', async () => {
  const { held, orderId, paymentKey } = await buy({ seatNos: [0, 1] });
  provider.refundElsewhere(paymentKey, held.totalKrw);
  await desk.hint({ paymentKey });
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
  const cancelled = (await desk.messages()).find(({ envelope }) => envelope.type === 'RESERVATION_CANCELLED');
  expect(cancelled?.envelope.data).toMatchObject({ alreadyRefunded: true, reason: 'payment_refunded' });
  expect(provider.refundsOf(orderId)).toHaveLength(1);
  expect(await desk.hold(sale, { seatNos: [0, 1] })).toMatchObject({ fences: [2, 2] });
});

test('a part given back at the console voids nothing and is for a person; a later cancellation gives the rest', async () => {
  const { held, orderId, paymentKey } = await buy({ seatNos: [0, 1] });
  provider.refundElsewhere(paymentKey, 20_000);
  await desk.hint({ paymentKey });
  expect(await desk.settle()).toMatchObject({ withPerson: 1 });
  const [item] = await desk.manual();
  expect(item).toMatchObject({ kind: 'refunded_elsewhere', amountKrw: 20_000 });
  expect(await desk.ticketsOf(held)).toMatchObject([{ state: 'issued' }, { state: 'issued' }]);
  const body = { resolution: 'accept', note: 'it was a present' };
  expect(await desk.call('resolveManualPayment', { ...staff, params: { manualId: item?.id }, body })).toMatchObject({
    status: 200,
  });
  expect(await desk.settle()).toMatchObject({ withPerson: 0 });
  await desk.cancel(held);
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('money that somebody gave back while a refund was on its way does not stop the rest', async () => {
  const { held, orderId, paymentKey } = await buy({ seatNos: [0, 1] });
  await desk.cancel(held);
  await desk.deliver();
  provider.refundElsewhere(paymentKey, 30_000);
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect((await refundRows()).map(({ kind, amount_krw: krw }) => [kind, krw]).sort()).toEqual([
    ['cancellation', held.totalKrw - 30_000],
    ['found', 30_000],
  ]);
});

test('goodwill for a capture that then has nothing to give for it: seats and money agree', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  await desk.confirm(held, orderId, { paymentKey: 'card' });
  // Staff is quick: the tickets are not there yet.
  const body = { amountKrw: 10_000, reason: 'sorry' };
  expect(await desk.call('cancelPayment', { ...staff, params: { paymentKey: 'card' }, body })).toMatchObject({
    status: 200,
  });
  await desk.cancel(held);
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
});

test('a refund that a person has settled in another way ends: nobody waits for it, and the account can be erased', async () => {
  const { held, orderId, paymentKey } = await desk.buy(sale, { seatNos: [0, 1] });
  provider.refunds.push('refused');
  await desk.cancel(held, [(await desk.ticketsOf(held))[0]?.id ?? '']);
  await desk.settle();
  expect((await resolve('accept')).status).toBe(200);
  expect(await desk.settle()).toMatchObject({ underWay: 0, withPerson: 0 });
  expect(await desk.statusOf(held)).toMatchObject({ paymentStatus: 'partially_refunded' });
  expect(await isMoneyUnderWay(desk.database, held.userId)).toBe(false);
  await desk.cancel(held);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw / 2);
  // It was settled at the provider's console, which is heard of late.
  provider.refundElsewhere(paymentKey, held.totalKrw / 2);
  await desk.hint({ paymentKey });
  expect(await desk.settle()).toMatchObject({ refundedKrw: held.totalKrw, withPerson: 0 });
});

test('so does one of money that had nothing to pay for', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  await desk.confirm(held, orderId);
  await desk.cancel(held);
  provider.refunds.push('refused');
  await desk.settle();
  expect((await resolve('accept')).status).toBe(200);
  expect(await desk.settle()).toMatchObject({ underWay: 0, withPerson: 0 });
  expect(await isMoneyUnderWay(desk.database, held.userId)).toBe(false);
});

test.each(['refund', 'retry', 'never_charged'])('%s is refused about money that went back elsewhere', async (how) => {
  const { paymentKey, orderId, held } = await desk.buy(sale, { seatNos: [0, 1] });
  provider.refundElsewhere(paymentKey, 30_000);
  await desk.hint({ paymentKey });
  expect(await resolve(how)).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
  expect(await desk.settle()).toMatchObject({ withPerson: 1 });
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw - 30_000);
});

test('cancelled before it was heard which of two captures bought the tickets: the message waits, and each goes back once', async () => {
  const held = await desk.hold(sale, { seatNos: [0], feeKrw: 0 });
  const orderId = await desk.prepare(held);
  provider.captures.push('declines');
  await desk.confirm(held, orderId, { paymentKey: 'declined' });
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  const told = async (what: string) =>
    (await desk.messages()).filter(({ topic, envelope }) => [topic, envelope.type].includes(what));
  for (const message of await told('payment-events')) await desk.hear(message);
  // The provider takes its decline back.
  provider.deposit('declined');
  await desk.hint({ paymentKey: 'declined' });
  await desk.cancel(held);
  const [cancelled] = await told('RESERVATION_CANCELLED');
  if (cancelled === undefined) throw new Error('nothing was cancelled');
  await expect(desk.hear(cancelled)).rejects.toThrow('nobody has said which bought the tickets');
  await desk.settle();
  expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 2]);
});
