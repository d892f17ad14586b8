import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { aSandboxDatabase } from '../../testing/a-sandbox-database.ts';
import { createSandboxCallbacks, createSandboxProvider } from './index.ts';

const { database, another, now, passTime } = await aSandboxDatabase();
const sandbox = createSandboxProvider({ database });
const { signal } = new AbortController();

beforeEach(() => database.query('DELETE FROM payments.sandbox_callbacks'));

/** An account whose deposit has come: one webhook is due. */
async function aDeposit(): Promise<string> {
  const orderId = `order-${randomUUID()}`;
  await sandbox.capture({
    ...{ attemptId: randomUUID(), orderId, orderName: 'Two seats', amountKrw: 30_000, method: 'virtual_account' },
    paymentKey: sandbox.keyOf({ cardNumber: null, salt: orderId }),
    depositUntilMs: (await now()) + 60_000,
  });
  await sandbox.deposit(orderId);
  return orderId;
}

const orderIn = (body: unknown) => sandbox.readHint(body)?.orderId;
const left = async () => (await database.query('SELECT FROM payments.sandbox_callbacks')).rowCount;

test('a deposit, its reversal and a refund at the console are told, each once', async () => {
  const orderId = await aDeposit();
  await sandbox.reverse(orderId);
  await sandbox.deposit(orderId);
  const paymentKey = sandbox.keyOf({ cardNumber: null, salt: orderId });
  expect(await sandbox.refundElsewhere({ paymentKey, amountKrw: 1_000 })).toBe(true);
  const bodies: unknown[] = [];
  const job = createSandboxCallbacks({ database, deliver: async (body) => void bodies.push(body) });
  await job.run(signal);
  await job.run(signal);
  expect(bodies).toMatchObject([
    { type: 'payment.changed', orderId, paymentKey, status: 'captured' },
    { orderId, status: 'waiting_for_deposit' },
    { orderId, status: 'captured' },
    { orderId, status: 'refunded' },
  ]);
  expect(await left()).toBe(0);
});

test('a webhook that is not taken comes again, later each time, and no more after seven', async () => {
  const orderId = await aDeposit();
  let times = 0;
  const deliver = async (body: unknown) => {
    expect(orderIn(body)).toBe(orderId);
    times++;
    throw new Error('the receiver is away');
  };
  const job = createSandboxCallbacks({ database, deliver });
  await job.run(signal);
  await job.run(signal);
  expect(times).toBe(1);
  for (let round = 0; round < 12; round++) {
    await passTime(60 * 60_000);
    await job.run(signal);
  }
  expect(times).toBe(7);
  expect(await left()).toBe(0);
});

test('one that is taken at a later try is not called again', async () => {
  await aDeposit();
  let times = 0;
  const deliver = async () => {
    if (++times < 3) throw new Error('the receiver is away');
  };
  const job = createSandboxCallbacks({ database, deliver });
  for (let round = 0; round < 6; round++) {
    await job.run(signal);
    await passTime(60 * 60_000);
  }
  expect(times).toBe(3);
});

test('several processes call each webhook once', async () => {
  const orders = await Promise.all(Array.from({ length: 30 }, aDeposit));
  const called: unknown[] = [];
  const jobs = [database, another(), another()].map((on) =>
    createSandboxCallbacks({ database: on, deliver: async (body) => void called.push(orderIn(body)) }),
  );
  await Promise.all(jobs.map((job) => job.run(signal)));
  expect(called.sort()).toEqual(orders.sort());
});

test('webhooks that one process has in hand are passed over by the others, which do not wait for it', async () => {
  const inHand = await aDeposit();
  const called: unknown[] = [];
  const job = createSandboxCallbacks({
    database: another(),
    deliver: async (body) => void called.push(orderIn(body)),
  });
  let free = '';
  await database.transaction(async (tx) => {
    expect((await tx.query('SELECT FROM payments.sandbox_take_callbacks(10)')).rowCount).toBe(1);
    free = await aDeposit();
    await job.run(signal);
    expect(called).toEqual([free]);
  });
  expect(called).not.toContain(inHand);
});
