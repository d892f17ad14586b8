import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { aFakeToss } from '../../testing/a-fake-toss.ts';

const staged = await aFakeToss();
const { url, sdkUrl } = staged.fake;
const back = { successUrl: 'http://shop.test/payment/o1/success?a=1', failUrl: 'http://shop.test/payment/o1/fail' };
const ask = async (path: string, body?: unknown) => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return (await fetch(`${url}${path}`, init)).json() as Promise<Record<string, unknown>>;
};

async function choose(form: Record<string, string>): Promise<URL> {
  const body = new URLSearchParams({ ...back, ...form });
  const answer = await fetch(`${url}/window`, { method: 'POST', body, redirect: 'manual' });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get('location') ?? '');
}

test('the script offers what the page uses', async () => {
  const script = await (await fetch(sdkUrl)).text();
  const opened: string[] = [];
  const document = { currentScript: { src: sdkUrl } };
  const window: {
    TossPayments?: (key: string) => { payment(by: object): { requestPayment(request: object): Promise<void> } };
  } = {};
  new Function('window', 'document', 'location', script)(window, document, { assign: (to: string) => opened.push(to) });
  const payment = window.TossPayments?.('test_ck_fake').payment({ customerKey: 'c1' });
  const request = {
    method: 'CARD',
    amount: { currency: 'KRW', value: 30_000 },
    orderId: 'order-1',
    orderName: 'Two "seats"',
  };
  await expect(payment?.requestPayment(request)).rejects.toMatchObject({ code: 'INVALID_PARAMETERS' });
  void payment?.requestPayment({ ...request, ...back });
  expect(opened).toHaveLength(1);
  const page = await (await fetch(opened[0] ?? '')).text();
  expect(page).toContain('Two &quot;seats&quot;');
  expect(page).toContain('30,000 KRW');
  for (const name of ['approves', 'declines', 'times_out_after']) expect(page).toContain(`value="${name}"`);
});

test('the buyer comes back with a key that can be confirmed, or with the reason why not', async () => {
  const orderId = `order-${randomUUID()}`;
  const order = { orderId, amount: '30000', method: 'CARD', orderName: 'Two seats' };
  const success = await choose({ ...order, behaviour: 'approves' });
  expect(success.pathname).toBe('/payment/o1/success');
  expect(Object.fromEntries(success.searchParams)).toMatchObject({ a: '1', orderId, amount: '30000' });
  const paymentKey = success.searchParams.get('paymentKey') ?? '';
  const call = {
    attemptId: randomUUID(),
    paymentKey,
    orderId,
    orderName: 'Two seats',
    amountKrw: 30_000,
    depositUntilMs: null,
  };
  expect(await staged.provider.capture({ ...call, method: 'card' })).toMatchObject({ status: 'captured' });
  const fail = await choose({ ...order, ended: 'PAY_PROCESS_CANCELED' });
  expect([fail.pathname, fail.searchParams.get('code')]).toEqual(['/payment/o1/fail', 'PAY_PROCESS_CANCELED']);
});

test('people drive it by a small API', async () => {
  const orderId = `order-${randomUUID()}`;
  const { paymentKey } = await ask('/control/payments', { orderId, amount: 30_000, method: 'VIRTUAL_ACCOUNT' });
  const call = {
    attemptId: randomUUID(),
    paymentKey: String(paymentKey),
    orderId,
    orderName: 'A seat',
    amountKrw: 30_000,
  };
  await staged.provider.capture({ ...call, method: 'virtual_account', depositUntilMs: null });
  expect(await ask(`/control/payments/${paymentKey}/deposit`, {})).toMatchObject({ status: 'DONE' });
  expect(await ask(`/control/payments/${paymentKey}/deposit`, {})).toMatchObject({ code: 'ALREADY_PROCESSED_PAYMENT' });
  expect(await ask(`/control/payments/${paymentKey}/reverse`, {})).toMatchObject({ status: 'WAITING_FOR_DEPOSIT' });
  const before = staged.time.now();
  expect(await ask('/control/clock', { advanceMs: 60_000 })).toEqual({ now: new Date(before + 60_000).toISOString() });
  expect(await ask('/control/mode', { mode: 'refuses' })).toEqual({ mode: 'refuses' });
  expect(await staged.provider.find({ orderId })).toMatchObject({ status: 'unknown' });
  expect(await ask('/control/mode', { mode: 'up' })).toEqual({ mode: 'up' });
  expect(await ask('/control/webhooks', {})).toMatchObject({ url: null });
});
