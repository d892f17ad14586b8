import { test } from 'vitest';
import { describeWith } from '#test/kit/engines/needs.ts';
import { runPaymentsChaos } from '#test/kit/payments/chaos/run.ts';

const purchases = Number(process.env.URR_TEST_CHAOS_PURCHASES ?? 500);
/** A few purchases are a short run: each engine, the provider and each role fails once. */
const isShort = purchases < 100;
const hangGuardMs = 3_600_000;

describeWith(['redis', 'kafka'], 'paying, while everything fails that can', () => {
  test(`${purchases} purchases: money and tickets agree`, { timeout: hangGuardMs }, () =>
    runPaymentsChaos({ purchases, isShort }),
  );
});
