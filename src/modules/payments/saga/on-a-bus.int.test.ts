import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { busKinds } from '#test/kit/payments/carriers.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';

/* The saga in both directions on the buses that the program has. What needs a special order of messages is in the files beside. */

describe.each(busKinds)('on the bus "%s"', (carrier) => {
  let provider: PlayedProvider;
  let desk: PayDesk;
  let sale: Sale;
  let seats = 0;

  beforeAll(async () => {
    provider = aPlayedProvider();
    desk = await aPayDesk(provider, { carrier });
    sale = await desk.sale({ priceKrw: 50_000, seats: 40 });
  });
  /** Without a booking fee, which would be kept if midnight came in between. */
  const hold = (count = 1) => desk.hold(sale, { seatNos: Array.from({ length: count }, () => seats++), feeKrw: 0 });

  test('a decline lets the seats be paid for again, and a payment gives tickets, once however often it is repeated', async () => {
    const held = await hold(2);
    const orderId = await desk.prepare(held);
    provider.captures.push('declines');
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: 402, code: 'PAYMENT_DECLINED' });
    const paymentKey = randomUUID();
    expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 200 });
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 200 });
    expect(await desk.confirm(held, orderId)).toMatchObject({ code: 'ORDER_PAID' });
    expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
  });

  test.each(['lost-before', 'lost-after'] as const)('an answer that was %s: one charge, one ticket', async (how) => {
    const held = await hold();
    const orderId = await desk.prepare(held);
    provider.captures.push(how);
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: 202, body: { payment: { status: 'unknown' } } });
    await desk.later(10_000);
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
    expect(await desk.ticketsOf(held)).toMatchObject([{ state: 'issued' }]);
    expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
  });

  test('cancelled ticket by ticket, all of the money goes back, each part once', async () => {
    const held = await hold(3);
    const orderId = await desk.prepare(held);
    await desk.confirm(held, orderId);
    await desk.deliver();
    const tickets = await desk.ticketsOf(held);
    for (const { id } of tickets) await desk.cancel(held, [id]);
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'cancelled', paymentStatus: 'refunded' });
    expect(provider.moneyOf(orderId)).toBe(0);
    expect(provider.refundsOf(orderId)).toHaveLength(3);
    expect(await desk.manual()).toEqual([]);
  });

  test('cancelled while it is being paid for, the capture goes back and the seats are free', async () => {
    const held = await hold();
    const orderId = await desk.prepare(held);
    provider.beforeCapture = async () => {
      provider.beforeCapture = async () => {};
      await desk.cancel(held);
      await desk.deliver();
    };
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'released', paymentStatus: 'refunded' });
    expect(provider.moneyOf(orderId)).toBe(0);
    expect(await desk.hold(sale, { seatNos: held.seatNos })).toMatchObject({ fences: [2] });
  });

  test('two captures for one order: the first has the tickets, the other goes back', async () => {
    const held = await hold();
    const orderId = await desk.prepare(held);
    const first = randomUUID();
    provider.captures.push('declines');
    await desk.confirm(held, orderId, { paymentKey: first });
    expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
    await desk.deliver();
    // The provider takes its decline back.
    provider.deposit(first);
    await desk.hint({ paymentKey: first });
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
    expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
    expect(provider.refundsOf(orderId)).toHaveLength(1);
  });

  test('every message three times, in disorder, changes nothing that was done', async () => {
    const held = await hold(2);
    const orderId = await desk.prepare(held);
    await desk.confirm(held, orderId);
    await desk.deliver();
    const [one] = await desk.ticketsOf(held);
    // Of an order that has money left: what goes back twice is not stopped by what was captured.
    await desk.cancel(held, [one?.id ?? '']);
    const before = await desk.settle();
    const messages = await desk.messages();
    expect(messages.map(({ envelope }) => envelope.type)).toEqual(
      expect.arrayContaining([
        ...['PAYMENT_CONFIRMED', 'PAYMENT_FAILED', 'PAYMENT_REFUNDED'],
        ...['RESERVATION_CONFIRMED', 'RESERVATION_CANCELLED', 'RESERVATION_PAYMENT_REJECTED'],
      ]),
    );
    const { shuffle } = createSeededRandom(testSeed());
    for (const message of shuffle([...messages, ...messages, ...messages])) await desk.hear(message);
    expect(await desk.settle()).toEqual(before);
    expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([50_000, 1]);
  });
});
