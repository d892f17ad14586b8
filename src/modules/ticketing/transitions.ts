import { createEndSlotsConsumer, endSlotsDeclaration } from './consumers/end-slots.ts';
import { createPaymentsConsumer, paymentsDeclaration } from './consumers/payments.ts';
import { createEventCancellation } from './jobs/event-cancellation.ts';
import { createOldPinsWatch } from './jobs/old-pins.ts';
import { createSweeper } from './jobs/sweeper.ts';
import type { TicketingDeps } from './ports.ts';
import { createRefundQuoteHandler } from './routes/refund-quote-handler.ts';
import { createTransitionHandlers } from './routes/transition-handlers.ts';
import { createAftermath } from './service/aftermath.ts';
import { createPersonalData } from './service/personal-data.ts';
import { createReservations } from './service/reservations.ts';

export const transitionDeclarations = [paymentsDeclaration, endSlotsDeclaration];

/** Everything that happens to a reservation after its hold. */
export function createTransitionParts(deps: TicketingDeps) {
  const aftermath = createAftermath(deps);
  const reservations = createReservations({ ...deps, aftermath });
  return {
    handlers: { ...createTransitionHandlers(reservations), ...createRefundQuoteHandler(deps) },
    internal: { ...reservations.internal, ...createPersonalData(deps) },
    consumers: [createPaymentsConsumer({ ...deps, aftermath }), createEndSlotsConsumer(deps)],
    jobs: [
      createSweeper({ ...deps, aftermath }),
      createEventCancellation({ ...deps, aftermath }),
      createOldPinsWatch(deps),
    ],
  };
}
