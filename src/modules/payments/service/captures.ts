import type { PaymentProvider, PaymentsDeps } from '../ports.ts';
import type { OrderRecord } from '../storage/orders.ts';
import type { PaymentRecord } from '../storage/payments.ts';
import type { Outcomes } from './outcomes.ts';

/** Step 4 and 5: asks the provider for the money and keeps its answer. Several may be under way; a stop waits for them. */
export interface Captures {
  /** Never rejects: what goes wrong leaves the attempt for the checks. */
  begin(payment: PaymentRecord, order: OrderRecord): Promise<void>;
  stop(): Promise<void>;
}

type CapturesDeps = Pick<PaymentsDeps, 'clock' | 'config' | 'logger' | 'metrics'> & {
  readonly providerOf: (name: string) => PaymentProvider | null;
  readonly outcomes: Outcomes;
};

export function createCaptures({ clock, config, logger, metrics, providerOf, outcomes }: CapturesDeps): Captures {
  const underWay = new Set<Promise<void>>();
  const seconds = metrics.histogram('urr_payments_capture_seconds', 'How long providers took to answer a capture.', [
    'provider',
    'outcome',
  ]);

  async function capture(payment: PaymentRecord, order: OrderRecord): Promise<void> {
    const provider = providerOf(payment.provider);
    if (provider === null || payment.paymentKey === null)
      throw new Error(`the payment ${payment.paymentId} has no provider or no key`);
    const begun = clock.monotonicMs();
    const answer = await provider.capture({
      attemptId: payment.paymentId,
      paymentKey: payment.paymentKey,
      orderId: order.orderId,
      orderName: order.orderName,
      amountKrw: payment.amountKrw,
      method: payment.method,
      depositUntilMs:
        payment.method === 'virtual_account' ? Math.min(clock.now() + config.depositMs, order.closesAtMs) : null,
    });
    seconds.observe({ provider: provider.name, outcome: answer.status }, (clock.monotonicMs() - begun) / 1000);
    await outcomes.captured(payment, answer);
  }

  return {
    begin(payment, order) {
      const work = capture(payment, order)
        .catch((error: unknown) => {
          logger.error(
            { err: error, paymentId: payment.paymentId },
            'a capture was left half-way; the checks go on with it',
          );
        })
        .finally(() => underWay.delete(work));
      underWay.add(work);
      return work;
    },
    async stop() {
      await Promise.allSettled(underWay);
    },
  };
}
