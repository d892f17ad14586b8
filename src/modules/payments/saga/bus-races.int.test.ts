import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { busKinds } from '#test/kit/payments/carriers.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* What happens at the same moment, or a millisecond before or after it, on the buses that the program has. */

const staff = { userId: randomUUID(), role: 'operator' };

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
  const hold = (count = 1) => desk.hold(sale, { seatNos: Array.from({ length: count }, () => seats++), feeKrw: 0 });
  const bought = async (count = 1) => {
    const { held, orderId, paymentKey } = await desk.buy(sale, {
      ...{ seatNos: Array.from({ length: count }, () => seats++), feeKrw: 0 },
    });
    return { held, orderId, paymentKey };
  };
  const goodwill = (paymentKey: string, amountKrw: number) =>
    desk.call('cancelPayment', {
      ...{ ...staff, key: randomUUID(), params: { paymentKey }, body: { amountKrw, reason: 'sorry' } },
    });

  test.each([
    [-1, 200],
    [0, 409],
    [1, 409],
  ])('paid for %i ms from the end of the hold: %i', async (ms, status) => {
    // Standing still, so that the end is of whole milliseconds.
    await setDatabaseClock(desk.database, new Date());
    try {
      const held = await hold();
      const orderId = await desk.prepare(held);
      const { expiresAt = '' } = (await desk.statusOf(held)) ?? {};
      await setDatabaseClock(desk.database, new Date(Date.parse(expiresAt) + ms));
      expect((await desk.confirm(held, orderId)).status).toBe(status);
      await desk.deliver();
      expect(await desk.ticketsOf(held)).toHaveLength(status === 200 ? 1 : 0);
      expect(provider.moneyOf(orderId)).toBe(status === 200 ? held.totalKrw : 0);
      await desk.settle();
    } finally {
      await releaseDatabaseClock(desk.database);
    }
  });

  const moments = ['at once', 'before the pin', 'after the pin', 'before the capture', 'after the capture'] as const;
  test.each(moments)(
    'cancelled while it is confirmed, %s: nobody keeps both, and the seats are free',
    async (moment) => {
      const { pin } = desk.reservations.internal;
      const { capture } = provider;
      for (let round = 0; round < 3; round++) {
        const held = await hold();
        const orderId = await desk.prepare(held);
        const { promise: come, resolve } = Promise.withResolvers<void>();
        const at = (one: (typeof moments)[number]) => one === moment && resolve();
        Object.assign(desk.reservations.internal, {
          pin: async (call: Parameters<typeof pin>[0]) => {
            at('before the pin');
            const answer = await pin(call);
            at('after the pin');
            return answer;
          },
        });
        provider.capture = async (call) => {
          at('before the capture');
          const answer = await capture(call);
          at('after the capture');
          return answer;
        };
        at('at once');
        // Neither waits for the other from here on.
        await Promise.all([desk.confirm(held, orderId), come.then(() => desk.cancel(held))]);
        Object.assign(desk.reservations.internal, { pin });
        provider.capture = capture;
        await desk.settle();
        expect(provider.moneyOf(orderId)).toBe(0);
        expect((await desk.ticketsOf(held)).filter(({ state }) => state !== 'void')).toEqual([]);
        expect((await desk.statusOf(held))?.status).toMatch(/^(released|cancelled)$/);
        expect(await desk.hold(sale, { seatNos: held.seatNos })).toMatchObject({ fences: [2] });
      }
    },
  );

  test('two refunds at the same moment that are too much together: one is refused', async () => {
    const { orderId, paymentKey, held } = await bought(2);
    const answers = await Promise.all(Array.from({ length: 4 }, () => goodwill(paymentKey, 60_000)));
    expect(answers.map(({ code }) => code).sort()).toEqual([...Array(3).fill('PAYMENT_NOT_REFUNDABLE'), null]);
    await desk.settle();
    expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([held.totalKrw - 60_000, 1]);
  });

  test('one ticket cancelled by four pages at the same moment goes back once, beside another one', async () => {
    const { orderId, held, paymentKey } = await bought(2);
    const [one, other] = (await desk.ticketsOf(held)).map(({ id }) => id);
    const cancel = (id: string | undefined) =>
      desk.call('cancelPayment', {
        ...{ userId: held.userId, key: randomUUID(), params: { paymentKey } },
        body: { ticketIds: [id], reason: 'ill' },
      });
    await Promise.all([cancel(one), cancel(one), desk.cancel(held, [one ?? '']), cancel(other), desk.cancel(held)]);
    await desk.settle();
    // Each ticket by itself, or both together where the whole was cancelled first; never one of them twice.
    const refunds = provider.refundsOf(orderId).map(({ amountKrw }) => amountKrw);
    expect([[held.totalKrw], [held.totalKrw / 2, held.totalKrw / 2]]).toContainEqual(refunds);
    expect(provider.moneyOf(orderId)).toBe(0);
    expect(await desk.manual()).toEqual([]);
  });

  test('parts beyond the total: what goes back is what is left', async () => {
    const { orderId, paymentKey, held } = await bought(2);
    expect(await goodwill(paymentKey, held.totalKrw + 1)).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
    expect(await goodwill(paymentKey, 60_000)).toMatchObject({ status: 200 });
    await desk.cancel(held);
    await desk.settle();
    expect(provider.refundsOf(orderId).map(({ amountKrw }) => amountKrw)).toEqual([60_000, 40_000]);
    expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
  });

  test('cancelled, sold again, and only then the refund is heard of, three times: the new ticket stays', async () => {
    const { held: first, orderId: firstOrder } = await bought();
    await desk.cancel(first);
    await desk.deliver();
    const second = await desk.hold(sale, { seatNos: first.seatNos, feeKrw: 0 });
    const orderId = await desk.prepare(second);
    expect(await desk.confirm(second, orderId)).toMatchObject({ status: 200 });
    await desk.deliver();
    expect(await desk.statusOf(second)).toMatchObject({ status: 'confirmed' });
    expect(provider.refundsOf(firstOrder)).toEqual([]);
    await desk.settle();
    const refunded = (await desk.messages()).findLast(({ envelope }) => envelope.type === 'PAYMENT_REFUNDED');
    expect(refunded?.envelope.data).toMatchObject({ orderId: firstOrder });
    for (let time = 0; time < 3; time++) if (refunded !== undefined) await desk.hear(refunded);
    await desk.settle();
    expect(await desk.statusOf(second)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(await desk.ticketsOf(second)).toMatchObject([{ state: 'issued' }]);
    expect([provider.moneyOf(firstOrder), provider.moneyOf(orderId)]).toEqual([0, second.totalKrw]);
  });
});
