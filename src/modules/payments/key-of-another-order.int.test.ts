import { beforeEach, expect, test } from 'vitest';
import { putDatabaseClockForward } from '#test/kit/database-clock.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';
import type { ProviderPayment } from './ports.ts';

/* A provider may answer with a payment that exists and is paid, but for another order: the key was paid with somewhere else. */

const paidElsewhere = (paymentKey: string, amountKrw: number): ProviderPayment => ({
  ...{ paymentKey, orderId: 'order-of-another', amountKrw, balanceKrw: amountKrw, wasCaptured: true },
  ...{ status: 'captured', currency: 'KRW', method: 'card', refunds: [], account: null },
});

let provider: PlayedProvider;
let desk: PayDesk;

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
});

async function anOrder() {
  const held = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0] });
  return { held, orderId: await desk.prepare(held) };
}

test('a capture that is told of another order buys nothing', async () => {
  const { held, orderId } = await anOrder();
  const honest = provider.capture;
  provider.capture = async ({ paymentKey, amountKrw }) => ({
    ...{ status: 'captured', payment: paidElsewhere(paymentKey, amountKrw) },
  });
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 402, code: 'PAYMENT_DECLINED' });
  await desk.settle();

  provider.capture = honest;
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await desk.settle();
  expect(provider.moneyOf(orderId)).toBe(held.totalKrw);
});

test('an unknown outcome is not decided by the payment of another order', async () => {
  const { held, orderId } = await anOrder();
  const paymentKey = 'paid-elsewhere';
  provider.captures.push('lost-before');
  expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({ status: 202 });
  provider.books.set(paymentKey, paidElsewhere(paymentKey, held.totalKrw));
  await putDatabaseClockForward(desk.database, 61_000);
  await desk.run('payments-checks');
  await desk.deliver();
  const { reservation } = await desk.reservations.internal.reservationState({ reservationId: held.id });
  expect(reservation).toMatchObject({ status: 'pending' });
  await desk.settle();
});
