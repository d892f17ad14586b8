import { assertNever } from '#platform/assert.ts';
import type { CaptureAnswer, CaptureCall } from '../../ports.ts';
import { type Asking, isTossName, type Looked, paymentBytesMax, viewIn, whyOf } from './asking.ts';
import { captureVerdict, reasonOf } from './codes.ts';

export const minimumKrw = { card: 100, virtual_account: 200 } as const;

/** `POST /v1/payments/confirm`. The buyer has authenticated in Toss's window before; this takes the money, or opens the account. */
export async function capture(asking: Asking, call: CaptureCall): Promise<CaptureAnswer> {
  const { clock, http, keys, limits } = asking;
  const deadline = clock.monotonicMs() + limits.captureMs;
  const { attemptId, paymentKey, orderId, amountKrw, method } = call;
  if (amountKrw < minimumKrw[method]) return declined('BELOW_MINIMUM_AMOUNT');
  if (!isTossName(paymentKey)) return declined('INVALID_PAYMENT_KEY');
  const answer = await http({
    ...{ method: 'POST', path: '/v1/payments/confirm', body: { paymentKey, orderId, amount: amountKrw } },
    ...{ idempotencyKey: keys.of(attemptId), limitMs: limits.captureMs, bytesMax: paymentBytesMax },
  });
  if (answer.status === 'silent') return { status: 'unknown', why: answer.why };
  if (answer.status === 'ok') return shown(call, viewIn(answer.body), null);
  const verdict = captureVerdict(answer.code);
  switch (verdict) {
    case 'declined':
      return declined(answer.code);
    case 'unknown':
      keys.failed(attemptId);
      return { status: 'unknown', why: whyOf(answer) };
    case 'refused':
    case 'look': {
      const now = await asking.look({ paymentKey }, deadline - clock.monotonicMs());
      return shown(call, now, { code: answer.code, isProof: verdict === 'refused' });
    }
    default:
      return assertNever(verdict);
  }
}

/** What the payment itself says. `refusal`: the request was answered by an error; `isProof`: by one that takes no money. */
function shown(call: CaptureCall, now: Looked, refusal: { code: string; isProof: boolean } | null): CaptureAnswer {
  if (now.status === 'unknown') return now;
  const code = refusal?.code ?? 'NOT_CAPTURED';
  const open: CaptureAnswer =
    refusal?.isProof === true ? declined(code) : { status: 'unknown', why: `${code}, and the payment is not captured` };
  if (now.status === 'not_found') return open;
  const { payment, failureCode } = now.view;
  // A key of another order: whatever was paid by it was not paid for this one.
  if (payment.orderId !== call.orderId) return declined('PAYMENT_OF_ANOTHER_ORDER');
  switch (payment.status) {
    case 'captured':
    case 'refunded':
      return { status: 'captured', payment };
    case 'waiting_for_deposit':
      return { status: 'waiting_for_deposit', payment };
    case 'failed':
    case 'expired':
      return payment.wasCaptured ? { status: 'captured', payment } : declined(failureCode ?? code);
    case 'open':
    case 'in_progress':
      return open;
    default:
      return assertNever(payment.status);
  }
}

function declined(code: string): CaptureAnswer {
  return { status: 'declined', code, reason: reasonOf(code) };
}
