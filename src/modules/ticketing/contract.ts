import { reservationContracts } from './routes/reservation-contracts.ts';
import { seatContracts } from './routes/seat-contracts.ts';
import { staffContracts } from './routes/staff-contracts.ts';

/** What others may know of ticketing: its routes, internal calls and topics. */
export const ticketingRoutes = { ...seatContracts, ...reservationContracts, ...staffContracts };

export { type DoorBundle, type OfflineDoor, openOfflineDoor } from './domain/offline-door.ts';
export { ticketingInternalCalls } from './internal-calls.ts';
export { reservationEvents, reservationHolds } from './topics.ts';
