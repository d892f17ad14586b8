import { assert } from '#platform/assert.ts';
import type { Micros } from './ledger-model.ts';

/**
 * What a ticket gives back when it is cancelled, by the terms that it was bought with (1; tickets from before there were terms have 0, by
 * which everything goes back). Days are those of the calendar in Seoul.
 *
 *   days to the show │ kept of the price │ rule         │ of the booking fee
 *   ─────────────────┼───────────────────┼──────────────┼─────────────────────────────
 *   10 or more       │        0 %        │ `ten_days`   │
 *   7 to 9           │       10 %        │ `seven_days` │ all comes back on the day of
 *   3 to 6           │       20 %        │ `three_days` │ the booking, nothing later
 *   1 or 2           │       30 %        │ `one_day`    │
 *   0                │       90 %        │ `same_day`   │
 *   3 or more, and   │        0 %        │ `within_24h` │
 *   within 24 hours  │                   │              │
 *   of the booking   │                   │              │
 *   ─────────────────┼───────────────────┼──────────────┼─────────────────────────────
 *   the seller or staff cancels: nothing │ `full`       │ all comes back
 *
 * What is kept is rounded down to whole won, ticket by ticket. Of the show's date at the purchase and its date now the later one counts.
 *
 * `ticketing.refund_lines` (migration 0011) decides; this model is what tests and `urr check-ledger` hold against it.
 */
export const refundRules = [
  'ten_days',
  'within_24h',
  'seven_days',
  'three_days',
  'one_day',
  'same_day',
  'full',
] as const;
export type RefundRule = (typeof refundRules)[number];

interface RefundTerms {
  /** The most days first; the last has none. */
  readonly steps: readonly { readonly daysBefore: number; readonly percentKept: number; readonly rule: RefundRule }[];
  readonly fullWithinHours: number;
  readonly fullUntilDays: number;
  readonly keepsFee: boolean;
}

/** By the id of the terms. */
export const refundTerms: ReadonlyMap<number, RefundTerms> = new Map([
  [
    0,
    {
      steps: [{ daysBefore: 0, percentKept: 0, rule: 'full' }],
      ...{ fullWithinHours: 0, fullUntilDays: 0, keepsFee: false },
    },
  ],
  [
    1,
    {
      steps: [
        { daysBefore: 10, percentKept: 0, rule: 'ten_days' },
        { daysBefore: 7, percentKept: 10, rule: 'seven_days' },
        { daysBefore: 3, percentKept: 20, rule: 'three_days' },
        { daysBefore: 1, percentKept: 30, rule: 'one_day' },
        { daysBefore: 0, percentKept: 90, rule: 'same_day' },
      ],
      ...{ fullWithinHours: 24, fullUntilDays: 3, keepsFee: true },
    },
  ],
]);

export interface RefundableTicket {
  readonly priceKrw: number;
  readonly feeKrw: number;
  readonly termsId: number;
  readonly bookedAt: Micros;
  /** The date that counts. */
  readonly showsAt: Micros;
}

export interface RefundAmounts {
  readonly rule: RefundRule;
  readonly daysBefore: number;
  readonly cancellationFeeKrw: number;
  readonly feeKeptKrw: number;
  readonly refundKrw: number;
}

/** What one ticket gives back at this moment. `inFull`: the terms do not matter. */
export function refundOf(ticket: RefundableTicket, at: Micros, { inFull }: { inFull: boolean }): RefundAmounts {
  const { priceKrw, feeKrw, termsId, bookedAt, showsAt } = ticket;
  const terms = refundTerms.get(termsId);
  assert(terms !== undefined, 'a ticket has terms that are known');
  const daysBefore = Math.max(0, seoulDay(showsAt) - seoulDay(at));
  if (inFull) {
    return { rule: 'full', daysBefore, cancellationFeeKrw: 0, feeKeptKrw: 0, refundKrw: priceKrw + feeKrw };
  }
  const step = terms.steps.find((one) => one.daysBefore <= daysBefore);
  assert(step !== undefined, 'terms have a line for every day');
  const isSoon =
    step.percentKept > 0 && at < bookedAt + terms.fullWithinHours * hour && daysBefore >= terms.fullUntilDays;
  const cancellationFeeKrw = isSoon ? 0 : Math.floor((priceKrw * step.percentKept) / 100);
  const feeKeptKrw = terms.keepsFee && seoulDay(at) > seoulDay(bookedAt) ? feeKrw : 0;
  return {
    rule: isSoon ? 'within_24h' : step.rule,
    daysBefore,
    cancellationFeeKrw,
    feeKeptKrw,
    refundKrw: priceKrw - cancellationFeeKrw + feeKrw - feeKeptKrw,
  };
}

const hour = 3_600_000_000;

/** Days since 1970 in Seoul, which has had no daylight saving time since 1988. */
function seoulDay(at: Micros): number {
  return Math.floor((at + 9 * hour) / (24 * hour));
}
