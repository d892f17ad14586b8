import { describe } from 'vitest';
import { deliveryTests } from './conformance/delivery.ts';
import { failureTests } from './conformance/failures.ts';
import { faultTests } from './conformance/faults.ts';
import { frozenTests } from './conformance/frozen.ts';
import { type BusParts, type BusUnderTest, useBus } from './conformance/harness.ts';
import { laneTests } from './conformance/lanes.ts';
import { letterTests } from './conformance/letters.ts';
import { poisonTests } from './conformance/poison.ts';
import { rollingTests } from './conformance/rolling.ts';
import { sharedTransactionTests } from './conformance/shared-transactions.ts';

export type { BusUnderTest } from './conformance/harness.ts';

/** What every bus must do, whatever it is made of. Run by one test file per adapter, each with engines of its own and its parts. */
export function describeBus(name: string, parts: BusParts, setUp: () => Promise<BusUnderTest>): void {
  describe(name, () => {
    const kit = useBus(setUp, parts);
    deliveryTests(kit);
    laneTests(kit);
    poisonTests(kit);
    sharedTransactionTests(kit);
    faultTests(kit);
    letterTests(kit);
    failureTests(kit);
    frozenTests(kit);
    rollingTests(kit);
  });
}
