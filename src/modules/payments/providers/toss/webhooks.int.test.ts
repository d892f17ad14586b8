import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { eventually } from '#test/kit/faults.ts';
import { aFakeToss } from '../../testing/a-fake-toss.ts';
import type { FakeBehaviour } from './fake/behaviours.ts';

const heard: Record<string, unknown>[] = [];
let status = 200;
const receiver = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  heard.push(JSON.parse(text));
  response.writeHead(status).end();
});
await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
atEnd(() => new Promise((done) => receiver.close(done)));
const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const staged = await aFakeToss({ webhookUrl });
const { provider } = staged;
const minuteMs = 60_000;
const until = (attempt: () => boolean, what: string) => eventually(attempt, { withinMs: 60_000, what });

async function pay(behaviour: FakeBehaviour, method: 'CARD' | 'VIRTUAL_ACCOUNT' = 'CARD') {
  heard.length = 0;
  const orderId = `order-${randomUUID()}`;
  const paymentKey = staged.fake.control.pay({ orderId, amount: 30_000, behaviour, method });
  const call = {
    attemptId: randomUUID(),
    orderId,
    orderName: 'A seat',
    amountKrw: 30_000,
    paymentKey,
    depositUntilMs: null,
  };
  await provider.capture({ ...call, method: method === 'CARD' ? 'card' : 'virtual_account' });
  return { orderId, paymentKey };
}

test('a webhook that is not taken is sent again seven times, later and later, and then no more', async () => {
  status = 500;
  await pay('approves');
  await until(() => heard.length === 1, 'the first webhook');
  for (const [index, minutes] of [1, 4, 16, 64, 256, 1024, 4096].entries()) {
    await until(() => (staged.fake.control.webhooks().nextAtMs ?? 0) > staged.time.now(), 'its next time');
    // A restart between two tries forgets nothing.
    if (index === 2) {
      await staged.stop();
      await staged.start();
    }
    staged.fake.control.advance(minutes * minuteMs - 1);
    expect(heard).toHaveLength(index + 1);
    staged.fake.control.advance(1);
    await until(() => heard.length === index + 2, `retry ${index + 1}`);
  }
  await until(() => staged.fake.control.webhooks().given === 1, 'the last try to be over');
  expect(staged.fake.control.webhooks().waiting).toBe(0);
  status = 200;
});

test('webhooks that contradict each other all say the same: ask about this payment, which is captured', async () => {
  const { orderId, paymentKey } = await pay('webhooks_contradictory');
  await until(() => heard.length === 6, 'six webhooks');
  const claims = new Set(heard.map(({ data }) => (data as { status: string }).status));
  expect(claims).toContain('CANCELED');
  for (const body of heard) {
    expect(provider.readHint(body)).toEqual({ paymentKey, orderId });
    expect(await provider.find({ paymentKey })).toMatchObject({ payment: { status: 'captured', balanceKrw: 30_000 } });
  }
});

test('webhooks come twice, or late, if the payment is such', async () => {
  await pay('webhooks_twice');
  await until(() => heard.length === 2, 'both webhooks');
  await pay('webhooks_late');
  expect(staged.fake.control.webhooks().waiting).toBe(1);
  staged.fake.control.advance(10 * minuteMs);
  await until(() => heard.length === 1, 'the late webhook');
});

test('a deposit and its reversal come with webhooks of their own, which know the order only', async () => {
  const { orderId, paymentKey } = await pay('approves', 'VIRTUAL_ACCOUNT');
  staged.fake.control.deposit(paymentKey);
  staged.fake.control.reverse(paymentKey);
  await until(() => heard.length === 5, 'all webhooks');
  const flat = heard.filter(({ data }) => data === undefined);
  expect(flat.map((body) => body.status)).toEqual(['DONE', 'WAITING_FOR_DEPOSIT']);
  for (const body of flat) expect(provider.readHint(body)).toEqual({ paymentKey: null, orderId });
  expect(await provider.find({ orderId })).toMatchObject({
    payment: { status: 'waiting_for_deposit', wasCaptured: true },
  });
});
