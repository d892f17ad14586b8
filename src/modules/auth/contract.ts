/** What others may know of auth: its routes, internal calls and topics. */
export { authInternalCalls } from './internal-calls.ts';
export { authRoutes } from './routes/contracts.ts';
export { userEventsTopic } from './topics.ts';
