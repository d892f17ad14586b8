import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { sandboxKey } from '../../domain/sandbox-cards.ts';
import type { CaptureCall } from '../../ports.ts';
import { aSandboxDatabase } from '../../testing/a-sandbox-database.ts';
import { createSandboxProvider } from './index.ts';

const { database, another, now, passTime } = await aSandboxDatabase();
const sandbox = createSandboxProvider({ database, pause: async () => {} });
const minuteMs = 60_000;
const mark = () => randomUUID().replaceAll('-', '');

async function anOrder(changes: Partial<CaptureCall> = {}): Promise<CaptureCall> {
  return {
    ...{ attemptId: randomUUID(), orderId: `order-${randomUUID()}`, orderName: 'Two seats', amountKrw: 30_000 },
    ...{ method: 'card', paymentKey: sandboxKey('approves', mark()), depositUntilMs: null },
    ...changes,
  };
}

async function anAccount(): Promise<CaptureCall> {
  const call = await anOrder({ method: 'virtual_account', depositUntilMs: (await now()) + 30 * minuteMs });
  expect(await sandbox.capture(call)).toMatchObject({ status: 'waiting_for_deposit' });
  return call;
}

const everything = ({ paymentKey }: CaptureCall) => ({
  ...{ refundId: randomUUID(), paymentKey, amountKrw: null, balanceKrw: null, reason: 'closed', firstSentAtMs: 0 },
  account: { bank: '088', number: '110123456789', holder: 'Kim Mina' },
});
const found = async (by: { paymentKey: string } | { orderId: string }) => {
  const answer = await sandbox.find(by);
  if (answer.status !== 'found') throw new Error(`the payment is ${answer.status}`);
  return answer.payment;
};

test('a deposit may come after the deadline, and can go back', async () => {
  const call = await anAccount();
  await passTime(31 * minuteMs);
  expect(await found(call)).toMatchObject({ status: 'expired' });
  expect(await sandbox.deposit(call.orderId)).toBe(true);
  expect(await found(call)).toMatchObject({ status: 'captured', balanceKrw: 30_000 });
  expect(await sandbox.refund(everything(call))).toMatchObject({ status: 'done', payment: { status: 'refunded' } });
});

test('a deposit may come to an account that is closed, and can go back', async () => {
  const call = await anAccount();
  expect(await sandbox.refund(everything(call))).toMatchObject({ status: 'done', payment: { status: 'failed' } });
  expect(await sandbox.deposit(call.orderId)).toBe(true);
  expect(await found(call)).toMatchObject({ status: 'captured', balanceKrw: 30_000 });
  expect(await sandbox.refund(everything(call))).toMatchObject({ status: 'done', payment: { status: 'refunded' } });
});

test('the same deposit does not come twice, and only what is there is taken back', async () => {
  const call = await anAccount();
  expect(await sandbox.reverse(call.orderId)).toBe(false);
  const came = await Promise.all(Array.from({ length: 6 }, () => sandbox.deposit(call.orderId)));
  expect(came.filter(Boolean)).toHaveLength(1);
  expect(await sandbox.reverse(call.orderId)).toBe(true);
  expect(await sandbox.reverse(call.orderId)).toBe(false);
  expect(await sandbox.deposit('an-order-of-nobody')).toBe(false);
});

test('a reversed account can be closed, and gets another deposit all the same', async () => {
  const call = await anAccount();
  await sandbox.deposit(call.orderId);
  await sandbox.reverse(call.orderId);
  expect(await found(call)).toMatchObject({ status: 'waiting_for_deposit', wasCaptured: true });
  expect(await sandbox.capture(call)).toMatchObject({ status: 'waiting_for_deposit' });
  expect(await sandbox.refund(everything(call))).toMatchObject({
    ...{ status: 'done', payment: { status: 'failed', balanceKrw: 0, wasCaptured: true, refunds: [] } },
  });
  expect(await sandbox.capture(call)).toMatchObject({ status: 'unknown' });
  expect(await sandbox.deposit(call.orderId)).toBe(true);
  expect(await found(call)).toMatchObject({ status: 'captured', balanceKrw: 30_000 });
});

test('a capture on its way does not come any more when the payment is closed', async () => {
  const call = await anOrder({ paymentKey: sandboxKey('slow', mark()) });
  expect(await sandbox.capture(call)).toMatchObject({ status: 'unknown' });
  expect(await sandbox.refund(everything(call))).toMatchObject({ status: 'done', payment: { status: 'failed' } });
  await passTime(2 * minuteMs);
  expect(await found(call)).toMatchObject({ status: 'failed', wasCaptured: false });
  expect(await sandbox.capture(call)).toMatchObject({ status: 'declined', code: 'PAYMENT_CLOSED' });
});

test('a key is good for one payment only', async () => {
  const call = await anOrder();
  expect(await sandbox.capture(call)).toMatchObject({ status: 'captured' });
  for (const changes of [{ orderId: 'order-of-another' }, { amountKrw: 29_999 }])
    expect(await sandbox.capture({ ...call, ...changes })).toMatchObject({ status: 'declined' });
  expect(await found(call)).toMatchObject({ orderId: call.orderId, balanceKrw: 30_000 });
});

test('of several payments of an order the one that has money is found', async () => {
  const call = await anOrder();
  await sandbox.capture({ ...call, paymentKey: sandboxKey('declines', mark()) });
  await sandbox.capture(call);
  await sandbox.capture({ ...call, paymentKey: sandboxKey('declines', mark()) });
  expect(await found({ orderId: call.orderId })).toMatchObject({ paymentKey: call.paymentKey });
});

test('what one process did the others know', async () => {
  const elsewhere = createSandboxProvider({ database: another() });
  const calls = await Promise.all(Array.from({ length: 10 }, () => anOrder()));
  await Promise.all(calls.flatMap((call) => [sandbox.capture(call), elsewhere.capture(call)]));
  for (const call of calls)
    expect(await elsewhere.find(call)).toMatchObject({ payment: { status: 'captured', balanceKrw: 30_000 } });
});

test('answers that are waited for keep no connection and no lock', async () => {
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const patient = createSandboxProvider({ database: another({ poolMax: 1 }), pause: () => over });
  const calls = await Promise.all(
    Array.from({ length: 5 }, () => anOrder({ paymentKey: sandboxKey('times_out_after', mark()) })),
  );
  const answers = Promise.all(calls.map((call) => patient.capture(call)));
  // The one connection comes free only when all of them wait without it.
  for (const call of calls) {
    await eventually(async () => (await patient.find(call)).status === 'found', {
      withinMs: 60_000,
      what: 'a capture',
    });
    expect(await patient.refund(everything(call))).toMatchObject({ status: 'done' });
  }
  end();
  expect(new Set((await answers).map(({ status }) => status))).toEqual(new Set(['unknown']));
});

test('an answer that comes within the limit is given', async () => {
  const limits = { captureMs: 120_000, findMs: 120_000, refundMs: 120_000, listMs: 120_000 };
  const patient = createSandboxProvider({ database, limits, pause: passTime });
  const call = await anOrder({ paymentKey: sandboxKey('slow', mark()) });
  expect(await patient.capture(call)).toMatchObject({ status: 'captured', payment: { balanceKrw: 30_000 } });
});
