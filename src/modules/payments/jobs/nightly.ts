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
const daysMax = 7;

/** The oldest first. */
function daysBefore(nowMs: number): string[] {
  return Array.from({ length: daysMax }, (_, n) => seoulDay(nowMs - afterMidnightMs - (daysMax - n) * dayMs));
}

type NightlyDeps = Pick<PaymentsDeps, 'database' | 'clock' | 'logger' | 'providers'> & {
  readonly hints: Pick<Hints, 'followUp'>;
  readonly manual: ManualList;
};

/** Each night the provider's list of the day before is compared with ours, by one process; and those of a week that nobody compared. */
export function createNightly(deps: NightlyDeps): Job {
  const { database, clock, logger, providers } = deps;
  return {
    name: 'payments-reconcile',
    everyMs,
    async run() {
      const troubles: unknown[] = [];
      for (const [provider, day] of providers.flatMap((one) =>
        daysBefore(clock.now()).map((day) => [one, day] as const),
      )) {
        if (!(await takeDay(database, provider.name, day))) continue;
        try {
          const report = await reconcileDay(deps, { provider, day });
          await keepReport(database, { provider: provider.name, day, report });
          logger.info(report, 'a day was compared with the provider');
        } catch (error) {
          await giveDayBack(database, provider.name, day);
          logger.warn({ err: error, provider: provider.name, day }, 'a day was not compared with the provider');
          // The other days, and the other providers, do not wait for it.
          troubles.push(error);
        }
      }
      if (troubles.length > 0) throw troubles[0];
    },
  };
}
