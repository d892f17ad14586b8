import { expect, test } from 'vitest';
import { aHold } from '#modules/ticketing/testing/a-hold.ts';
import { aSale } from '#modules/ticketing/testing/a-sale.ts';
import { startTestApp } from '#test/kit/app.ts';
import { aClient } from '#test/kit/client.ts';
import { checkBooks } from '#test/kit/payments/check-books.ts';

const unreadable = [
  '{"paymentKey":"a\\u0000b"}',
  '{"orderId":"order-\\u0000"}',
  '{"paymentKey":"\\ud800"}',
  '{"__proto__":{"paymentKey":"x"}}',
];
const amounts = ['2147483648', '1e300', '-1', '0.5', '"50000"'];

test('what nobody honest sends is refused at the door, and charges nothing', async () => {
  const app = await startTestApp();
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the database is not open');
  const buyer = await aClient(app.url).as('buyer');
  const { user } = await buyer.getMe();
  const sale = await aSale(database, { priceKrw: 50_000 });
  const { id } = await aHold(database, sale, { userId: user.id, seatNos: [0] });
  const { orderId } = await buyer.preparePayment({
    body: { paymentType: 'reservation', referenceId: id, method: 'card' },
  });
  const post = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    return (await buyer.raw(path, { method: 'POST', body, headers })).status;
  };

  for (const body of unreadable)
    expect([body, await post('/api/payments/webhooks/sandbox', body)]).toEqual([body, 400]);
  for (const amount of amounts) {
    const body = `{"paymentKey":"k","orderId":"${orderId}","amount":${amount}}`;
    expect([body, await post('/api/payments/confirm', body)]).toEqual([body, 400]);
  }
  for (const number of ['four two four two', '4242', '4242-4242-4242-4242', '4242424242424242\\u0000']) {
    const body = `{"orderId":"${orderId}","card":{"number":"${number}"}}`;
    expect([body, await post('/api/payments/process', body)]).toEqual([body, 400]);
  }
  const { rows } = await database.query('SELECT FROM payments.payments');
  expect(rows).toEqual([]);

  // A number of no card that the sandbox knows is one like any other that is declined.
  await expect(buyer.processPayment({ body: { orderId, card: { number: '1111222233334444' } } })).rejects.toMatchObject(
    {
      ...{ code: 'PAYMENT_DECLINED' },
    },
  );
  await checkBooks(database);
});
