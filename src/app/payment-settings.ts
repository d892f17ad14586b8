import { boolean, type ConfigOf, defineConfig, integer, text, url } from '#platform/config/index.ts';
import type { PageDeclaration } from '#platform/module.ts';

const group = 'Payments';

export const paymentSettings = defineConfig({
  tossSecretKey: text({
    group,
    env: 'URR_TOSS_SECRET_KEY',
    default: null,
    secret: true,
    pattern: /^[\w-]{8,200}$/,
    form: 'a secret key of Toss Payments, like test_sk_…',
    help: 'Makes Toss Payments the provider of new orders. Only the role payments needs it.',
  }),
  tossClientKey: text({
    group,
    env: 'URR_TOSS_CLIENT_KEY',
    default: null,
    pattern: /^[\w-]{8,200}$/,
    form: 'a client key of Toss Payments, like test_ck_…',
    help: 'Goes to the payment page, which opens the window of Toss with it. The role gateway needs it, too: it lets that page load the script.',
  }),
  tossUrl: url({
    group,
    env: 'URR_TOSS_URL',
    protocols: ['https:', 'http:'],
    default: 'https://api.tosspayments.com',
    help: 'Where Toss is asked. `urr sandbox toss` prints one to try with.',
  }),
  tossSdkUrl: url({
    group,
    env: 'URR_TOSS_SDK_URL',
    protocols: ['https:', 'http:'],
    default: 'https://js.tosspayments.com/v2/standard',
    help: 'The script with which the payment page opens the window of Toss.',
  }),
  paymentSandbox: boolean({
    group,
    env: 'URR_PAYMENT_SANDBOX',
    default: false,
    help: 'In production: take the sandbox for payments, which gives tickets for no money. Elsewhere it is taken where there is no key of Toss.',
  }),
  depositMinutes: integer({
    group,
    env: 'URR_DEPOSIT_MINUTES',
    default: 30,
    min: 1,
    max: 60 * 24 * 7,
    help: 'How long a deposit to a virtual account may take; never past the end of the sale.',
  }),
  refundsPerSecond: integer({
    group,
    env: 'URR_REFUNDS_PER_SECOND',
    default: 20,
    min: 1,
    max: 1_000,
    help: 'Refunds that one process sends to the provider each second.',
  }),
});

type PaymentSettings = ConfigOf<typeof paymentSettings>;

/** What no single one of these can be blamed for. */
export function paymentContradictions(config: Partial<PaymentSettings> & { mode?: string }): string[] {
  const problems: string[] = [];
  if (typeof config.tossSecretKey === 'string' && config.tossClientKey === null)
    problems.push('URR_TOSS_SECRET_KEY is set without URR_TOSS_CLIENT_KEY; the payment page needs it');
  for (const [name, value] of [
    ['URR_TOSS_URL', config.tossUrl],
    ['URR_TOSS_SDK_URL', config.tossSdkUrl],
  ] as const)
    if (config.mode === 'production' && value?.startsWith('http:') === true)
      problems.push(`${name} must begin with https:// in production`);
  return problems;
}

/** Tickets for no money must not happen by accident: production has a real provider, or says that it wants none. */
export function providerMissing(config: Pick<PaymentSettings, 'tossSecretKey' | 'paymentSandbox'>): string[] {
  if (config.tossSecretKey !== null || config.paymentSandbox) return [];
  return [
    'URR_TOSS_SECRET_KEY is required in production where the role payments runs (URR_PAYMENT_SANDBOX=on takes the sandbox instead, which gives tickets for no money)',
  ];
}

/** The pages that open the window of Toss may load its script and show its frames; no other page may. */
export function paymentPages({
  tossClientKey,
  tossSdkUrl,
}: Pick<PaymentSettings, 'tossClientKey' | 'tossSdkUrl'>): PageDeclaration[] {
  if (tossClientKey === null) return [];
  const { origin, hostname } = new URL(tossSdkUrl);
  const sources = hostname.endsWith('.tosspayments.com') ? [origin, 'https://*.tosspayments.com'] : [origin];
  const loads = { 'script-src': [origin], 'frame-src': sources, 'connect-src': sources, 'form-action': sources };
  return [{ path: '/payment/*', loads, opensWindows: true }];
}
