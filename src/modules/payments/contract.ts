/** What others may know of payments: its routes, internal calls and topics. */
export { paymentTypes } from './domain/payment.ts';
export { sandboxCards } from './domain/sandbox-cards.ts';
export { paymentsInternalCalls } from './internal-calls.ts';
export { paymentRoutes } from './routes/contracts.ts';
export { type PaymentConfirmed, type PaymentEvent, paymentEvents } from './topics.ts';
