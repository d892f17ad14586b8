import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { busKinds } from '#test/kit/payments/carriers.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* The broker, the provider and the bank are away, late, or say one thing after the other, on the buses that the program has. */

const minute = 60_000;

describe.each(busKinds)('on the bus "%s"', (carrier) => {
  let provider: PlayedProvider;
  let desk: PayDesk;
  let sale: Sale;
  let seats = 0;

  beforeAll(async () => {
    provider = aPlayedProvider();
    desk = await aPayDesk(provider, { carrier });
    sale = await desk.sale({ priceKrw: 50_000, seats: 100 });
  });
  const hold = () => desk.hold(sale, { seatNos: [seats++], feeKrw: 0 });
  const runAll = async () => {
    for (const job of desk.payments.jobs) await job.run(new AbortController().signal);
  };

  test('the broker is away for ten minutes: money is taken and asked back meanwhile, and all of it ends well', async () => {
    const leaving = await desk.buy(sale, { seatNos: [seats++], feeKrw: 0 });
    const waiting = await hold();
    const paying = await hold();
    const declined = await hold();
    const [order, other] = [await desk.prepare(paying), await desk.prepare(declined)];
    const account = await desk.prepare(waiting, 'virtual_account');
    await desk.goAway();

    expect(await desk.confirm(paying, order)).toMatchObject({ status: 200, body: { payment: { status: 'captured' } } });
    provider.captures.push('declines', 'waits');
    expect(await desk.confirm(declined, other)).toMatchObject({ code: 'PAYMENT_DECLINED' });
    await desk.confirm(waiting, account, { paymentKey: `account-${carrier}` });
    await desk.cancel(leaving.held);
    for (let minutes = 0; minutes < 10; minutes++) {
      await desk.later(minute);
      await runAll();
    }
    expect(await desk.statusOf(paying)).toMatchObject({ status: 'paying' });
    expect(await desk.statusOf(leaving.held)).toMatchObject({ paymentStatus: 'refund_requested' });
    expect(provider.moneyOf(leaving.orderId)).toBe(leaving.held.totalKrw);

    await desk.comeBack();
    await desk.deliver();
    expect(await desk.statusOf(paying)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(await desk.statusOf(waiting)).toMatchObject({ status: 'waiting_for_deposit' });
    provider.deposit(`account-${carrier}`);
    await desk.hint({ orderId: account });
    await desk.settle();
    expect(await desk.statusOf(waiting)).toMatchObject({ status: 'confirmed' });
    expect(await desk.statusOf(leaving.held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
    expect((await desk.statusOf(declined))?.status).toMatch(/^(pending|expired)$/);
    expect([order, other, leaving.orderId].map((id) => provider.moneyOf(id))).toEqual([paying.totalKrw, 0, 0]);
  });

  test('a forged webhook, one of nobody, a hundred in the wrong order: what the provider has is what counts', async () => {
    const { held, orderId, paymentKey } = await desk.buy(sale, { seatNos: [seats++], feeKrw: 0 });
    const refused = await hold();
    const [other, forged] = [await desk.prepare(refused), `declined-${carrier}`];
    provider.captures.push('declines');
    await desk.confirm(refused, other, { paymentKey: forged });
    const before = await desk.settle();
    for (let n = 0; n < 100; n++)
      await desk.payments.hear('sandbox', { paymentKey, orderId, status: n % 2 === 0 ? 'refunded' : 'captured' });
    await desk.hint({ paymentKey: forged, orderId: other, ...{ status: 'captured', amountKrw: 50_000 } });
    await desk.hint({ paymentKey: 'of-nobody', orderId: 'of-nobody' });
    expect(await desk.settle()).toEqual(before);
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(await desk.statusOf(refused)).toMatchObject({ status: 'pending' });
    expect([provider.moneyOf(orderId), provider.moneyOf(other)]).toEqual([held.totalKrw, 0]);
  });

  async function anAccount() {
    const held = await hold();
    const orderId = await desk.prepare(held, 'virtual_account');
    const paymentKey = `account-${randomUUID()}`;
    provider.captures.push('waits');
    expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
      ...{ status: 200, body: { payment: { status: 'waiting_for_deposit' } } },
    });
    await desk.deliver();
    return { held, orderId, paymentKey };
  }

  test('a deposit after the deadline goes back, and the seats are somebody else’s', async () => {
    const { held, orderId, paymentKey } = await anAccount();
    await desk.later(31 * minute);
    await desk.run('payments-checks');
    await desk.deliver();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
    const next = await desk.buy(sale, { seatNos: held.seatNos, feeKrw: 0 });
    provider.deposit(paymentKey);
    await desk.hint({ paymentKey });
    await desk.settle();
    expect([provider.moneyOf(orderId), provider.moneyOf(next.orderId)]).toEqual([0, next.held.totalKrw]);
    expect(await desk.statusOf(next.held)).toMatchObject({ status: 'confirmed' });
    expect(await desk.ticketsOf(held)).toEqual([]);
  });

  test('a deposit that is taken back takes the ticket with it, and the next deposit goes back', async () => {
    const { held, orderId, paymentKey } = await anAccount();
    provider.deposit(paymentKey);
    await desk.hint({ paymentKey });
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
    provider.takeBack(paymentKey);
    await desk.hint({ paymentKey });
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
    expect(await desk.hold(sale, { seatNos: held.seatNos })).toMatchObject({ fences: [2] });
    provider.deposit(paymentKey);
    await desk.hint({ paymentKey });
    await desk.settle();
    expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 1]);
    expect(await desk.manual()).toEqual([]);
  });

  // The last one: it puts the clock forward by days.
  test('a day without a word of the provider: a person is asked, the seats stay, and its word still ends it', async () => {
    const held = await hold();
    const orderId = await desk.prepare(held);
    provider.captures.push('lost-after');
    const { find, refund } = provider;
    provider.find = async () => ({ status: 'unknown', why: 'away' });
    provider.refund = async () => ({ status: 'unknown', why: 'away' });
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: 202 });
    for (let hours = 0; hours < 25; hours++) {
      await desk.later(60 * minute);
      await desk.run('payments-checks');
      await desk.deliver();
      expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
      expect((await desk.manual()).map(({ kind }) => kind)).toEqual(hours < 23 ? [] : ['unknown_outcome']);
    }
    Object.assign(provider, { find, refund });
    await desk.later(60 * minute);
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
    // A person was asked, and says that it is well.
    const [item] = await desk.manual();
    const body = { resolution: 'accept', note: 'it has answered' };
    const call = { userId: randomUUID(), role: 'operator', params: { manualId: item?.id }, body };
    expect(await desk.call('resolveManualPayment', call)).toMatchObject({ status: 200 });
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  });
});
