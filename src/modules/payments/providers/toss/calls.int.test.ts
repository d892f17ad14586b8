import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CaptureCall, RefundCall } from '../../ports.ts';
import { aFakeToss } from '../../testing/a-fake-toss.ts';
import type { FakeBehaviour } from './fake/behaviours.ts';

const staged = await aFakeToss();
const { time, provider } = staged;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

function anOrder(behaviour: FakeBehaviour = 'approves', changes: Partial<CaptureCall> = {}): CaptureCall {
  const orderId = `order-${randomUUID()}`;
  const paymentKey = staged.fake.control.pay({ orderId, amount: 30_000, behaviour });
  const call = { attemptId: randomUUID(), orderId, orderName: 'Two seats', amountKrw: 30_000, paymentKey };
  return { ...call, method: 'card', depositUntilMs: null, ...changes };
}

function refundOf({ paymentKey }: CaptureCall, changes: Partial<RefundCall> = {}): RefundCall {
  return {
    ...{ refundId: randomUUID(), paymentKey, amountKrw: 10_000, balanceKrw: null, reason: 'cancelled', account: null },
    ...{ firstSentAtMs: time.now(), ...changes },
  };
}

const found = async (call: { paymentKey: string }) => {
  const answer = await provider.find({ paymentKey: call.paymentKey });
  if (answer.status !== 'found') throw new Error(`the payment is ${answer.status}`);
  return answer.payment;
};

test('a payment that was processed before is looked at: ALREADY_PROCESSED_PAYMENT is no decline', async () => {
  const call = anOrder();
  expect(await provider.capture(call)).toMatchObject({ status: 'captured' });
  const another = { ...call, attemptId: randomUUID() };
  expect(await provider.capture(another)).toMatchObject({ status: 'captured', payment: { balanceKrw: 30_000 } });
});

test('a key by which another order was paid pays for no other', async () => {
  const paid = anOrder();
  await provider.capture(paid);
  const theft = anOrder('approves', { paymentKey: paid.paymentKey });
  expect(await provider.capture(theft)).toMatchObject({ status: 'declined', code: 'PAYMENT_OF_ANOTHER_ORDER' });
});

test('a tampered amount takes nothing', async () => {
  const call = anOrder('approves', { amountKrw: 100 });
  expect(await provider.capture(call)).toMatchObject({ status: 'declined', code: 'FORBIDDEN_REQUEST' });
  expect(await found(call)).toMatchObject({ status: 'in_progress', balanceKrw: 0 });
});

test.each(['..', 'a/../../v1/transactions', '%2e%2e', 'k?x=1', ''])(
  '%j is no key: it is declined and found nowhere',
  async (key) => {
    expect(await provider.capture(anOrder('approves', { paymentKey: key }))).toMatchObject({ status: 'declined' });
    expect(await provider.find({ paymentKey: key })).toEqual({ status: 'not_found' });
  },
);

test('a key that nobody knows is declined, so that it cannot keep seats', async () => {
  const call = anOrder('approves', { paymentKey: 'made_up' });
  expect(await provider.capture(call)).toMatchObject({ status: 'declined', code: 'NOT_FOUND_PAYMENT' });
});

test('two windows for one order: the second cannot be confirmed', async () => {
  const first = anOrder();
  const paymentKey = staged.fake.control.pay({ orderId: first.orderId, amount: 30_000 });
  expect(await provider.capture(first)).toMatchObject({ status: 'captured' });
  const second = { ...first, paymentKey, attemptId: randomUUID() };
  expect(await provider.capture(second)).toMatchObject({ status: 'declined', code: 'DUPLICATED_ORDER_ID' });
});

test.each([
  ['answers_html', 'no JSON'],
  ['answers_too_much', 'larger than'],
  ['redirects', 'redirected'],
] as const)('%s: nothing is known, and a repeat takes the money once', async (behaviour, why) => {
  const call = anOrder(behaviour);
  expect(await provider.capture(call)).toEqual({ status: 'unknown', why: expect.stringContaining(why) });
  expect(await provider.capture(call)).toMatchObject({ status: 'captured', payment: { balanceKrw: 30_000 } });
});

test('a temporary error is the answer to its key for 15 days; another process gets past it, too', async () => {
  const call = anOrder('fails_once');
  expect(await provider.capture(call)).toEqual({ status: 'unknown', why: expect.stringContaining('PROVIDER_ERROR') });
  const elsewhere = staged.adapter();
  expect(await elsewhere.capture(call)).toMatchObject({ status: 'unknown' });
  expect(await elsewhere.capture(call)).toMatchObject({ status: 'captured' });
  expect(await provider.capture(call)).toMatchObject({ status: 'captured', payment: { balanceKrw: 30_000 } });
});

test('a refund that met a temporary error is looked for before it is sent again', async () => {
  const call = anOrder('refund_fails_once');
  await provider.capture(call);
  const refund = refundOf(call);
  expect(await provider.refund(refund)).toMatchObject({ status: 'unknown' });
  expect(await provider.refund(refund)).toMatchObject({ status: 'done' });
  expect(await provider.refund(refund)).toMatchObject({ status: 'done' });
  expect(await found(call)).toMatchObject({ balanceKrw: 20_000, refunds: [{ refundId: refund.refundId }] });
});

test.each([13, 14, 15, 16, 40])('a refund repeated after %i days gives nothing twice, by any process', async (days) => {
  const call = anOrder();
  await provider.capture(call);
  const refund = refundOf(call);
  expect(await provider.refund(refund)).toMatchObject({ status: 'done' });
  staged.fake.control.advance(days * dayMs + minuteMs);
  expect(await staged.adapter().refund(refund)).toMatchObject({ status: 'done' });
  expect(await found(call)).toMatchObject({ balanceKrw: 20_000 });
});

test('all of it in parts is refunded, though Toss calls it PARTIAL_CANCELED', async () => {
  const call = anOrder();
  await provider.capture(call);
  await provider.refund(refundOf(call));
  await provider.refund(refundOf(call, { amountKrw: 20_000 }));
  expect(staged.fake.control.shown(call.paymentKey)).toMatchObject({ status: 'PARTIAL_CANCELED', balanceAmount: 0 });
  expect(await found(call)).toMatchObject({ status: 'refunded', balanceKrw: 0 });
  expect(await provider.refund(refundOf(call))).toMatchObject({ status: 'refused', code: 'NOT_CANCELABLE_AMOUNT' });
});

test('a restart in the middle of a capture: the money is taken once, and the repeat hears of it', async () => {
  const call = anOrder('slow');
  const first = provider.capture(call);
  const isUnderWay = async () => (await provider.capture(call)).status;
  await expect.poll(isUnderWay, { timeout: 60_000 }).toBe('unknown');
  await staged.stop();
  expect(await first).toMatchObject({ status: 'unknown' });
  await staged.start();
  expect(await found(call)).toMatchObject({ status: 'in_progress', wasCaptured: false });
  staged.fake.control.advance(66_000);
  expect(await found(call)).toMatchObject({ status: 'captured', balanceKrw: 30_000 });
  expect(await provider.capture(call)).toMatchObject({ status: 'captured' });
});

test('an account closed while it was empty and paid all the same has its money, and no refund', async () => {
  const orderId = `order-${randomUUID()}`;
  const paymentKey = staged.fake.control.pay({ orderId, amount: 30_000, method: 'VIRTUAL_ACCOUNT' });
  const call = anOrder('approves', { orderId, paymentKey, method: 'virtual_account' });
  expect(await provider.capture(call)).toMatchObject({
    status: 'waiting_for_deposit',
    payment: { account: { bank: '신한은행' } },
  });
  expect(await provider.refund(refundOf(call, { amountKrw: null }))).toMatchObject({
    status: 'done',
    payment: { refunds: [] },
  });
  staged.fake.control.deposit(paymentKey);
  expect(await found(call)).toMatchObject({ status: 'captured', balanceKrw: 30_000, refunds: [] });
  const account = { bank: '신한은행', number: '110-123-456789', holder: '김우르' };
  const back = refundOf(call, { amountKrw: 30_000, balanceKrw: 30_000, account });
  expect(await provider.refund(back)).toMatchObject({ status: 'done', payment: { status: 'refunded' } });
});

test('a reversed account that is then closed is not refunded: the bank took the money', async () => {
  const orderId = `order-${randomUUID()}`;
  const paymentKey = staged.fake.control.pay({ orderId, amount: 30_000, method: 'VIRTUAL_ACCOUNT' });
  const call = anOrder('approves', { orderId, paymentKey, method: 'virtual_account' });
  await provider.capture(call);
  staged.fake.control.deposit(paymentKey);
  staged.fake.control.reverse(paymentKey);
  expect(await found(call)).toMatchObject({
    status: 'waiting_for_deposit',
    wasCaptured: true,
    balanceKrw: 0,
    refunds: [],
  });
  const account = { bank: '088', number: '110123456789', holder: '김우르' };
  expect(await provider.refund(refundOf(call, { amountKrw: 30_000, account }))).toMatchObject({ status: 'refused' });
  expect(await provider.refund(refundOf(call, { amountKrw: null, account }))).toMatchObject({ status: 'done' });
  expect(await found(call)).toMatchObject({ status: 'failed', wasCaptured: true, balanceKrw: 0, refunds: [] });
});

test('a wrong key proves nothing and is never repeated to anybody', async () => {
  const secretKey = 'test_sk_wrong_and_secret';
  const wrong = staged.adapter({ secretKey });
  const call = anOrder();
  const basic = Buffer.from(`${secretKey}:`).toString('base64');
  const said = JSON.stringify([
    await wrong.capture(call),
    await wrong.find(call),
    await wrong.refund(refundOf(call)),
    await wrong.list({ fromMs: 0, toMs: 1, cursor: null }).catch((error: Error) => `${error.message} ${error.stack}`),
  ]);
  expect(said).toContain('UNAUTHORIZED_KEY');
  expect(said).not.toContain('declined');
  for (const secret of [secretKey, basic]) expect(said).not.toContain(secret);
});
