import type { InternalHandlers } from '#platform/internal-call.ts';
import type { paymentsInternalCalls } from '../internal-calls.ts';
import type { PaymentsDeps } from '../ports.ts';
import { findPayment, tellAgain } from '../storage/payments.ts';
import { eraseAccounts, exportedPayments, isMoneyUnderWay } from '../storage/privacy.ts';

/** What other modules ask. */
export function createInternal({
  database,
  bus,
}: Pick<PaymentsDeps, 'database' | 'bus'>): InternalHandlers<typeof paymentsInternalCalls> {
  return {
    async attemptStates({ attemptIds }) {
      const found = [];
      for (const attemptId of attemptIds) {
        const payment = await findPayment(database, attemptId);
        if (payment !== null) found.push({ attemptId, status: payment.status });
      }
      await tellAgain(database, attemptIds);
      bus.wakeRelays();
      return { attempts: found };
    },
    exportUser: async ({ userId }) => ({ payments: await exportedPayments(database, userId) }),
    async eraseUser({ userId }) {
      if (await isMoneyUnderWay(database, userId)) return { erased: false };
      await eraseAccounts(database, userId);
      return { erased: true };
    },
  };
}
