import type { Job } from '#platform/module.ts';
import type { PaymentsDeps } from '../ports.ts';
import type { Hints } from '../service/hints.ts';
import type { ManualList } from '../service/manual-list.ts';
import { reconcileDay, seoulDay } from '../service/reconcile.ts';
import { giveDayBack, keepReport, takeDay } from '../storage/movements.ts';

const everyMs = 60_000;
const dayMs = 24 * 60 * 60_000;
/** The day before is compared from four in the morning on, when the provider's list is whole. */
const afterMidnightMs = 4 * 60 * 60_000;

type NightlyDeps = Pick<PaymentsDeps, 'database' | 'clock' | 'logger' | 'providers'> & {
  readonly hints: Pick<Hints, 'followUp'>;
  readonly manual: ManualList;
};

/** Each night the provider's list of the day before is compared with ours, by one process. */
export function createNightly(deps: NightlyDeps): Job {
  const { database, clock, logger, providers } = deps;
  return {
    name: 'payments-reconcile',
    everyMs,
    async run() {
      const day = seoulDay(clock.now() - dayMs - afterMidnightMs);
      for (const provider of providers) {
        if (!(await takeDay(database, provider.name, day))) continue;
        try {
          const report = await reconcileDay(deps, { provider, day });
          await keepReport(database, { provider: provider.name, day, report });
          logger.info(report, 'a day was compared with the provider');
        } catch (error) {
          await giveDayBack(database, provider.name, day);
          throw error;
        }
      }
    },
  };
}
