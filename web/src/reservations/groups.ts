import type { Reservation } from './reservation-types.ts';

export const groupNames = ['upcoming', 'past', 'cancelled'] as const;
export type GroupName = (typeof groupNames)[number];

/** Under which heading a booking stands. `startsAtMs` is null while the event is not known: better in sight than hidden. */
export function groupOf(reservation: Reservation, startsAtMs: number | null, nowMs: number): GroupName {
  if (isOver(reservation, nowMs)) return 'cancelled';
  return startsAtMs !== null && startsAtMs + showLengthMs < nowMs ? 'past' : 'upcoming';
}

/** A show is not past while one sits in it. */
const showLengthMs = 6 * 3_600_000;

function isOver({ status, expiresAt }: Reservation, nowMs: number): boolean {
  if (status === 'pending') return Date.parse(expiresAt) <= nowMs;
  return status === 'cancelled' || status === 'expired' || status === 'released';
}
