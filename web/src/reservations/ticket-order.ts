import type { Ticket } from './reservation-types.ts';

/** Tickets that open a door some time, the next show first; and those that no longer do, the newest first. */
export function orderTickets(tickets: readonly Ticket[], nowMs: number) {
  const startOf = (ticket: Ticket) => Date.parse(ticket.event.startsAt);
  const isGood = (ticket: Ticket) =>
    ticket.state !== 'void' && !ticket.event.cancelled && startOf(ticket) + showLengthMs > nowMs;
  const bySeat = (a: Ticket, b: Ticket) => seatKey(a).localeCompare(seatKey(b), undefined, { numeric: true });
  return {
    good: tickets.filter(isGood).sort((a, b) => startOf(a) - startOf(b) || bySeat(a, b)),
    over: tickets.filter((ticket) => !isGood(ticket)).sort((a, b) => startOf(b) - startOf(a) || bySeat(a, b)),
  };
}

const showLengthMs = 6 * 3_600_000;

function seatKey({ seat, id }: Ticket): string {
  return seat === null ? id : `${seat.section} ${seat.row} ${seat.label}`;
}
