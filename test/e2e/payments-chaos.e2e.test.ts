import { test } from 'vitest';
import { describeWith } from '#test/kit/engines/needs.ts';
import { runPaymentsChaos } from '#test/kit/payments/chaos/run.ts';

/** A minute of test/chaos/payments.chaos.test.ts, by the usual seed: each engine, the provider and each role fails once. */
const purchases = 60;
const hangGuardMs = 1_800_000;

describeWith(['redis', 'kafka'], 'paying, while everything fails that can', () => {
  test(`${purchases} purchases: money and tickets agree`, { timeout: hangGuardMs }, () =>
    runPaymentsChaos({ purchases, isShort: true }),
  );
});
