import { defineConfig, integer } from '#platform/config/index.ts';

export const paymentSettings = defineConfig({
  depositMinutes: integer({
    group: 'Payments',
    env: 'URR_DEPOSIT_MINUTES',
    default: 30,
    min: 1,
    max: 60 * 24 * 7,
    help: 'How long a deposit to a virtual account may take; never past the end of the sale.',
  }),
  refundsPerSecond: integer({
    group: 'Payments',
    env: 'URR_REFUNDS_PER_SECOND',
    default: 20,
    min: 1,
    max: 1_000,
    help: 'Refunds that one process sends to the provider each second.',
  }),
});
