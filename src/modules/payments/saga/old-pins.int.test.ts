import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createOldPinsWatch } from '#modules/ticketing/jobs/old-pins.ts';
import type { Sale } from '#modules/ticketing/testing/a-sale.ts';
import { aPinned } from '#modules/ticketing/testing/payments.ts';
import type { Clock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Job } from '#platform/module.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from '#platform/telemetry/metrics.ts';
import { aPayDesk, type PayDesk } from '#test/kit/payments/pay-desk.ts';
import { aPlayedProvider, type PlayedProvider } from '#test/kit/payments/played-provider.ts';

/* Ticketing asks payments about pins that are old: what was lost on the way is told once more. */

let provider: PlayedProvider;
let desk: PayDesk;
let sale: Sale;
let metrics: Metrics;
let watch: Job;
let monotonicMs = 0;
let isAway = false;
let asked = 0;
const run = () => watch.run(new AbortController().signal);

beforeEach(async () => {
  provider = aPlayedProvider();
  desk = await aPayDesk(provider);
  sale = await desk.sale({ seats: 110 });
  metrics = createMetrics();
  [isAway, asked] = [false, 0];
  // The watch reads nothing else of it.
  const clock = { monotonicMs: () => monotonicMs } as Clock;
  const { attemptStates } = desk.payments.internal as unknown as Attempts;
  watch = createOldPinsWatch({
    ...{ database: desk.database, clock, logger: silentLogger, metrics },
    payments: {
      attemptStates(call) {
        if (isAway) throw platformErrors.fault('ROLE_UNAVAILABLE');
        asked += 1;
        return attemptStates(call);
      },
    },
  });
});

type Attempts = Parameters<typeof createOldPinsWatch>[0]['payments'];

/** Paid for, and its message never came. */
async function anUnheardPayment(seatNo = 0) {
  const held = await desk.hold(sale, { seatNos: [seatNo] });
  const orderId = await desk.prepare(held);
  expect(await desk.confirm(held, orderId)).toMatchObject({ status: 200 });
  await desk.database.query('DELETE FROM urr.outbox');
  return held;
}

test('an outcome that was lost is told again when its pin is old, and not before', async () => {
  const held = await anUnheardPayment();
  await run();
  expect(asked).toBe(0);
  await desk.later(2 * 60_000 + 1);
  await run();
  await run();
  expect(asked).toBe(1);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed', paymentStatus: 'paid' });
  await run();
  expect(await metrics.text()).toContain('urr_ticketing_old_pins 0');
});

test('payments that cannot be asked is asked again', async () => {
  const held = await anUnheardPayment();
  await desk.later(2 * 60_000 + 1);
  isAway = true;
  await run();
  isAway = false;
  await run();
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
});

test('a pin whose attempt nobody knows stays, with an alarm', async () => {
  const held = await desk.hold(sale, { seatNos: [0], userId: randomUUID() });
  await aPinned(desk.database, held);
  await desk.later(24 * 60 * 60_000);
  for (const _ of [1, 2, 3]) {
    await run();
    monotonicMs += 60_000;
  }
  expect(asked).toBe(3);
  await desk.settle();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'paying' });
  expect(await metrics.text()).toContain('urr_ticketing_unknown_pins 1');
});

test('a hundred pins whose outcome nobody knows do not hide the next one', async () => {
  for (let seatNo = 0; seatNo < 100; seatNo++) {
    const stuck = await desk.hold(sale, { seatNos: [seatNo] });
    provider.captures.push('lost-before');
    expect(await desk.confirm(stuck, await desk.prepare(stuck))).toMatchObject({ status: 202 });
  }
  const held = await anUnheardPayment(105);
  await desk.later(2 * 60_000 + 1);
  for (const _ of [1, 2]) await run();
  await desk.deliver();
  expect(await desk.statusOf(held)).toMatchObject({ status: 'confirmed' });
  // And then from the beginning again.
  monotonicMs += 60_000;
  asked = 0;
  await run();
  expect(asked).toBe(1);
  expect(await metrics.text()).toContain('urr_ticketing_old_pins 100');
});
