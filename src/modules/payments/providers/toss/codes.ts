import type { DeclineReason } from '../../domain/declines.ts';

/*
 * What Toss's error codes mean for us (docs.tosspayments.com/reference/error-codes). HTTP statuses are not looked at: PROVIDER_ERROR is
 * temporary and comes with 400. A code that is in no table proves nothing.
 */

/** The card, its issuer or the bank said no: no money moved, and none will by this key. */
const declines: Readonly<Record<DeclineReason, readonly string[]>> = {
  declined: [
    ...[
      'INVALID_REJECT_CARD',
      'REJECT_CARD_COMPANY',
      'INVALID_STOPPED_CARD',
      'INVALID_CARD_LOST_OR_STOLEN',
      'FDS_ERROR',
    ],
    ...['INVALID_AUTHORIZE_AUTH', 'INVALID_PASSWORD', 'EXCEED_MAX_AUTH_COUNT', 'RESTRICTED_TRANSFER_ACCOUNT'],
    ...[
      'INVALID_ACCOUNT_INFO_RE_REGISTER',
      'REJECT_TOSSPAY_INVALID_ACCOUNT',
      'NOT_AVAILABLE_PAYMENT',
      'NOT_AVAILABLE_BANK',
    ],
    'BELOW_MINIMUM_AMOUNT',
  ],
  insufficient_funds: ['REJECT_ACCOUNT_PAYMENT', 'REJECT_CARD_PAYMENT'],
  card_expired: ['INVALID_CARD_EXPIRATION'],
  limit_exceeded: [
    ...[
      'EXCEED_MAX_AMOUNT',
      'EXCEED_MAX_PAYMENT_AMOUNT',
      'EXCEED_MAX_ONE_DAY_AMOUNT',
      'EXCEED_MAX_DAILY_PAYMENT_COUNT',
    ],
    ...['EXCEED_MAX_ONE_DAY_WITHDRAW_AMOUNT', 'EXCEED_MAX_ONE_TIME_WITHDRAW_AMOUNT', 'EXCEED_MAX_WEEKLY_PAYMENT_COUNT'],
    ...['EXCEED_MAX_WEEKLY_PAYMENT_AMOUNT', 'EXCEED_MAX_MONTHLY_PAYMENT_COUNT', 'EXCEED_MAX_MONTHLY_PAYMENT_AMOUNT'],
  ],
  cancelled_by_buyer: ['PAY_PROCESS_CANCELED', 'PAY_PROCESS_ABORTED', 'USER_CANCEL'],
  not_supported: [
    ...['INVALID_CARD_NUMBER', 'NOT_SUPPORTED_CARD_TYPE', 'NOT_ALLOWED_POINT_USE', 'EXCEED_MAX_CARD_INSTALLMENT_PLAN'],
    ...['NOT_SUPPORTED_INSTALLMENT_PLAN_CARD_OR_MERCHANT', 'INVALID_CARD_INSTALLMENT_PLAN', 'NOT_REGISTERED_BUSINESS'],
    ...['NOT_SUPPORTED_MONTHLY_INSTALLMENT_PLAN', 'INVALID_UNREGISTERED_SUBMALL', 'NOT_FOUND_TERMINAL_ID'],
  ],
};

/** Of payments that nobody finished in time; and what the window of Toss tells when its buyer went away. */
const lapsed = ['NOT_FOUND_PAYMENT_SESSION', 'EXPIRED_PAYMENT'];

const reasons = new Map<string, DeclineReason>([
  ...Object.entries(declines).flatMap(([reason, codes]) =>
    codes.map((code) => [code, reason as DeclineReason] as const),
  ),
  ...lapsed.map((code) => [code, 'cancelled_by_buyer'] as const),
]);

export function reasonOf(code: string): DeclineReason {
  return reasons.get(code) ?? 'declined';
}

/** The request was not accepted. Whether an earlier one was is found out by looking; if not, no money moved and none will. */
const refusedConfirms = new Set([
  ...lapsed,
  ...[
    'NOT_FOUND_PAYMENT',
    'INVALID_PAYMENT_KEY',
    'FORBIDDEN_REQUEST',
    'INVALID_REQUEST',
    'DUPLICATED_ORDER_ID',
    'UNAPPROVED_ORDER_ID',
  ],
]);

/** `declined`: proof. `refused`: proof, unless the payment itself shows money. `look`: only the payment can tell. `unknown`: asked again later. */
export function captureVerdict(code: string): 'declined' | 'refused' | 'look' | 'unknown' {
  if (refusedConfirms.has(code)) return 'refused';
  if (reasons.has(code)) return 'declined';
  return temporary.has(code) || uncertain.has(code) || ours.has(code) ? 'unknown' : 'look';
}

/** Nothing happened, and later it may. */
const temporary = new Set([
  ...[
    'PROVIDER_ERROR',
    'FORBIDDEN_CONSECUTIVE_REQUEST',
    'NOT_AVAILABLE_BANK',
    'TOO_MANY_REQUESTS',
    'PG_TOO_MANY_REQUEST',
  ],
]);
/** Something went wrong on the way; it may have happened. */
const uncertain = new Set([
  ...['COMMON_ERROR', 'CARD_PROCESSING_ERROR', 'FAILED_INTERNAL_SYSTEM_PROCESSING', 'UNKNOWN_PAYMENT_ERROR'],
  ...['FAILED_PAYMENT_INTERNAL_SYSTEM_PROCESSING', 'FAILED_REFUND_PROCESS', 'FAILED_METHOD_HANDLING_CANCEL'],
  ...['FAILED_PARTIAL_REFUND', 'IDEMPOTENT_REQUEST_PROCESSING', 'ALREADY_PROCESSING_REQUEST'],
]);
/** Our keys are wrong or were changed: nothing happened, and nothing will until somebody mends the configuration. */
const ours = new Set(['UNAUTHORIZED_KEY', 'INVALID_API_KEY', 'INCORRECT_BASIC_AUTH_FORMAT', 'INVALID_IDEMPOTENCY_KEY']);

/** The payment has gone further than we believed: perhaps by this very refund. */
const settledElsewhere = new Set([
  ...['ALREADY_CANCELED_PAYMENT', 'ALREADY_REFUND_PAYMENT', 'NOT_CANCELABLE_AMOUNT', 'NOT_CANCELABLE_PAYMENT'],
  'NOT_MATCHES_REFUNDABLE_AMOUNT',
]);
const refusedRefunds = new Set([
  ...[
    'NOT_FOUND_PAYMENT',
    'NOT_CANCELABLE_PAYMENT_FOR_DORMANT_USER',
    'EXCEED_CANCEL_AMOUNT_DISCOUNT_AMOUNT',
    'EXCEED_CANCEL_LIMIT',
  ],
  ...[
    'EXCEED_MAX_REFUND_DUE',
    'NOT_ALLOWED_PARTIAL_REFUND',
    'NOT_ALLOWED_PARTIAL_REFUND_WAITING_DEPOSIT',
    'REFUND_REJECTED',
  ],
  ...['INVALID_REFUND_ACCOUNT_INFO', 'INVALID_REFUND_ACCOUNT_NUMBER', 'INVALID_BANK', 'FORBIDDEN_BANK_REFUND_REQUEST'],
  ...['INVALID_REQUEST', 'FORBIDDEN_REQUEST'],
]);

/** `look`: refused, unless the payment shows this refund. */
export function refundVerdict(code: string): 'refused' | 'look' | 'later' | 'unknown' {
  if (settledElsewhere.has(code)) return 'look';
  if (refusedRefunds.has(code)) return 'refused';
  return temporary.has(code) || ours.has(code) ? 'later' : 'unknown';
}
