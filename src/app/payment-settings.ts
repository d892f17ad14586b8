import { defineConfig, integer, text, url } from '#platform/config/index.ts';

export const paymentSettings = defineConfig({
  tossSecretKey: text({
    group: 'Payments',
    env: 'URR_TOSS_SECRET_KEY',
    default: null,
    help: 'Take money through Toss Payments with this secret key. Without it, the sandbox plays a provider and no money moves.',
    secret: true,
  }),
  tossClientKey: text({
    group: 'Payments',
    env: 'URR_TOSS_CLIENT_KEY',
    default: null,
    help: 'The client key that the payment page opens the window of Toss Payments with.',
  }),
  tossBaseUrl: url({
    group: 'Payments',
    env: 'URR_TOSS_BASE_URL',
    protocols: ['https:', 'http:'],
    default: 'https://api.tosspayments.com',
    help: 'Where Toss Payments answers. `urr sandbox toss` is one to try with.',
  }),
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
