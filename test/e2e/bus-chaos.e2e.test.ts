import { describe, test } from 'vitest';
import { runBusChaos } from '#test/kit/bus/chaos.ts';
import { describeWith } from '#test/kit/engines/needs.ts';

/** A minute of test/chaos/bus.chaos.test.ts. Every fault of its plan happens; they overlap more, and the longest (a frozen process) ends after it. */
const kafkaMs = 35_000;
const embeddedMs = 25_000;
const hangGuardMs = 1_800_000;

describeWith('kafka', 'the bus on Kafka, while everything fails that can', () => {
  test('nothing is lost, nothing doubled, order is as declared', { timeout: hangGuardMs }, () =>
    runBusChaos({ adapter: 'kafka', ms: kafkaMs }),
  );
});

describe('the embedded bus, while everything fails that can', () => {
  test('nothing is lost, nothing doubled, order is as declared', { timeout: hangGuardMs }, () =>
    runBusChaos({ adapter: 'embedded', ms: embeddedMs }),
  );
});
