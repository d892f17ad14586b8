import { describe } from 'vitest';
import { accountTests } from './conformance/accounts.ts';
import { captureTests } from './conformance/captures.ts';
import { hintTests } from './conformance/hints.ts';
import { listTests } from './conformance/lists.ts';
import { lostAnswerTests } from './conformance/lost-answers.ts';
import { outageTests } from './conformance/outages.ts';
import { refundTests } from './conformance/refunds.ts';
import { type ProviderStage, useStage } from './conformance/stage.ts';

export type { Behaviour, ProviderStage, StagedOrder } from './conformance/stage.ts';

/** What every payment provider must do, whatever it is made of. Run by one test file per adapter, which sets the stage. */
export function describeProvider(name: string, makeStage: () => Promise<ProviderStage>): void {
  describe(name, () => {
    const kit = useStage(makeStage);
    captureTests(kit);
    lostAnswerTests(kit);
    accountTests(kit);
    refundTests(kit);
    listTests(kit);
    hintTests(kit);
    outageTests(kit);
  });
}
