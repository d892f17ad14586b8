import type { ReservationRow, ReservationStep } from './ledger-model.ts';
import type { PaymentStatus, ReservationStatus } from './reservation.ts';

/** What a reservation's row says of its payment. */
export interface Paid {
  readonly paymentStatus: PaymentStatus;
  /** That has it pinned, or has paid for it. */
  readonly attemptId: string | null;
  readonly attempts: number;
  readonly orderId: string | null;
  readonly paidKrw: number;
  readonly refundedKrw: number;
  readonly refundRequested: boolean;
}

export const unpaid: Paid = {
  ...{ paymentStatus: 'none', attemptId: null, attempts: 0, orderId: null },
  ...{ paidKrw: 0, refundedKrw: 0, refundRequested: false },
};

interface Around {
  readonly from: ReservationStatus | null;
  readonly totalKrw: number;
}

/** One step further. `problem`: why it cannot have been so; moves that the status forbids are found elsewhere. */
export function afterStep(before: Paid, step: ReservationStep, around: Around): { paid: Paid; problem: string | null } {
  const paid = { ...before, ...changeBy(before, step, around.from) };
  return { paid, problem: stepProblem(before, paid, step, around) };
}

function changeBy(before: Paid, { act, cause }: ReservationStep, from: ReservationStatus | null): Partial<Paid> {
  const { attemptId = null, orderId = null } = cause;
  switch (act) {
    case 'pinned':
      return { paymentStatus: 'pending', attemptId, attempts: before.attempts + 1 };
    case 'unpinned':
      return { paymentStatus: 'none', attemptId: null };
    case 'refund_requested':
      return { paymentStatus: 'refund_requested', refundRequested: true };
    case 'confirmed':
      // What costs nothing is confirmed from its hold, without an attempt.
      if (from === 'pending') return {};
      return { paymentStatus: 'paid', orderId, paidKrw: cause.paidKrw ?? 0 };
    case 'rejected':
      // Money that came although it was no longer wanted is known until it is back; any other is not of this reservation.
      if (!before.refundRequested || !isPinned(from) || attemptId !== before.attemptId) return {};
      return { orderId, paidKrw: cause.amountKrw ?? 0 };
    case 'released':
    case 'expired':
      return before.paidKrw > 0 ? {} : { paymentStatus: 'none', attemptId: null };
    case 'cancelled':
      return { paymentStatus: cause.paymentStatus ?? before.paymentStatus };
    case 'refunded':
      return {
        paymentStatus: cause.paymentStatus ?? before.paymentStatus,
        refundedKrw: cause.refundedKrw ?? before.refundedKrw,
      };
    default:
      return {};
  }
}

const isPinned = (status: ReservationStatus | null) => status === 'paying' || status === 'waiting_for_deposit';

function stepProblem(before: Paid, paid: Paid, step: ReservationStep, { from, totalKrw }: Around): string | null {
  const { act, cause, status } = step;
  if (act === 'pinned' && !cause.attemptId) return 'names no attempt';
  if (act === 'confirmed' && (cause.attemptId ?? null) !== before.attemptId)
    return `is by attempt ${cause.attemptId}, and attempt ${before.attemptId} has it pinned`;
  if (act === 'confirmed' && before.refundRequested) return 'confirms what its buyer had given up';
  if (act === 'confirmed' && paid.paidKrw !== totalKrw)
    return `is for ${paid.paidKrw} won where ${totalKrw} were to be paid`;
  if (act === 'refunded' && (cause.attemptId ?? null) !== before.attemptId)
    return `is of attempt ${cause.attemptId}, and attempt ${before.attemptId} has paid`;
  if (paid.refundedKrw < before.refundedKrw)
    return `says that ${paid.refundedKrw} won went back, and ${before.refundedKrw} did before`;
  if (act !== 'cancelled' && act !== 'refunded') return null;
  const possible = possibleStatuses(paid, status);
  return possible.includes(paid.paymentStatus)
    ? null
    : `leaves its payment ${paid.paymentStatus}, having taken it from ${from}, with ${paid.paidKrw} won paid and ${paid.refundedKrw} given back`;
}

/** Whether money is still to go back only the row itself knows: refunds may be heard of in any order. */
function possibleStatuses({ paidKrw, refundedKrw }: Paid, status: ReservationStatus): readonly PaymentStatus[] {
  if (paidKrw === 0) return ['none'];
  if (refundedKrw >= paidKrw) return ['refunded'];
  if (refundedKrw === 0) return ['refund_requested', 'paid'];
  return ['refund_requested', status === 'cancelled' || status === 'released' ? 'refunded' : 'partially_refunded'];
}

const words: readonly (readonly [keyof Paid, string])[] = [
  ['paymentStatus', 'its payment'],
  ['attemptId', 'its attempt'],
  ['attempts', 'its number of attempts'],
  ['orderId', 'its order'],
  ['paidKrw', 'what was paid for it'],
  ['refundedKrw', 'what was given back for it'],
  ['refundRequested', 'that a refund was requested'],
];

/** Between the replay and the row as it stands. */
export function paidDifference(name: string, paid: Paid, row: ReservationRow): string | null {
  const different = words.find(([key]) => paid[key] !== row[key]);
  if (different === undefined) return null;
  const [key, what] = different;
  return `${name}: ${what} is ${row[key]}; by the ledger it is ${paid[key]}`;
}
