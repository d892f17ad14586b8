/**
 *   confirm ──▶ ISSUED(v) ──list──▶ LISTED ──sold on──▶ ISSUED(v + 1), the old code is void
 *                │  │  ▲              │
 *      check-in  │  │  └──listing ended
 *                ▼  └──cancelled──▶ VOID ◀── event cancelled
 *           CHECKED_IN
 *
 * Nothing is listed, sold on or cancelled after the doors have opened or after check-in.
 */
export const ticketStates = ['issued', 'listed', 'checked_in', 'void'] as const;
export type TicketState = (typeof ticketStates)[number];

/** What a door says to a code. */
export const checkInVerdicts = [
  'admitted',
  'used',
  'void',
  'replaced',
  'listed',
  'other_event',
  'invalid',
  'unknown',
] as const;
export type CheckInVerdict = (typeof checkInVerdicts)[number];
