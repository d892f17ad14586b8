import { assertNever } from '#platform/assert.ts';
import type { RefundAnswer, RefundCall } from '../../ports.ts';
import { type Asking, isTossName, type Looked, paymentBytesMax, viewIn, whyOf } from './asking.ts';
import { bankCode } from './banks.ts';
import { refundVerdict } from './codes.ts';
import type { TossView } from './payment.ts';
import { closedReason, reasonWith } from './reasons.ts';

/** An idempotency key is good for 15 days. A day less, so that the two clocks need not agree. */
const keyLifeMs = 14 * 24 * 60 * 60_000;

/** `POST /v1/payments/{paymentKey}/cancel`. */
export async function refund(asking: Asking, call: RefundCall): Promise<RefundAnswer> {
  const { clock, http, keys, limits } = asking;
  const deadline = clock.monotonicMs() + limits.refundMs;
  const leftMs = () => deadline - clock.monotonicMs();
  const { refundId, paymentKey } = call;
  if (!isTossName(paymentKey)) return refused('NOT_FOUND_PAYMENT', 'there is no such payment');

  const lives = Math.max(0, Math.floor((clock.now() - call.firstSentAtMs) / keyLifeMs));
  // The key may not be known any more, or is of no use; or what is to be done depends on where the money is.
  const mustLook = lives > 0 || keys.hasFailed(refundId) || call.amountKrw === null || call.account !== null;
  const before = mustLook ? await asking.look({ paymentKey }, leftMs()) : null;
  const settled = before === null ? null : settledBy(call, before);
  if (settled !== null) return settled;
  const isClosing = before?.status === 'found' && before.view.payment.status === 'waiting_for_deposit';
  if (isClosing && call.amountKrw !== null)
    return refused('NOT_CAPTURED', 'its deposit has not come, or was taken back');

  const answer = await http({
    ...{ method: 'POST', path: `/v1/payments/${paymentKey}/cancel` },
    body: isClosing ? { cancelReason: closedReason } : bodyOf(call),
    idempotencyKey: [keys.of(refundId), ...(lives > 0 ? [`late${lives}`] : []), ...(isClosing ? ['close'] : [])].join(
      '.',
    ),
    ...{ limitMs: leftMs(), bytesMax: paymentBytesMax },
  });
  if (answer.status === 'silent') return { status: 'unknown', why: answer.why };
  if (answer.status === 'ok') {
    const now = viewIn(answer.body);
    return (
      settledBy(call, now) ?? lastOf(now) ?? { status: 'unknown', why: 'the refund is not among the cancellations' }
    );
  }
  const verdict = refundVerdict(answer.code);
  switch (verdict) {
    case 'refused':
      return refused(answer.code, answer.message);
    case 'later':
    case 'unknown':
      keys.failed(refundId);
      return verdict === 'later'
        ? { status: 'later', code: answer.code, afterMs: null }
        : { status: 'unknown', why: whyOf(answer) };
    case 'look':
      return settledBy(call, await asking.look({ paymentKey }, leftMs())) ?? refused(answer.code, answer.message);
    default:
      return assertNever(verdict);
  }
}

/** What the payment says about this refund; null: it has not been done. */
function settledBy({ refundId, amountKrw }: RefundCall, now: Looked): RefundAnswer | null {
  if (now.status === 'unknown') return now;
  if (now.status === 'not_found') return refused('NOT_FOUND_PAYMENT', 'there is no such payment');
  const { payment, refundsUnderWay, lastReference } = now.view;
  const own = payment.refunds.find((one) => one.refundId === refundId);
  if (own !== undefined) return { status: 'done', reference: own.reference, payment };
  if (refundsUnderWay.includes(refundId)) return { status: 'unknown', why: 'Toss is still at it' };
  // Of everything: nothing is left, and none will come.
  const isOver = ['refunded', 'failed', 'expired'].includes(payment.status);
  return amountKrw === null && isOver ? { status: 'done', reference: lastReference ?? refundId, payment } : null;
}

/** Of an answer that says yes: should Toss cut our mark off, the last movement is still this one. */
function lastOf(now: Looked): RefundAnswer | null {
  const view: TossView | null = now.status === 'found' ? now.view : null;
  const last = view?.payment.refunds.find(({ reference }) => reference === view.lastReference);
  return view === null || last === undefined
    ? null
    : { status: 'done', reference: last.reference, payment: view.payment };
}

function bodyOf({ refundId, amountKrw, balanceKrw, reason, account }: RefundCall): object {
  return {
    cancelReason: reasonWith(reason, refundId),
    ...(amountKrw !== null && { cancelAmount: amountKrw }),
    // Toss refuses if there is another amount left than this: something was refunded of which we do not know.
    ...(balanceKrw !== null && { refundableAmount: balanceKrw }),
    ...(account !== null && {
      refundReceiveAccount: {
        bank: bankCode(account.bank),
        accountNumber: account.number.replaceAll('-', ''),
        holderName: account.holder,
      },
    }),
  };
}

function refused(code: string, message: string): RefundAnswer {
  return { status: 'refused', code, message: message === '' ? code : message };
}
