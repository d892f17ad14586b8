import type { InternalHandlers } from '#platform/internal-call.ts';
import type { paymentsInternalCalls } from '../internal-calls.ts';
import type { PaymentsDeps } from '../ports.ts';
import { attemptStatuses, tellAgain } from '../storage/payments.ts';
import { eraseBuyer, exportedPayments, isMoneyUnderWay } from '../storage/privacy.ts';

/** What other modules ask. */
export function createInternal({
  database,
  bus,
}: Pick<PaymentsDeps, 'database' | 'bus'>): InternalHandlers<typeof paymentsInternalCalls> {
  return {
    async attemptStates({ attemptIds }) {
      const attempts = await attemptStatuses(database, attemptIds);
      await tellAgain(database, attemptIds);
      bus.wakeRelays();
      return { attempts };
    },
    exportUser: ({ userId }) => exportedPayments(database, userId),
    erasureObstacles: async ({ userId }) => ({
      reasons: (await isMoneyUnderWay(database, userId)) ? ['money_under_way'] : [],
    }),
    async eraseUser({ userId }) {
      if (await isMoneyUnderWay(database, userId)) return { erased: false };
      await eraseBuyer(database, userId);
      return { erased: true };
    },
  };
}
