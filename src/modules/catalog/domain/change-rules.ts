import { isDeepStrictEqual } from 'node:util';
import type { EventFacts, StoredEvent } from './event.ts';
import { eventStatus, saleHasOpened } from './event-status.ts';

export type ChangeVerdict =
  | { readonly allowed: true }
  /** Cancelled or over: nothing changes any more. */
  | { readonly allowed: false; readonly reason: 'closed' }
  /** The sale has opened, and these facts are what buyers bought on. */
  | { readonly allowed: false; readonly reason: 'sale-started'; readonly fields: readonly string[] }
  /** The sale is about to open, and its seats are made from these. */
  | {
      readonly allowed: false;
      readonly reason: 'about-to-open';
      readonly fields: readonly string[];
      readonly sinceMs: number;
    }
  /** A published opening may be moved, but not to a moment that has passed: nobody would have been told. */
  | { readonly allowed: false; readonly reason: 'opens-in-the-past' }
  /** Nor may the end: tickets would have been sold after it, and the event could not be changed back. */
  | { readonly allowed: false; readonly reason: 'closes-in-the-past' };

/** What may not change once the sale has opened. */
export const lockedBySale = [
  'artistId',
  'venueId',
  'layoutId',
  'prices',
  'ticketTypes',
  'saleOpensAt',
  'phases',
] as const satisfies readonly (keyof EventFacts)[];

/** What seats and places are made from. */
export const lockedBeforeSale = ['layoutId', 'prices', 'ticketTypes'] as const satisfies readonly (keyof EventFacts)[];

/**
 * So long before the opening these stay as they are. Ticketing hears of a change later than it is made, and by another clock: what it hears
 * of after the first hold can no longer be built, and the sale would stand still.
 */
export const lockedBeforeSaleMs = 60_000;

export function judgeChange(before: StoredEvent, after: EventFacts, nowMs: number): ChangeVerdict {
  const status = eventStatus(before, nowMs);
  if (status === 'cancelled' || status === 'ended') return { allowed: false, reason: 'closed' };
  if (status === 'draft') return { allowed: true };
  if (saleHasOpened(before, nowMs)) {
    const fields = changedIn(lockedBySale, before, after);
    if (fields.length > 0) return { allowed: false, reason: 'sale-started', fields };
    const closed = after.saleClosesAt !== null && after.saleClosesAt <= nowMs;
    return closed ? { allowed: false, reason: 'closes-in-the-past' } : { allowed: true };
  }
  const fields = changedIn(lockedBeforeSale, before, after);
  const sinceMs = (before.saleOpensAt ?? Number.POSITIVE_INFINITY) - lockedBeforeSaleMs;
  if (fields.length > 0 && nowMs >= sinceMs) return { allowed: false, reason: 'about-to-open', fields, sinceMs };
  const moved = after.saleOpensAt !== before.saleOpensAt;
  if (moved && after.saleOpensAt !== null && after.saleOpensAt <= nowMs) {
    return { allowed: false, reason: 'opens-in-the-past' };
  }
  return { allowed: true };
}

function changedIn(names: readonly (keyof EventFacts)[], before: EventFacts, after: EventFacts): string[] {
  return names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
