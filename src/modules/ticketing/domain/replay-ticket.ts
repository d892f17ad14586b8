import { nameOf, type TicketHistory, type TicketRow, type TicketStep, timeOf } from './ledger-model.ts';
import { refundOf } from './refund-terms.ts';
import { seatState } from './seat.ts';
import type { TicketState } from './ticket.ts';

/** The arrows of `ticket.ts` that are walked so far: nothing is listed yet. */
const moves: Readonly<Record<TicketState, readonly TicketState[]>> = {
  issued: ['checked_in', 'void'],
  listed: [],
  checked_in: [],
  void: [],
};

/** What does not fit in the history of one ticket, or between it and the row as it stands. */
export function replayTicket({ ticketId, steps, row }: TicketHistory): string | null {
  const name = `ticket ${ticketId}`;
  const [first, ...rest] = steps;
  if (first === undefined) return `${name} exists, and the ledger knows nothing of it`;
  if (row === null) return `${nameOf(first)} issued ${name}, which does not exist`;
  if (first.act !== 'confirmed' || first.state !== 'issued' || first.version !== 1)
    return `${nameOf(first)} cannot be the first of ${name}: it makes it ${first.state} with version ${first.version}`;
  let last: TicketStep = first;
  for (const step of rest) {
    if (!moves[last.state].includes(step.state))
      return `${nameOf(step)} takes ${name} from ${last.state} to ${step.state}`;
    if (step.version !== last.version)
      return `${nameOf(step)} gives ${name} version ${step.version}, and ${last.version} was due`;
    last = step;
  }
  if (row.state !== last.state) return `${name} is ${row.state}; by the ledger it is ${last.state}`;
  if (row.version !== last.version) return `${name} has version ${row.version}; by the ledger it has ${last.version}`;
  if (row.reservationId !== first.reservationId)
    return `${name} is of reservation ${row.reservationId}; it was issued for ${first.reservationId}`;
  // Both are those of the confirmation: nothing is sold on yet.
  if (row.ownerId !== first.userId) return `${name} is of user ${row.ownerId}; it was issued to user ${first.userId}`;
  const orderId = row.priceKrw + row.feeKrw > 0 ? first.orderId : null;
  if (row.orderId !== orderId) return `${name} was paid for by order ${row.orderId}; by the ledger it is ${orderId}`;
  return strangenessOf(name, row) ?? refundProblem(name, row, last);
}

/** Whether what goes back for a void ticket is what its terms say of the moment when it was cancelled. */
function refundProblem(name: string, row: TicketRow, { at, inFull, showsAt }: TicketStep): string | null {
  const { refundKrw, issuedAt: bookedAt } = row;
  if (row.state !== 'void' || inFull === null || showsAt === null)
    return refundKrw === null ? null : `${name} gives ${refundKrw} won back, of which the ledger knows nothing`;
  const due = refundOf({ ...row, bookedAt, showsAt: Math.max(showsAt, row.showsAt ?? showsAt) }, at, { inFull });
  if (refundKrw === due.refundKrw) return null;
  return `${name} gives ${refundKrw} won back; by its terms it is ${due.refundKrw} (${due.rule}, ${timeOf(at)})`;
}

/** Whether the row fits its reservation and its seat. */
function strangenessOf(name: string, row: TicketRow): string | null {
  const { reservation, seat, seatNo, ticketTypeId } = row;
  if (reservation === null) return `${name} is of reservation ${row.reservationId}, which does not exist`;
  if (!reservation.isOfEvent) return `${name} and its reservation ${row.reservationId} are of two events`;
  const line =
    seatNo === null
      ? reservation.lines.items.find((item) => item.ticketTypeId === ticketTypeId)
      : reservation.lines.seats.find((seat) => seat.seatNo === seatNo);
  if (line === undefined) return `${name} is for what reservation ${row.reservationId} was never granted`;
  const [own, granted] = [describedLine(row), describedLine(line)];
  if (own !== granted) return `${name} is for ${own}; reservation ${row.reservationId} was granted ${granted}`;
  if (row.state === 'void') return null;
  if (reservation.status !== 'confirmed' && reservation.status !== 'partially_cancelled')
    return `${name} is ${row.state}, and its reservation ${row.reservationId} is ${reservation.status}`;
  if (seatNo !== null && (seat?.state !== seatState.sold || seat.reservationId !== row.reservationId))
    return `${name} is ${row.state}, and seat ${seatNo} is not sold to its reservation ${row.reservationId}`;
  return null;
}

type Line = Partial<Pick<TicketRow, 'seatId' | 'grade' | 'areaId'>> & Pick<TicketRow, 'priceKrw' | 'feeKrw'>;

function describedLine({ seatId, grade, areaId, priceKrw, feeKrw }: Line): string {
  const what = seatId ? `seat ${seatId} of grade ${grade}` : `area ${areaId}`;
  return `${what} at ${priceKrw} won and a fee of ${feeKrw}`;
}
