import { paymentEvents } from '#modules/payments/contract.ts';
import { type Consumer, type ConsumerDeclaration, defineConsumer } from '#platform/bus/port.ts';
import type { TicketingDeps } from '../ports.ts';
import type { Aftermath } from '../service/aftermath.ts';
import { drawSeed } from '../service/reservations.ts';
import { applyPayments } from '../storage/transitions.ts';

export const paymentsDeclaration = {
  topic: paymentEvents,
  group: 'ticketing-payments',
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 200 },
  deadLetter: 'ticketing-payments-dead',
  onPoison: 'park-key',
  retryAfterMin: [1, 5, 30],
  batchSizeMax: 200,
} as const satisfies ConsumerDeclaration<typeof paymentEvents>;

type PaymentsDeps = Pick<TicketingDeps, 'database' | 'random' | 'logger' | 'metrics'> & {
  readonly aftermath: Aftermath;
};

/**
 * What payments say becomes tickets, or free seats. The effect is one call of its own and not a part of the inbox's transaction: it locks
 * seats, and a process that is frozen before its COMMIT would keep them. So it may happen before it is recorded and then be asked for
 * again: deduplicated by (attempt, version), in any order.
 */
export function createPaymentsConsumer({ database, random, logger, metrics, aftermath }: PaymentsDeps): Consumer {
  const kept = metrics.counter(
    'urr_ticketing_refunded_tickets_in_use_total',
    'Tickets whose money went back at the provider although they were used or sold on. Each needs a person.',
  );
  return defineConsumer({
    declaration: paymentsDeclaration,
    async handle(events) {
      const outcomes = events
        .filter(({ data }) => data.paymentType === 'reservation')
        .map(({ type, data }) => ({ ...data, type }));
      if (outcomes.length === 0) return;
      const { freed, keptCount } = await applyPayments(database, outcomes, drawSeed(random));
      aftermath.follow(freed);
      if (keptCount === 0) return;
      kept.inc(keptCount);
      const orderIds = outcomes.map(({ orderId }) => orderId);
      logger.error({ keptCount, orderIds }, 'money went back for tickets that are in use; a person has to look at it');
    },
  });
}
