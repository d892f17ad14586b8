import type { Reservation } from './reservation-types.ts';

/** How a hold stands at a moment. One that is being paid for needs no clock any more, whatever `expiresAt` says. */
export type HoldState = 'held' | 'paying' | 'booked' | 'over' | 'none';

export function holdState(reservation: Reservation | null, nowMs: number): HoldState {
  switch (reservation?.status) {
    case 'pending':
      return Date.parse(reservation.expiresAt) > nowMs ? 'held' : 'over';
    case 'paying':
    case 'waiting_for_deposit':
      return 'paying';
    case 'confirmed':
    case 'partially_cancelled':
      return 'booked';
    case 'expired':
      return 'over';
    default:
      return 'none';
  }
}

export type HoldWarning = 'minute' | 'seconds';

/** The last leaves the twenty seconds that anybody needs to react. */
const warnings = [
  { ms: 20_000, warning: 'seconds' },
  { ms: 60_000, warning: 'minute' },
] as const;

/** What to say between two looks at the clock. After a long sleep only the latest counts. */
export function holdWarning(beforeMs: number, leftMs: number): HoldWarning | null {
  if (leftMs <= 0) return null;
  return warnings.find(({ ms }) => beforeMs > ms && leftMs <= ms)?.warning ?? null;
}

/** How many tickets it is of. */
export function ticketCount({ seats, items }: Pick<Reservation, 'seats' | 'items'>): number {
  return seats.length + items.reduce((sum, { quantity }) => sum + quantity, 0);
}
