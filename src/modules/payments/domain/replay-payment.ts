import type { PaymentStatus } from './payment.ts';

export interface PaymentHistory {
  readonly paymentId: string;
  readonly status: PaymentStatus;
  readonly version: number;
  readonly amountKrw: number;
  /** What its order asks for. */
  readonly orderKrw: number;
  readonly capturedKrw: number;
  readonly refundedKrw: number;
  readonly isSettled: boolean;
  readonly isOrphan: boolean;
  readonly steps: readonly PaymentStep[];
  readonly refunds: readonly {
    readonly refundId: string;
    readonly kind: string;
    readonly status: string;
    readonly amountKrw: number;
    readonly askedKrw: number;
  }[];
}

export interface PaymentStep {
  readonly id: number;
  readonly version: number;
  readonly status: PaymentStatus;
  readonly capturedKrw: number;
  readonly refundedKrw: number;
  readonly refundId: string | null;
  readonly refundStatus: string | null;
  readonly refundKrw: number | null;
  /** As it was asked for; where the row says it. */
  readonly kind: string | null;
  readonly askedKrw: number | null;
}

const live: readonly PaymentStatus[] = ['created', 'capturing', 'unknown', 'waiting_for_deposit'];
const late: readonly PaymentStatus[] = ['failed', 'abandoned', 'expired'];
const withMoney: readonly PaymentStatus[] = ['captured', 'partially_refunded', 'orphaned'];

/** From which states each may be reached. */
const before: Readonly<Record<PaymentStatus, readonly PaymentStatus[]>> = {
  created: [],
  capturing: ['created'],
  unknown: ['capturing'],
  waiting_for_deposit: ['created', 'capturing', 'unknown'],
  captured: [...live, ...late, 'captured'],
  partially_refunded: ['captured', 'partially_refunded'],
  refunded: [...withMoney, 'refunded'],
  orphaned: [...withMoney, 'reversed', 'refunded'],
  reversed: [...withMoney, 'reversed'],
  failed: live,
  abandoned: live,
  expired: live,
};

/** The first contradiction between the ledger of a payment, its row and its refunds; null: there is none. */
export function replayPayment(payment: PaymentHistory): string | null {
  const name = `payment ${payment.paymentId}`;
  let last: PaymentStep | null = null;
  let takenBackKrw = 0;
  const refunds = new Map<string, PaymentStep>();
  const asked = new Map<string, PaymentStep>();
  for (const step of payment.steps) {
    const problem = stepProblem(last, step);
    if (problem !== null) return `${name}: ledger row ${step.id} ${problem}`;
    if (step.refundId !== null) refunds.set(step.refundId, step);
    if (step.refundId !== null && step.kind !== null) asked.set(step.refundId, step);
    if (step.status === 'reversed' && step.refundId === null)
      takenBackKrw += step.refundedKrw - (last?.refundedKrw ?? 0);
    last = step;
  }
  if (last === null) return `${name} has no ledger rows`;
  for (const [what, row, ledger] of [
    ['status', payment.status, last.status],
    ['version', payment.version, last.version],
    ['captured', payment.capturedKrw, last.capturedKrw],
    ['refunded', payment.refundedKrw, last.refundedKrw],
  ] as const)
    if (row !== ledger) return `${name}: its ${what} is ${row}, and the ledger says ${ledger}`;
  const { amountKrw, orderKrw, capturedKrw } = payment;
  if (amountKrw !== orderKrw) return `${name}: it is of ${amountKrw}, and its order of ${orderKrw}`;
  // Another amount buys nothing, and a second deposit neither: that money goes back.
  if (capturedKrw > 0 && capturedKrw !== amountKrw && payment.isSettled && !payment.isOrphan)
    return `${name}: ${capturedKrw} were captured for ${amountKrw}, and it counts as paid`;
  return askedProblem(payment, asked) ?? refundsProblem(payment, refunds, takenBackKrw);
}

/** What a refund is for and how much was asked does not change afterwards. */
function askedProblem({ paymentId, refunds }: PaymentHistory, asked: ReadonlyMap<string, PaymentStep>): string | null {
  for (const { refundId, kind, askedKrw } of refunds) {
    const first = asked.get(refundId);
    if (first === undefined) continue;
    if (first.kind !== kind)
      return `payment ${paymentId}: refund ${refundId} is ${kind}, and was asked for as ${first.kind}`;
    if (first.askedKrw !== askedKrw)
      return `payment ${paymentId}: of refund ${refundId} ${askedKrw} were asked for, and the ledger says ${first.askedKrw}`;
  }
  return null;
}

function stepProblem(last: PaymentStep | null, step: PaymentStep): string | null {
  if (step.refundedKrw > step.capturedKrw) return `gives back ${step.refundedKrw} of ${step.capturedKrw}`;
  if (last === null) {
    const begins = step.status === 'created' || step.status === 'abandoned';
    return step.version === 1 && begins ? null : 'is no beginning of a payment';
  }
  // What is only noted of a refund leaves the payment as it is.
  if (step.version === last.version)
    return step.status === last.status && step.refundId !== null ? null : 'repeats a version';
  if (step.version !== last.version + 1) return `has version ${step.version} after ${last.version}`;
  if (!before[step.status].includes(last.status)) return `goes from ${last.status} to ${step.status}`;
  if (step.capturedKrw < last.capturedKrw) return 'takes back what was captured';
  if (step.refundedKrw < last.refundedKrw) return 'takes back what was refunded';
  return null;
}

/** `takenBackKrw`: deposits that the bank took back count as refunded, and no refund names them. */
function refundsProblem(
  payment: PaymentHistory,
  noted: ReadonlyMap<string, PaymentStep>,
  takenBackKrw: number,
): string | null {
  const name = `payment ${payment.paymentId}`;
  let done = 0;
  let all = 0;
  for (const { refundId, status, amountKrw, askedKrw } of payment.refunds) {
    const step = noted.get(refundId);
    if (step === undefined) return `${name}: refund ${refundId} is not in the ledger`;
    // A try that is under way is not noted.
    if (status !== 'submitted' && step.refundStatus !== status)
      return `${name}: refund ${refundId} is ${status}, and the ledger says ${step.refundStatus}`;
    if (step.refundKrw !== amountKrw)
      return `${name}: refund ${refundId} is of ${amountKrw}, and the ledger says ${step.refundKrw}`;
    if (amountKrw > askedKrw) return `${name}: refund ${refundId} is of more than was asked for`;
    all += amountKrw;
    if (status === 'done') done += amountKrw;
  }
  if (noted.size > payment.refunds.length) return `${name}: the ledger knows of a refund that is gone`;
  if (payment.status === 'reversed') return null;
  if (done + takenBackKrw !== payment.refundedKrw)
    return `${name}: its refunds come to ${done + takenBackKrw}, and it says ${payment.refundedKrw}`;
  // What had been asked for before the bank took the deposit back is not sent.
  return takenBackKrw === 0 && all > payment.capturedKrw
    ? `${name}: refunds of ${all} for ${payment.capturedKrw} captured`
    : null;
}
