import type { Job } from '#platform/module.ts';
import type { WithdrawnEntries } from '../ports.ts';

const everyMs = 600_000;

/** Withdrawals whose entries are no longer on the topic. A bounded number each time; the rest waits for the next. */
export function createForgetWithdrawnJob(withdrawn: Pick<WithdrawnEntries, 'prune'>): Job {
  return {
    name: 'queue-forget-withdrawn',
    everyMs,
    run: async () => void (await withdrawn.prune()),
  };
}
