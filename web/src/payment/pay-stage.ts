import type { Order } from './order-types.ts';

/**
 * Which step of paying is shown.
 *
 *   form ──press──▶ sending ──▶ paid ──(refund)──▶ refunded
 *    ▲ │ time over     │  └──▶ deposit ──▶ paid
 *    │ ▼               ▼ no answer
 *    │ over         waiting ──▶ whatever the server says
 *    └───declined──────┘
 *
 * `elsewhere`: another order of the same reservation has paid for it. `closed`: given up, cancelled, or tried too often; then the
 * places are still held.
 */
export type PayStage =
  | 'form'
  | 'sending'
  | 'waiting'
  | 'deposit'
  | 'paid'
  | 'refunded'
  | 'over'
  | 'closed'
  | 'elsewhere';

export interface PayFacts {
  readonly order: Pick<Order, 'state' | 'expiresAt' | 'reservation' | 'payment'>;
  readonly nowMs: number;
  /** A press of this page is under way. */
  readonly isSending: boolean;
  /** Something was sent, its answer was lost, and the server has not been asked since. */
  readonly isUnsure: boolean;
}

export function payStage({ order, nowMs, isSending, isUnsure }: PayFacts): PayStage {
  switch (order.state) {
    case 'paid':
      return 'paid';
    case 'refunded':
      return 'refunded';
    case 'waiting_for_deposit':
      return 'deposit';
    case 'paying':
    case 'unknown':
      return isSending ? 'sending' : 'waiting';
    case 'open':
      if (isSending) return 'sending';
      if (isUnsure) return 'waiting';
      return Date.parse(order.expiresAt) > nowMs ? 'form' : 'over';
    case 'closed':
      return closedStage(order);
  }
}

function closedStage({ reservation, payment }: PayFacts['order']): PayStage {
  const hasMissedDeposit = payment?.status === 'expired';
  switch (reservation?.status) {
    case 'waiting_for_deposit':
      // The account was closed a moment ago, and the reservation has not heard of it yet.
      if (hasMissedDeposit) return reservation.paymentStatus === 'refund_requested' ? 'closed' : 'over';
      return 'elsewhere';
    case 'confirmed':
    case 'partially_cancelled':
    case 'paying':
      return 'elsewhere';
    case 'expired':
      return 'over';
    case undefined:
      return hasMissedDeposit ? 'over' : 'closed';
    default:
      return 'closed';
  }
}

/** How often the order is asked for, by step and by how long it has been shown. False: no more by itself. */
export function pollMs(stage: PayStage, shownMs: number, isSettled: boolean): number | false {
  switch (stage) {
    case 'form':
      return 15_000;
    case 'waiting':
      return shownMs < 60_000 ? 2_000 : shownMs < waitMaxMs ? 5_000 : false;
    case 'deposit':
      return 5_000;
    case 'paid':
    case 'refunded':
      if (isSettled) return false;
      return shownMs < 60_000 ? 1_500 : shownMs < waitMaxMs ? 5_000 : false;
    default:
      return false;
  }
}

/** After this long the page says that it may be closed, and asks only when it is told to. */
export const waitMaxMs = 4 * 60_000;
