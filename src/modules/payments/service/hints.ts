import type { Job } from '#platform/module.ts';
import type { PaymentProvider, PaymentsDeps, ProviderPayment } from '../ports.ts';
import { forgetHint, type Hint, keepHint, takeHints } from '../storage/hints.ts';
import { findOrder } from '../storage/orders.ts';
import { adoptPayment, findByKey, type PaymentRecord, tellingPayment } from '../storage/payments.ts';
import type { ManualList } from './manual-list.ts';
import type { Outcomes } from './outcomes.ts';

const everyMs = 500;
const takenMax = 20;
const againMs = 30_000;

export interface Hints {
  /** A webhook. It is not believed: it only says whom to ask about. False: it cannot be read. */
  hear(provider: string, body: unknown): Promise<boolean>;
  /** Asks the provider about one payment and does what its answer says. */
  followUp(
    provider: PaymentProvider,
    by: { paymentKey: string } | { orderId: string },
  ): Promise<'done' | 'not_found' | 'later'>;
  readonly job: Job;
}

type HintsDeps = Pick<PaymentsDeps, 'database' | 'ids' | 'logger' | 'metrics'> & {
  readonly providerOf: (name: string) => PaymentProvider | null;
  readonly outcomes: Outcomes;
  readonly manual: ManualList;
};

type Names = NonNullable<ReturnType<PaymentProvider['readHint']>>;

export function createHints(deps: HintsDeps): Hints {
  const { database, ids, logger, metrics, providerOf, outcomes, manual } = deps;
  const heard = metrics.counter('urr_payments_webhooks_total', 'Webhooks of providers.', ['provider', 'outcome']);

  /** What the provider has, which may be a payment that we have never heard of. */
  async function takeIn(provider: PaymentProvider, now: ProviderPayment, known: PaymentRecord | null): Promise<void> {
    if (known !== null) {
      await outcomes.found(known, now);
      return;
    }
    if (!now.wasCaptured) return;
    const adopted = await adoptPayment(database, {
      paymentId: ids.next(),
      orderId: now.orderId,
      provider: provider.name,
      paymentKey: now.paymentKey,
    });
    if (adopted !== null) {
      await outcomes.found(adopted, now);
      return;
    }
    await manual.open({
      cause: `unknown_order:${provider.name}:${now.paymentKey}`,
      kind: 'unknown_order',
      provider: provider.name,
      paymentKey: now.paymentKey,
      orderId: now.orderId,
      amountKrw: now.balanceKrw,
      detail: `The provider has taken ${now.amountKrw} KRW for an order that we do not know.`,
    });
  }

  async function followUp(...[provider, by]: Parameters<Hints['followUp']>): ReturnType<Hints['followUp']> {
    // Read before the provider is asked: its word has to be the newer of the two, or a deposit that was booked between would look as if it were gone.
    const known = 'paymentKey' in by ? await findByKey(database, { ...by, provider: provider.name }) : null;
    const answer = await provider.find(by);
    if (answer.status === 'unknown') return 'later';
    if (answer.status === 'not_found') return 'not_found';
    const { paymentKey } = answer.payment;
    if (!('paymentKey' in by)) return followUp(provider, { paymentKey });
    await takeIn(provider, answer.payment, known);
    return 'done';
  }

  async function follow(hint: Hint): Promise<void> {
    const provider = providerOf(hint.provider);
    const about = hint.paymentKey === null ? { orderId: hint.orderId } : { paymentKey: hint.paymentKey };
    const outcome = provider === null ? 'not_found' : await followUp(provider, about);
    // What cannot be answered now is due again later, as it is when this process ends here.
    if (outcome !== 'later') await forgetHint(database, hint);
  }

  /**
   * What nobody here has an order or a payment of is not asked about: anyone could make us ask. Reconciliation finds what is real. Nor is a key
   * that we do not know: anyone could make up many for an order. The provider is asked what it has of the order.
   */
  async function whatIsOurs(provider: string, { paymentKey, orderId }: Names) {
    if (paymentKey !== null && (await findByKey(database, { paymentKey, provider })) !== null)
      return { paymentKey, orderId, isKnown: true };
    if (orderId === null || (await findOrder(database, orderId)) === null) return null;
    return { paymentKey: null, orderId, isKnown: (await tellingPayment(database, orderId)) !== null };
  }

  return {
    followUp,
    async hear(provider, body) {
      const hint = providerOf(provider)?.readHint(body) ?? null;
      if (hint === null) {
        heard.inc({ provider, outcome: 'unreadable' });
        return false;
      }
      const ours = await whatIsOurs(provider, hint);
      if (ours === null) {
        heard.inc({ provider, outcome: 'unknown' });
        return true;
      }
      const isKept = await keepHint(database, { provider, ...ours });
      heard.inc({ provider, outcome: isKept ? 'kept' : 'left_out' });
      return true;
    },
    job: {
      name: 'payments-hints',
      everyMs,
      async run() {
        for (const hint of await takeHints(database, { rowsMax: takenMax, againMs })) {
          try {
            await follow(hint);
          } catch (error) {
            logger.error({ err: error, hint }, 'a webhook could not be followed up; tried again');
          }
        }
      },
    },
  };
}
