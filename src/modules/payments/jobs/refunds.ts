import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { Job } from '#platform/module.ts';
import { nextRefundTryMs } from '../domain/schedule.ts';
import type { PaymentProvider, PaymentsDeps, RefundAnswer } from '../ports.ts';
import type { Hints } from '../service/hints.ts';
import type { ManualList } from '../service/manual-list.ts';
import { findOrder } from '../storage/orders.ts';
import { findPayment, type PaymentRecord } from '../storage/payments.ts';
import { finishRefund, fitRefund, putRefundOff, type RefundRecord, takeRefunds } from '../storage/refunds.ts';

const everyMs = 1_000;
const atOnce = 8;

type RefundsDeps = Pick<PaymentsDeps, 'database' | 'bus' | 'config' | 'logger' | 'metrics'> & {
  readonly providerOf: (name: string) => PaymentProvider | null;
  readonly hints: Pick<Hints, 'followUp'>;
  readonly manual: ManualList;
};

/**
 * Sends what has to go back, at the pace that the provider allows, until it has gone or a person has to look. A refund that a killed process
 * had in hand comes again after a minute and a half; the provider knows it by its id.
 */
export function createRefundsJob(deps: RefundsDeps): Job {
  const { database, config, logger, metrics } = deps;
  const ended = metrics.counter('urr_payments_refund_tries_total', 'Tries to give money back, by how they ended.', [
    'outcome',
  ]);
  return {
    name: 'payments-refunds',
    everyMs,
    async run() {
      const refunds = await takeRefunds(database, config.refundsPerSecond);
      await inParallel(refunds, atOnce, async (refund) => {
        try {
          ended.inc({ outcome: await send(refund, deps) });
        } catch (error) {
          logger.error({ err: error, refundId: refund.refundId }, 'a refund could not be sent; it is tried again');
          ended.inc({ outcome: 'error' });
        }
      });
    },
  };
}

async function send(taken: RefundRecord, deps: RefundsDeps): Promise<RefundAnswer['status']> {
  const { database, bus, providerOf, hints, manual } = deps;
  const payment = await findPayment(database, taken.paymentId);
  const left = payment === null ? 0 : payment.capturedKrw - payment.refundedKrw;
  const refund = taken.amountKrw > left ? await fitRefund(database, taken.refundId) : taken;
  if (refund.status === 'done') return 'done';
  const { refundId, amountKrw } = refund;
  const provider = payment === null ? null : providerOf(payment.provider);
  if (payment === null || payment.paymentKey === null || provider === null)
    throw new Error(`the refund ${refundId} has no payment, key or provider`);
  const order = await findOrder(database, payment.orderId);
  const answer = await provider.refund({
    refundId,
    paymentKey: payment.paymentKey,
    amountKrw,
    balanceKrw: payment.capturedKrw - payment.refundedKrw,
    reason: refund.reason,
    account: order?.refundAccount ?? null,
    firstSentAtMs: refund.firstSentAtMs ?? refund.requestedAtMs,
  });
  switch (answer.status) {
    case 'done': {
      const finished = await finishRefund(database, { refundId, reference: answer.reference });
      if (finished?.status === 'reversed')
        await giveToPerson(finished, refund, 'it has gone back, and the bank had taken the deposit back besides');
      bus.wakeRelays();
      return answer.status;
    }
    case 'refused':
      // Money may have gone back without us. Then what is left is another amount, and the rest of it can be sent.
      if ((await hints.followUp(provider, { paymentKey: payment.paymentKey })) === 'done') {
        const now = await findPayment(database, payment.paymentId);
        if (now !== null && now.version > payment.version) {
          const why = 'money went back at the provider without us';
          await putRefundOff(database, { refundId, status: 'failed', why, inMs: nextRefundTryMs(1) });
          return 'later';
        }
      }
      await giveToPerson(payment, refund, `${answer.code}: ${answer.message}`);
      return answer.status;
    case 'later':
    case 'unknown': {
      const why = answer.status === 'later' ? answer.code : answer.why;
      if (refund.isOld) {
        await giveToPerson(payment, refund, `tried ${refund.tries} times in a day; at last: ${why}`);
        return answer.status;
      }
      const inMs = Math.max(nextRefundTryMs(refund.tries), answer.status === 'later' ? (answer.afterMs ?? 0) : 0);
      await putRefundOff(database, { refundId, status: answer.status === 'later' ? 'failed' : 'unknown', why, inMs });
      return answer.status;
    }
  }

  async function giveToPerson(of: PaymentRecord, { refundId: id, amountKrw: krw }: RefundRecord, why: string) {
    await putRefundOff(database, { refundId: id, status: 'manual', why, inMs: null });
    await manual.open({
      cause: `refund:${id}`,
      kind: 'refund_stuck',
      payment: of,
      refundId: id,
      amountKrw: krw,
      detail: `${krw} KRW could not be given back: ${why}`.slice(0, 500),
    });
  }
}
