import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { seoulDay } from '#modules/payments/index.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { useTicket } from '#modules/ticketing/testing/use-ticket.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* The provider's list of a day against ours, both ways: nothing is dropped. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;
const reconcile = async () => (await desk.payments.reconcile(seoulDay(Date.now())))[0];

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000 });
});

test('a day that agrees changes nothing', async () => {
  const { held } = await desk.buy(sale, { seatNos: [0, 1] });
  await desk.cancel(held, [(await desk.ticketsOf(held))[0]?.id ?? '']);
  const before = await desk.settle();
  expect(await reconcile()).toMatchObject({ theirs: 2, ours: 2, takenIn: 0, onlyOurs: 0 });
  expect(await desk.settle()).toEqual(before);
  expect(await desk.manual()).toEqual([]);
});

test('a refund that only the provider knows takes the tickets with it', async () => {
  const { held, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  provider.refundElsewhere(paymentKey, held.totalKrw);
  expect(await reconcile()).toMatchObject({ takenIn: 1, onlyOurs: 0 });
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
});

test('one for a ticket that is in use is for a person, who may accept it', async () => {
  const { held, paymentKey } = await desk.buy(sale, { seatNos: [0, 1] });
  const [used] = await desk.ticketsOf(held);
  await useTicket(desk.database, used?.id ?? '');
  provider.refundElsewhere(paymentKey, held.totalKrw);
  expect(await reconcile()).toMatchObject({ takenIn: 1 });
  expect(await desk.settle()).toMatchObject({ withPerson: 1 });
  expect((await desk.ticketsOf(held)).map(({ state }) => state)).toEqual(['checked_in', 'void']);
  const [item] = await desk.manual();
  expect(item).toMatchObject({ kind: 'tickets_in_use', amountKrw: held.totalKrw / 2 });
  const body = { resolution: 'accept', note: 'they were inside' };
  const staff = { userId: randomUUID(), role: 'operator' };
  expect(await desk.call('resolveManualPayment', { ...staff, params: { manualId: item?.id }, body })).toMatchObject({
    status: 200,
  });
  expect(await desk.settle()).toMatchObject({ withPerson: 0 });
});

test('a capture that only the provider knows is booked and goes back; of an unknown order, a person looks at it', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  const call = { amountKrw: held.totalKrw, orderName: 'x', method: 'card', depositUntilMs: null } as const;
  for (const order of [orderId, 'order-of-nobody'])
    await provider.capture({ ...call, attemptId: randomUUID(), paymentKey: `key of ${order}`, orderId: order });
  expect(await reconcile()).toMatchObject({ theirs: 2, ours: 0, takenIn: 2 });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect(await desk.manual()).toMatchObject([{ kind: 'unknown_order', amountKrw: held.totalKrw }]);
});

test('what only we know is for a person, once', async () => {
  const { held, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  provider.books.delete(paymentKey);
  expect(await reconcile()).toMatchObject({ theirs: 0, ours: 1, onlyOurs: 1 });
  await reconcile();
  expect(await desk.manual()).toMatchObject([{ kind: 'amount_differs', amountKrw: held.totalKrw }]);
});

test('of several processes one compares each night, and days that nobody compared are caught up on', async () => {
  let lists = 0;
  const { list } = provider;
  provider.list = (range) => {
    lists += 1;
    return list(range);
  };
  await Promise.all([1, 2, 3].map(() => desk.run('payments-reconcile')));
  const { rows } = await desk.database.query('SELECT FROM payments.reconciled WHERE done_at IS NOT NULL');
  // A week, each day by two questions: the day itself, and with its margins.
  expect([rows.length, lists]).toEqual([7, 14]);
});

test('a second deposit to an account, of which no webhook told, is found and goes back', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held, 'virtual_account');
  const paymentKey = 'account';
  provider.captures.push('waits');
  await desk.confirm(held, orderId, { paymentKey });
  await desk.deliver();
  provider.deposit(paymentKey);
  await desk.hint({ paymentKey });
  await desk.settle();
  provider.takeBack(paymentKey);
  await desk.hint({ paymentKey });
  await desk.settle();
  provider.deposit(paymentKey);
  const { list } = provider;
  // Each deposit is a line of its own.
  provider.list = async (range) => {
    const { items, nextCursor } = await list(range);
    return { items: items.flatMap((one) => (one.kind === 'captured' ? [one, one] : [one])), nextCursor };
  };
  expect(await reconcile()).toMatchObject({ theirs: 2, ours: 1, takenIn: 1, onlyOurs: 0 });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect(await reconcile()).toMatchObject({ theirs: 3, ours: 3, takenIn: 0, onlyOurs: 0 });
  expect(await desk.manual()).toEqual([]);
});

test('a payment that cannot be asked about keeps no other from being taken in', async () => {
  const bought = [await desk.buy(sale, { seatNos: [0] }), await desk.buy(sale, { seatNos: [1] })];
  for (const { paymentKey, held } of bought) provider.refundElsewhere(paymentKey, held.totalKrw);
  const { find } = provider;
  provider.find = (by) =>
    'paymentKey' in by && by.paymentKey === bought[0]?.paymentKey
      ? Promise.reject(new Error('the provider answers nonsense'))
      : find(by);
  await expect(reconcile()).rejects.toThrow('nonsense');
  provider.find = find;
  await desk.deliver();
  const states = await Promise.all(bought.map(async ({ held }) => (await desk.statusOf(held))?.status));
  expect(states).toEqual(['confirmed', 'cancelled']);
  expect(await reconcile()).toMatchObject({ takenIn: 1 });
  await desk.settle();
});

test('a day whose list cannot be read keeps no other day from being compared', async () => {
  const { list } = provider;
  let asked = 0;
  provider.list = (range) => (asked++ === 0 ? Promise.reject(new Error('no list')) : list(range));
  await expect(desk.run('payments-reconcile')).rejects.toThrow('no list');
  const { rows } = await desk.database.query('SELECT FROM payments.reconciled WHERE done_at IS NOT NULL');
  expect(rows).toHaveLength(6);
  await desk.run('payments-reconcile');
  expect((await desk.database.query('SELECT FROM payments.reconciled WHERE done_at IS NOT NULL')).rows).toHaveLength(7);
});

test('a whole goodwill voids nothing', async () => {
  const { held, paymentKey, orderId } = await desk.buy(sale, { seatNos: [0] });
  const body = { amountKrw: held.totalKrw, reason: 'sorry' };
  const staff = { userId: randomUUID(), role: 'admin' };
  expect(await desk.call('cancelPayment', { ...staff, params: { paymentKey }, body })).toMatchObject({ status: 200 });
  await desk.settle();
  expect(await desk.ticketsOf(held)).toMatchObject([{ state: 'issued' }]);
  expect(provider.moneyOf(orderId)).toBe(0);
});
