import type { SeatShield, TicketingDeps } from '../ports.ts';
import type { FreedSeat } from '../storage/transitions.ts';

/** What follows a transition outside the database. Losing it costs little: a poll of the relay, or the shield's three seconds. */
export interface Aftermath {
  /** A transition has committed: its events can be sent, and these seats can be had again. */
  follow(freed?: readonly FreedSeat[]): void;
}

export function createAftermath({ bus, shield }: Pick<TicketingDeps, 'bus' | 'shield'>): Aftermath {
  return {
    follow(freed = []) {
      bus.wakeRelays();
      if (shield !== null) drop(shield, freed);
    },
  };
}

function drop(shield: SeatShield, freed: readonly FreedSeat[]): void {
  for (const eventId of new Set(freed.map((seat) => seat.eventId)))
    shield.drop(
      eventId,
      freed.filter((seat) => seat.eventId === eventId),
    );
}
