import { describe } from 'vitest';
import { admissionTests } from './conformance/admission.ts';
import { clockStepTests } from './conformance/clock-steps.ts';
import { controlTests } from './conformance/controls.ts';
import { enteringTests } from './conformance/entering.ts';
import { type StoreFactory, useStore } from './conformance/harness.ts';
import { journalTests } from './conformance/journal.ts';
import { lateTests } from './conformance/late.ts';
import { lossTests } from './conformance/loss.ts';
import { outageTests } from './conformance/outages.ts';
import { removalTests } from './conformance/removal.ts';
import { roomTests } from './conformance/room.ts';
import { rushTests } from './conformance/rush.ts';
import { slotTests } from './conformance/slots.ts';
import { snapshotTests } from './conformance/snapshot.ts';

export type { StoreFactory, StoreUnderTest } from './conformance/harness.ts';
export type { Tally } from './conformance/laws.ts';
export { checkLaws, compareStores } from './conformance/properties.ts';

/** What every store of queues must do, whatever it is made of. Run by one test file per adapter. */
export function describeStore(name: string, factory: StoreFactory): void {
  describe(name, () => {
    const kit = useStore(factory);
    enteringTests(kit);
    roomTests(kit);
    rushTests(kit);
    slotTests(kit);
    admissionTests(kit);
    outageTests(kit);
    clockStepTests(kit);
    snapshotTests(kit);
    controlTests(kit);
    journalTests(kit);
    lossTests(kit);
    lateTests(kit);
    removalTests(kit);
  });
}
