import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { seoulDay } from '#modules/payments/index.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* A webhook is a hint: whoever sent it, whatever it claims, the provider is asked, and what it says now counts. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000, seats: 30 });
});

const hintCount = async () => (await desk.database.query('SELECT FROM payments.hints')).rows.length;
const ledgerCount = async () => (await desk.database.query('SELECT FROM payments.ledger')).rows.length;

test('a forged webhook that claims money changes nothing: the provider knows better', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.captures.push('declines');
  const paymentKey = randomUUID();
  await desk.confirm(held, orderId, { paymentKey });
  const before = await ledgerCount();
  for (const claims of ['captured', 'refunded', 'failed'])
    await desk.hint({ paymentKey, orderId, ...{ status: claims, amountKrw: 1 } });
  expect(await ledgerCount()).toBe(before);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  await desk.settle();
});

test('what nobody here knows is not asked about; a forged key of a known order is, once, and means nothing', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  await desk.hint({ paymentKey: 'nobody-knows-it' });
  await desk.hint({ orderId: 'order-of-nobody' });
  expect(await hintCount()).toBe(0);
  await desk.hint({ orderId, paymentKey: 'forged' });
  expect(await hintCount()).toBe(0);
  expect((await desk.database.query('SELECT FROM payments.payments')).rows).toEqual([]);
  await desk.settle();
});

test('made-up keys of one order are one question, and an order that somebody has begun to pay comes first', async () => {
  const account = await desk.hold(sale, { seatNos: [0] });
  provider.captures.push('waits');
  const waiting = await desk.prepare(account, 'virtual_account');
  await desk.confirm(account, waiting, { paymentKey: 'account' });
  const orders = [];
  for (let seatNo = 1; seatNo <= 25; seatNo++)
    orders.push(await desk.prepare(await desk.hold(sale, { seatNos: [seatNo] })));
  const asked: object[] = [];
  const { find } = provider;
  provider.find = (by) => {
    asked.push(by);
    return find(by);
  };
  for (let n = 0; n < 100; n++)
    await desk.payments.hear('sandbox', { paymentKey: `forged-${n}`, orderId: orders[n % 25] });
  expect(await hintCount()).toBe(25);
  provider.deposit('account');
  // As Toss tells it: without the key.
  await desk.hint({ orderId: waiting });
  expect(asked.slice(0, 2)).toEqual([{ orderId: waiting }, { paymentKey: 'account' }]);
  await desk.run('payments-hints');
  expect([asked.length, await hintCount()]).toEqual([27, 0]);
  await desk.settle();
  expect(await desk.statusOf(account)).toMatchObject({ status: 'confirmed' });
});

test('no more than a thousand wait of orders that nobody has tried to pay; of others all do', async () => {
  const { paymentKey } = await desk.buy(sale, { seatNos: [0] });
  const orderId = await desk.prepare(await desk.hold(sale, { seatNos: [1] }));
  await desk.database.query(
    `INSERT INTO payments.hints (provider, payment_key, order_id, is_known)
     SELECT 'sandbox', 'order:order-' || n, 'order-' || n, false FROM generate_series(1, 1000) AS n`,
  );
  expect(await desk.payments.hear('sandbox', { orderId })).toBe(true);
  expect(await hintCount()).toBe(1_000);
  expect(await desk.payments.hear('sandbox', { paymentKey })).toBe(true);
  expect(await hintCount()).toBe(1_001);
});

test('a hundred webhooks about one payment are one question, and those in the wrong order say the same', async () => {
  const { held, orderId, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  let asked = 0;
  const { find } = provider;
  provider.find = (by) => {
    asked += 1;
    return find(by);
  };
  const before = await ledgerCount();
  for (let n = 0; n < 100; n++)
    expect(await desk.payments.hear('sandbox', { paymentKey, orderId, status: n % 2 ? 'failed' : 'captured' })).toBe(
      true,
    );
  await desk.run('payments-hints');
  expect([asked, await hintCount(), await ledgerCount()]).toEqual([1, 0, before]);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
});

test('a webhook that came before the answer decides the outcome, and the answer changes nothing', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const paymentKey = randomUUID();
  const { capture } = provider;
  provider.capture = async (call) => {
    const answer = await capture(call);
    await desk.hint({ paymentKey });
    await desk.deliver();
    return answer;
  };
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 200 });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
  expect(await desk.ticketsOf(held)).toHaveLength(1);
});

test('a webhook is not lost with the process that had it in hand, nor while the provider is away', async () => {
  const { orderId, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  provider.refundElsewhere(paymentKey, provider.moneyOf(orderId));
  const { find } = provider;
  let asked = 0;
  provider.find = () => {
    asked += 1;
    throw new Error('the process ends here');
  };
  await desk.hint({ paymentKey });
  provider.find = find;
  provider.isAway = true;
  await desk.later(31_000);
  await desk.run('payments-hints');
  provider.isAway = false;
  await desk.later(31_000);
  await desk.run('payments-hints');
  expect([asked, await hintCount()]).toEqual([1, 0]);
  await desk.settle();
  const { rows } = await desk.database.query('SELECT status FROM payments.payments');
  expect(rows).toEqual([{ status: 'refunded' }]);
});

test('a payment that only the provider knows is booked for its order; of an unknown order, it is found on its list and a person looks', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const taken = (key: string, order: string) =>
    provider.capture({
      ...{ attemptId: randomUUID(), paymentKey: key, orderId: order, orderName: 'x', amountKrw: held.totalKrw },
      ...{ method: 'card', depositUntilMs: null },
    });
  await taken('somewhere-else', orderId);
  await desk.hint({ orderId });
  // Nothing was pinned for it, so there is nothing to give.
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });

  await taken('of-nobody', 'order-of-nobody');
  await desk.hint({ orderId: 'order-of-nobody' });
  expect(await desk.manual()).toEqual([]);
  for (let time = 0; time < 2; time++) await desk.payments.reconcile(seoulDay(Date.now()));
  expect(await desk.manual()).toMatchObject([{ kind: 'unknown_order', amountKrw: held.totalKrw }]);
  await desk.settle();
});

test('a payment key that looks like the name of an order is asked about once', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.captures.push('declines');
  expect(await desk.confirm(held, orderId, { paymentKey: 'order:mine' })).toMatchObject({ code: 'PAYMENT_DECLINED' });
  await desk.hint({ paymentKey: 'order:mine', orderId: 'order-of-others' });
  expect(await hintCount()).toBe(0);
});
