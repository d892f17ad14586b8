export const paymentTypes = ['reservation', 'transfer', 'membership'] as const;
export type PaymentType = (typeof paymentTypes)[number];

export const paymentMethods = ['card', 'virtual_account'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/**
 * One attempt to pay for an order. An order may have several, one of them live (marked *).
 *
 *              pinned, committed          provider says yes                          refunds
 *   CREATED* ────────────────▶ CAPTURING* ───────────────▶ CAPTURED ──▶ PARTIALLY_REFUNDED ──▶ REFUNDED
 *      │                         │  │  │                    ▲ │ │                                 ▲
 *      ▼ nobody went on          │  │  └──▶ UNKNOWN* ───────┤ │ └──▶ ORPHANED (nothing to give) ──┘
 *   ABANDONED                    │  │        asked until it  │ └────▶ REVERSED (a deposit taken back)
 *                      declined  ▼  │        is known       │
 *                             FAILED│                       │
 *                                   └──▶ WAITING_FOR_DEPOSIT* ──▶ EXPIRED (deadline)
 *
 * The provider's word is the last: a capture that it shows later for an attempt that had ended (FAILED, ABANDONED, EXPIRED) makes it
 * CAPTURED after all, and ticketing then says whether there is anything to give for it.
 */
export const paymentStatuses = [
  'created',
  'capturing',
  'unknown',
  'waiting_for_deposit',
  'captured',
  'partially_refunded',
  'refunded',
  'orphaned',
  'reversed',
  'failed',
  'abandoned',
  'expired',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** The outcome of these is not known yet: an order has at most one. */
export const liveStatuses = ['created', 'capturing', 'unknown', 'waiting_for_deposit'] as const;
/** These ended without money, as far as was known. */
export const unpaidStatuses = ['failed', 'abandoned', 'expired'] as const;

/** REQUESTED → SUBMITTED → (UNKNOWN) → DONE, or FAILED → tried again → MANUAL. */
const refundStatuses = ['requested', 'submitted', 'unknown', 'done', 'failed', 'manual'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** Why money goes back. `found`: it already had, at the provider. `goodwill` voids nothing. */
export const refundKinds = ['cancellation', 'orphan', 'goodwill', 'found'] as const;
export type RefundKind = (typeof refundKinds)[number];
