import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* What comes is not what was ordered: another currency, another method, another body, a key that somebody else uses at the same moment. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;
const staff = { userId: randomUUID(), role: 'operator' } as const;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ priceKrw: 50_000, seats: 10 });
});

test('money of another currency buys nothing; once it is given back, the seats are free to be paid for', async () => {
  const { capture } = provider;
  provider.capture = async (call) => {
    const answer = await capture(call);
    if (answer.status !== 'captured') return answer;
    const payment = { ...answer.payment, currency: 'VND' };
    provider.books.set(call.paymentKey, payment);
    return { status: 'captured', payment };
  };
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  expect(await desk.confirm(held, orderId, { paymentKey: 'dong' })).toMatchObject({ status: 202 });
  await desk.deliver();
  expect(await desk.ticketsOf(held)).toEqual([]);
  expect(await desk.manual()).toMatchObject([{ kind: 'amount_differs' }]);

  const taken = provider.books.get('dong');
  if (taken === undefined) throw new Error('the provider has taken nothing');
  provider.books.set('dong', { ...taken, status: 'refunded', balanceKrw: 0 });
  await desk.later(61_000);
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
  await desk.settle();
});

test.each([3_000_000_000, 50_000.5, 0, -1])(
  'a capture of %d won is for a person and keeps its seats; once it is given back, they are free',
  async (amountKrw) => {
    const { capture } = provider;
    provider.capture = async (call) => {
      const answer = await capture(call);
      if (answer.status !== 'captured') return answer;
      const payment = { ...answer.payment, amountKrw, balanceKrw: amountKrw };
      provider.books.set(call.paymentKey, payment);
      return { status: 'captured', payment };
    };
    const held = await desk.hold(sale, { seatNos: [0] });
    const orderId = await desk.prepare(held);
    expect(await desk.confirm(held, orderId, { paymentKey: 'odd' })).toMatchObject({ status: 202 });
    await desk.deliver();
    expect(await desk.manual()).toMatchObject([{ kind: 'amount_differs' }]);
    expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
    await desk.run('payments-reconcile');

    const taken = provider.books.get('odd');
    if (taken === undefined) throw new Error('the provider has taken nothing');
    provider.books.set('odd', { ...taken, status: 'refunded', balanceKrw: 0 });
    await desk.later(61_000);
    await desk.run('payments-checks');
    await desk.deliver();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'pending' });
    await desk.settle();
  },
);

test.each([99_000_000, 0.5])('a refund of %d won that the provider claims is for a person, once', async (amountKrw) => {
  const { held, paymentKey } = await desk.buy(sale, { seatNos: [0] });
  const known = provider.books.get(paymentKey);
  if (known === undefined) throw new Error('the provider has taken nothing');
  const refunds = [{ reference: 'odd', refundId: null, amountKrw, atMs: Date.now() }];
  provider.books.set(paymentKey, { ...known, refunds });
  for (let time = 0; time < 2; time++) await desk.hint({ paymentKey });
  expect(await desk.manual()).toMatchObject([{ kind: 'amount_differs' }]);
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  await desk.settle();
});

test('a virtual account that was opened for an order by card is closed at once', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held, 'card');
  const { capture } = provider;
  provider.capture = (call) =>
    capture({ ...call, method: 'virtual_account', depositUntilMs: Date.now() + 30 * 60_000 });
  provider.captures.push('waits');
  await desk.confirm(held, orderId, { paymentKey: 'account' });
  await desk.deliver();
  await desk.run('payments-checks');
  await desk.deliver();
  expect(provider.books.get('account')).toMatchObject({ status: 'expired' });
  // A deposit that comes all the same is seen for what it is, and goes back.
  provider.deposit('account');
  await desk.hint({ paymentKey: 'account' });
  await desk.deliver();
  await desk.settle();
  expect(provider.books.get('account')).toMatchObject({ status: 'refunded', balanceKrw: 0 });
  expect(await desk.ticketsOf(held)).toEqual([]);
});

test('a virtual account that was cancelled while it was being opened is closed at once', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held, 'virtual_account');
  provider.captures.push('waits');
  provider.beforeCapture = async () => {
    await desk.cancel(held);
    await desk.deliver();
  };
  await desk.confirm(held, orderId, { paymentKey: 'account' });
  await desk.deliver();
  await desk.run('payments-checks');
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'released' });
  await desk.settle();
});

test('the key of a cancellation or of goodwill with another body is refused', async () => {
  const { held, paymentKey } = await desk.buy(sale, { seatNos: [0, 1] });
  const [first, second] = await desk.ticketsOf(held);
  const cancel = (id: string | undefined) =>
    desk.call('cancelPayment', {
      ...{ userId: held.userId, key: 'once', params: { paymentKey }, body: { ticketIds: [id], reason: 'ill' } },
    });
  expect(await cancel(first?.id)).toMatchObject({ status: 200 });
  expect(await cancel(first?.id)).toMatchObject({ status: 200 });
  expect(await cancel(second?.id)).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  const give = (amountKrw: number) =>
    desk.call('cancelPayment', {
      ...{ ...staff, key: 'gift', params: { paymentKey }, body: { amountKrw, reason: 'cold hall' } },
    });
  expect(await give(1_000)).toMatchObject({ status: 200 });
  expect(await give(1_000)).toMatchObject({ status: 200 });
  expect(await give(2_000)).toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
  await desk.settle();
});

test('a refused call does not change where refunds go, and staff never change it unseen', async () => {
  const { held, paymentKey, orderId } = await desk.buy(sale, { seatNos: [0] });
  const refundAccount = { bank: '088', number: '999-666', holder: 'An operator' };
  const ask = (body: object) => desk.call('cancelPayment', { ...staff, params: { paymentKey }, body } as never);
  const account = async () =>
    (await desk.database.query('SELECT refund_account FROM payments.orders WHERE order_id = $1', [orderId])).rows;
  const unknownTicket = randomUUID();
  for (const body of [{ amountKrw: 99_999_999 }, { ticketIds: [unknownTicket] }]) {
    expect(await ask({ ...body, reason: 'x', refundAccount })).not.toMatchObject({ status: 200 });
    expect(await account()).toEqual([{ refund_account: null }]);
  }
  expect(await ask({ reason: 'x', refundAccount })).toMatchObject({ status: 200 });
  expect(await account()).toEqual([{ refund_account: refundAccount }]);
  const { rows } = await desk.database.query(
    `SELECT action FROM urr.audit_log WHERE action = 'payments.order.refund-account'`,
  );
  expect(rows.length).toBeGreaterThan(0);
  await desk.deliver();
  expect((await desk.ticketsOf(held)).map(({ state }) => state)).toEqual(['void']);
  await desk.settle();
});

test('what staff gave back before ticketing said that there is nothing to give was no goodwill', async () => {
  const held = await desk.hold(sale, { seatNos: [0] });
  const orderId = await desk.prepare(held);
  provider.beforeCapture = async () => {
    await desk.cancel(held);
  };
  await desk.confirm(held, orderId, { paymentKey: 'late' });
  const body = { amountKrw: held.totalKrw, reason: 'no ticket came' };
  expect(await desk.call('cancelPayment', { ...staff, params: { paymentKey: 'late' }, body })).toMatchObject({
    status: 200,
  });
  await desk.run('payments-refunds');
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(0);
  expect(provider.refundsOf(orderId)).toHaveLength(1);
});

test('one key for two orders at the same moment: one has it, the other is told that there is no such order', async () => {
  for (let round = 0; round < 5; round++) {
    const orders = await Promise.all(
      [0, 1].map(async (n) => {
        const held = await desk.hold(sale, { seatNos: [round * 2 + n] });
        return { held, orderId: await desk.prepare(held) };
      }),
    );
    const answers = await Promise.all(
      orders.map(({ held, orderId }) => desk.confirm(held, orderId, { paymentKey: `one-key-${round}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  }
  await desk.settle();
});
