import type { Reservation } from '../seats/seat-types.ts';
import { attemptIntent, type IntentAttemptOptions } from './intent-attempt.ts';

/** Asks for a hold until the outcome is known. */
export function attemptHold(options: Omit<IntentAttemptOptions<Reservation>, 'isOver'>): Promise<Reservation> {
  return attemptIntent({ ...options, isOver: isGivenUp });
}

function isGivenUp({ status }: Reservation): boolean {
  return status === 'released' || status === 'expired' || status === 'cancelled';
}
