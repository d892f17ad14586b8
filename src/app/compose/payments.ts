import { createPayments, type PaymentProvider, type Payments } from '#modules/payments/index.ts';
import { ticketingInternalCalls } from '#modules/ticketing/contract.ts';
import type { ModuleContext } from './context.ts';

/** The page and the gateway wait for as long as a role elsewhere may take; the answer has to be there before. */
const answerMarginMs = 1_000;

export function composePayments({ shared, durable, client, config }: ModuleContext): Payments {
  return createPayments({
    ...shared,
    ...durable(),
    ticketing: client('ticketing', ticketingInternalCalls),
    providers: [nobody],
    sandbox: null,
    config: {
      answerWithinMs: Math.max(500, config.remoteTimeoutMs - answerMarginMs),
      depositMs: config.depositMinutes * 60_000,
      refundsPerSecond: config.refundsPerSecond,
    },
  });
}

const nobody: PaymentProvider = {
  name: 'sandbox',
  clientKey: null,
  minimumKrw: { card: 100, virtual_account: 200 },
  capture: async () => ({ status: 'unknown', why: 'nobody is there' }),
  find: async () => ({ status: 'unknown', why: 'nobody is there' }),
  refund: async () => ({ status: 'unknown', why: 'nobody is there' }),
  list: async () => ({ items: [], nextCursor: null }),
  readHint: () => null,
};
