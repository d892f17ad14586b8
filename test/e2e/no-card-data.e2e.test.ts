import { expect, test } from 'vitest';
import { aHold } from '#modules/ticketing/testing/a-hold.ts';
import { aSale } from '#modules/ticketing/testing/a-sale.ts';
import { startTestApp } from '#test/kit/app.ts';
import { aClient, isProblem } from '#test/kit/client.ts';
import { databaseText, wordsIn } from '#test/kit/database-text.ts';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';

const approved = '4242 4242 4242 4242';
const declined = '4000 0000 0000 0002';
const bare = (number: string) => number.replaceAll(' ', '');
const owner = 'GILDONG CARDHOLDER';
const expiry = '11/2039';
const cardWords = [approved, bare(approved), declined, bare(declined), owner, expiry];
const account = { bank: '우르르은행', number: '110-987-654321', holder: '홍길동예금주' };
const accountWords = [account.number, account.holder];

test('what a card says of its owner is in no table, on no topic and in no line of the log; an account number is in no log', async () => {
  const log = aLog('trace');
  const app = await startTestApp({ logger: log.logger, env: { URR_LOG_LEVEL: 'trace', URR_LOG_SAMPLE_EVERY: '1' } });
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the database is not open');
  const buyer = await aClient(app.url).as('buyer');
  const { user } = await buyer.getMe();
  const sale = await aSale(database, { priceKrw: 50_000 });

  const order = async (seatNo: number, method: 'card' | 'virtual_account') => {
    const { id } = await aHold(database, sale, { userId: user.id, seatNos: [seatNo], feeKrw: 0 });
    const refundAccount = method === 'virtual_account' ? { refundAccount: account } : {};
    const body = { paymentType: 'reservation', referenceId: id, method, ...refundAccount } as const;
    return (await buyer.preparePayment({ body })).orderId;
  };
  const pay = (orderId: string, number: string) =>
    buyer.processPayment({ body: { orderId, card: { number, expiry, owner } } });

  const orderId = await order(0, 'card');
  await expect(pay(orderId, declined)).rejects.toMatchObject({ code: 'PAYMENT_DECLINED' });
  // Refused at the door, with a complaint about the body.
  await expect(pay(orderId, `${bare(approved)}-x`)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(pay('no-such-order', approved)).rejects.toSatisfy((error: unknown) => isProblem(error));
  const broken = `{"orderId":"${orderId}","card":{"number":"${approved}","expiry":"${expiry}","owner":"${owner}"`;
  await buyer.raw('/api/payments/process', {
    ...{ method: 'POST', body: broken, headers: { 'content-type': 'application/json' } },
  });
  const { payment } = await pay(orderId, approved);
  expect(payment).toMatchObject({ status: 'captured' });

  const deposit = await order(1, 'virtual_account');
  await buyer.processPayment({ body: { orderId: deposit } });
  await buyer.sandboxDeposit({ params: { orderId: deposit, act: 'deposit' } });
  const paid = async (id: string) => (await buyer.getOrder({ params: { orderId: id } })).payment?.status;
  await eventually(async () => (await paid(deposit)) === 'captured', {
    withinMs: 60_000,
    what: 'the deposit to be heard of',
  });
  await eventually(async () => (await buyer.listMyTickets()).items.length === 2, {
    withinMs: 60_000,
    what: 'the tickets',
  });
  for (const { reservationId } of (await buyer.listMyTickets()).items)
    await buyer.cancelReservation({ params: { reservationId }, body: {} });
  for (const id of [orderId, deposit])
    await eventually(async () => (await paid(id)) === 'refunded', { withinMs: 60_000, what: 'the money to go back' });

  const [stored, logged] = [await databaseText(database), log.text()];
  // What is looked for could be found: other things of the same requests are there.
  expect(wordsIn(stored, [orderId, deposit, account.number])).toHaveLength(3);
  expect(wordsIn(logged, ['/api/payments/process'])).toHaveLength(1);
  expect(wordsIn(stored, cardWords)).toEqual([]);
  expect(wordsIn(logged, [...cardWords, ...accountWords])).toEqual([]);
  const bus = await database.query<{ line: string }>('SELECT envelope::text AS line FROM urr.outbox');
  expect(wordsIn(bus.rows.map(({ line }) => line).join('\n'), accountWords)).toEqual([]);
});
