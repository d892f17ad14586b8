import { waitingRoomAdminContracts, waitingRoomContracts } from './routes/contracts.ts';

/** What others may know of the waiting room. */
export const waitingRoomRoutes = { ...waitingRoomContracts, ...waitingRoomAdminContracts };

export { waitingRoomInternalCalls } from './internal-calls.ts';
