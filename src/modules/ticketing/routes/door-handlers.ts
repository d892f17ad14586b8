import type { EventBooks, TicketingDeps } from '../ports.ts';
import { createBlocking } from '../service/blocking.ts';
import { createDoors } from '../service/doors.ts';
import { createTicketCodes } from '../service/ticket-codes.ts';
import { createCheckInHandlers } from './check-in-handlers.ts';
import { createOwnHandlers } from './own-handlers.ts';
import { createSellerHandlers } from './seller-handlers.ts';

/** Tickets and their codes, the doors, and the seller's own seats and figures. */
export function createDoorHandlers(
  deps: Pick<TicketingDeps, 'database' | 'ids' | 'metrics' | 'ticketKeys'> & { readonly books: EventBooks },
) {
  const codes = createTicketCodes(deps.ticketKeys);
  return {
    ...createOwnHandlers({ ...deps, codes }),
    ...createCheckInHandlers({ ...deps, doors: createDoors({ ...deps, codes }) }),
    ...createSellerHandlers({ ...deps, blocking: createBlocking(deps) }),
  };
}
