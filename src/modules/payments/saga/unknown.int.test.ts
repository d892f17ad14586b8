import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSandboxProvider } from '#modules/payments/index.ts';
import type { Held } from '#modules/ticketing/testing/a-hold.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* Only the provider's word decides an outcome that was not heard; until then the seats stay. */

let provider: PlayedProvider;
let desk: PayDesk;
let held: Held;
let orderId: string;
const minute = 60_000;
const paymentKey = 'the-card';

async function anUnknownOutcome(): Promise<void> {
  held = await desk.hold(await desk.sale({ priceKrw: 50_000 }), { seatNos: [0] });
  orderId = await desk.prepare(held);
}

const staff = { userId: randomUUID(), role: 'admin' };

describe('with a provider that does not answer', () => {
  let beganMs = 0;
  beforeEach(async () => {
    provider = aPlayedProvider();
    desk = await aPayDesk(provider);
    beganMs = Date.now();
    await setDatabaseClock(desk.database, new Date(beganMs));
    await anUnknownOutcome();
    provider.isAway = true;
    expect(await desk.confirm(held, orderId, { paymentKey })).toMatchObject({
      status: 202,
      body: { payment: { status: 'unknown' } },
    });
  });

  test('it is asked after 5 s, 30 s, 2 min, then every 5 min; the seats stay', async () => {
    const asked: number[] = [];
    let atMs = 0;
    const { find } = provider;
    provider.find = (by) => {
      asked.push(atMs);
      return find(by);
    };
    for (; atMs < 20 * minute; atMs += 5_000) {
      // Time stands still between the steps, so that the waits do not depend on how long they take.
      await setDatabaseClock(desk.database, new Date(beganMs + atMs));
      await desk.run('payments-checks');
    }
    const waits = asked.map((at, n) => at - (asked[n - 1] ?? 0));
    expect(waits).toEqual([5_000, 30_000, 2 * minute, 5 * minute, 5 * minute, 5 * minute]);
    expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
  });

  test('after a day it is with a person and the seats still stay; when it answers, the payment is closed and they are free', async () => {
    await desk.later(25 * 60 * minute);
    await desk.run('payments-checks');
    await desk.deliver();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
    expect(await desk.manual()).toMatchObject([{ kind: 'unknown_outcome' }]);
    provider.isAway = false;
    await desk.later(60 * minute);
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
    expect(provider.moneyOf(orderId)).toBe(0);
  });

  test('a person cannot give back what may not have been taken: the seats stay', async () => {
    await desk.later(25 * 60 * minute);
    await desk.run('payments-checks');
    const [item] = await desk.manual();
    const resolve = (resolution: string) =>
      desk.call('resolveManualPayment', {
        ...{ ...staff, params: { manualId: item?.id }, body: { resolution, note: 'x' } },
      });
    expect(await resolve('refund')).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
    await desk.deliver();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
    const { rows } = await desk.database.query('SELECT status FROM payments.payments');
    expect(rows).toEqual([{ status: 'unknown' }]);
    // But to ask again.
    provider.isAway = false;
    expect(await resolve('retry')).toMatchObject({ status: 200 });
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
  });

  test('a payment that is open and cannot be closed is with a person after a day, too', async () => {
    provider.isAway = false;
    provider.find = async () => ({ status: 'not_found' });
    provider.refund = async () => ({ status: 'refused', code: 'NO', message: 'no such payment' });
    await desk.later(25 * 60 * minute);
    await desk.run('payments-checks');
    expect(await desk.manual()).toMatchObject([{ kind: 'unknown_outcome' }]);
    expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
  });

  test.each([
    ['after a quarter of an hour it is charged, and there are tickets', 15, 'confirmed', 2],
    ['after half an hour nobody is charged any more', 31, 'expired', 1],
  ])('a capture that the provider never heard of: %s', async (_, minutes, status, captures) => {
    provider.isAway = false;
    await desk.later(minutes * minute);
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status });
    expect(provider.moneyOf(orderId)).toBe(status === 'confirmed' ? held.totalKrw : 0);
    expect(provider.calls.filter((call) => call.startsWith('capture'))).toHaveLength(captures);
  });

  describe('that a person ends', () => {
    const resolve = async (resolution: string) =>
      desk.call('resolveManualPayment', {
        ...{ ...staff, params: { manualId: (await desk.manual())[0]?.id }, body: { resolution, note: 'seen there' } },
      });

    let given: PlayedProvider['refund'];
    /** The provider has captured it after all. */
    const took = () =>
      provider.capture({
        ...{ attemptId: randomUUID(), paymentKey, orderId, amountKrw: held.totalKrw, orderName: 'x' },
        ...{ method: 'card', depositUntilMs: null },
      });

    beforeEach(async () => {
      // What it does not know it cannot close.
      provider.isAway = false;
      given = provider.refund;
      provider.refund = async () => ({ status: 'refused', code: 'NO', message: 'no such payment' });
      await desk.later(25 * 60 * minute);
      await desk.run('payments-checks');
    });

    test.each(['never_charged', 'accept'])(
      'by %s, audited: the seats are free, and it is not on the list again',
      async (how) => {
        expect(await resolve(how)).toMatchObject({ status: 200, body: { resolution: how } });
        await desk.deliver();
        expect(await desk.statusOf(held)).toMatchObject({ status: 'expired' });
        for (let hours = 0; hours < 3; hours++) {
          await desk.later(60 * minute);
          await desk.run('payments-checks');
        }
        expect(await desk.manual()).toEqual([]);
        const { rows } = await desk.database.query(`SELECT after->>'resolution' AS how FROM urr.audit_log`);
        expect(rows).toEqual([{ how }]);
      },
    );

    test('money that shows up later all the same goes back', async () => {
      await resolve('never_charged');
      await desk.deliver();
      await took();
      provider.refund = given;
      await desk.hint({ paymentKey });
      await desk.settle();
      expect([provider.moneyOf(orderId), provider.refundsOf(orderId).length]).toEqual([0, 1]);
    });

    test('not one that took the money meanwhile', async () => {
      await took();
      await desk.hint({ paymentKey });
      expect(await resolve('never_charged')).toMatchObject({ code: 'PAYMENT_NOT_REFUNDABLE' });
    });
  });

  test('cancelled meanwhile, nothing is charged any more when it answers', async () => {
    await desk.cancel(held);
    await desk.deliver();
    provider.isAway = false;
    await desk.later(2 * minute);
    await desk.run('payments-checks');
    await desk.settle();
    expect(await desk.statusOf(held)).toMatchObject({ status: 'released' });
    expect(provider.moneyOf(orderId)).toBe(0);
    expect(provider.calls.filter((call) => call.startsWith('capture'))).toHaveLength(1);
  });
});

test('a process that ended before it called the sandbox: cancelled, the key is closed, and a call that still comes takes nothing', async () => {
  const late = Promise.withResolvers<() => Promise<unknown>>();
  const done = Promise.withResolvers<never>();
  desk = await aPayDesk((database) => {
    const sandbox = createSandboxProvider({ database });
    let calls = 0;
    return {
      ...sandbox,
      capture(call) {
        if (calls++ > 0) return sandbox.capture(call);
        late.resolve(() => sandbox.capture(call));
        return done.promise;
      },
    };
  });
  await anUnknownOutcome();
  void desk.confirm(held, orderId).catch(() => {});
  const captureLate = await late.promise;
  await desk.cancel(held);
  await desk.deliver();
  await desk.later(2 * minute);
  await desk.run('payments-checks');
  expect(await captureLate()).toMatchObject({ status: 'declined' });
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'released' });
  done.reject(new Error('the process has ended'));
});
