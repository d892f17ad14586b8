import type { Queryable } from '#platform/postgres/database.ts';
import { isWholeKrw } from '../domain/money.ts';
import type { PaymentsDeps } from '../ports.ts';
import { type NewManualItem, openManual } from '../storage/manual.ts';
import type { PaymentRecord } from '../storage/payments.ts';

/** What a person has to look at. Nothing is dropped: what cannot be decided by rule is here until somebody resolves it. */
export interface ManualList {
  open(
    item: Omit<NewManualItem, 'manualId'> & { readonly payment?: PaymentRecord; readonly on?: Queryable },
  ): Promise<void>;
}

export function createManualList({
  database,
  ids,
  logger,
  metrics,
}: Pick<PaymentsDeps, 'database' | 'ids' | 'logger' | 'metrics'>): ManualList {
  const opened = metrics.counter('urr_payments_manual_total', 'Things that were put on the list for a person.', [
    'kind',
  ]);
  return {
    async open({ payment, on = database, ...item }) {
      const about = payment && {
        orderId: payment.orderId,
        paymentId: payment.paymentId,
        provider: payment.provider,
        paymentKey: payment.paymentKey,
        amountKrw: payment.amountKrw,
      };
      const { amountKrw } = item;
      const isNew = await openManual(on, {
        ...about,
        ...item,
        // What cannot be counted is said in words.
        ...(amountKrw != null && { amountKrw: amountKrw === 0 || isWholeKrw(amountKrw) ? amountKrw : null }),
        manualId: ids.next(),
      });
      if (!isNew) return;
      opened.inc({ kind: item.kind });
      logger.error(
        { kind: item.kind, orderId: item.orderId ?? payment?.orderId, detail: item.detail },
        'a person has to look at a payment',
      );
    },
  };
}
