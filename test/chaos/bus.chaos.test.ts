import { describe, test } from 'vitest';
import { runBusChaos } from '#test/kit/bus/chaos.ts';
import { describeWith } from '#test/kit/engines/needs.ts';

const seconds = Number(process.env.URR_TEST_CHAOS_SECONDS ?? 300);
const hangGuardMs = 3_600_000;

describeWith('kafka', 'the bus on Kafka, while everything fails that can', () => {
  test(`${seconds} s: nothing is lost, nothing doubled, order is as declared`, { timeout: hangGuardMs }, () =>
    runBusChaos({ adapter: 'kafka', ms: seconds * 1_000 }),
  );
});

describe('the embedded bus, while everything fails that can', () => {
  test(`${seconds} s: nothing is lost, nothing doubled, order is as declared`, { timeout: hangGuardMs }, () =>
    runBusChaos({ adapter: 'embedded', ms: seconds * 1_000 }),
  );
});
