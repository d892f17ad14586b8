import type { Job } from '#platform/module.ts';
import type { PaymentsDeps } from '../ports.ts';
import { countOpenManual } from '../storage/manual.ts';

const everyMs = 15_000;

/** How many things wait for a person, for the alarm. */
export function createManualWatch({ database, metrics }: Pick<PaymentsDeps, 'database' | 'metrics'>): Job {
  const gauge = metrics.gauge('urr_payments_manual_open', 'Payments and refunds that a person has to look at.');
  return {
    name: 'payments-manual-watch',
    everyMs,
    async run() {
      gauge.set(await countOpenManual(database));
    },
  };
}
