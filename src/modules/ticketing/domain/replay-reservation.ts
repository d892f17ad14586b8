import {
  isLapsed,
  type LedgerAct,
  type Micros,
  nameOf,
  type ReservationHistory,
  type ReservationRow,
  type ReservationStep,
  timeOf,
} from './ledger-model.ts';
import { afterStep, type Paid, paidDifference, unpaid } from './replay-payment.ts';
import { holdTimes, type ReservationStatus } from './reservation.ts';

type Arrow = readonly [from: ReservationStatus, to: ReservationStatus];

const bought = ['confirmed', 'partially_cancelled', 'cancelled'] as const;
const unchanged = (...statuses: readonly ReservationStatus[]): readonly Arrow[] => statuses.map((one) => [one, one]);

/** The arrows of `reservation.ts`; the first, to `pending` by `held`, has no beginning. */
const moves: Partial<Record<LedgerAct, readonly Arrow[]>> = {
  extended: unchanged('pending'),
  released: [
    ['pending', 'released'],
    ['paying', 'released'],
    ['waiting_for_deposit', 'released'],
  ],
  expired: [
    ['pending', 'expired'],
    ['paying', 'expired'],
    ['waiting_for_deposit', 'expired'],
  ],
  pinned: [['pending', 'paying']],
  unpinned: [['paying', 'pending']],
  awaiting_deposit: [['paying', 'waiting_for_deposit']],
  confirmed: [
    ['pending', 'confirmed'],
    ['paying', 'confirmed'],
    ['waiting_for_deposit', 'confirmed'],
  ],
  refund_requested: unchanged('paying', 'waiting_for_deposit'),
  cancelled: [
    ['confirmed', 'partially_cancelled'],
    ['confirmed', 'cancelled'],
    ['partially_cancelled', 'partially_cancelled'],
    ['partially_cancelled', 'cancelled'],
  ],
  refunded: unchanged(...bought, 'expired', 'released'),
  rejected: unchanged('pending', 'paying', 'waiting_for_deposit', 'expired', 'released', ...bought),
};

const countsAll = (status: ReservationStatus): boolean =>
  status === 'pending' || status === 'paying' || status === 'waiting_for_deposit' || status === 'confirmed';

/** What does not fit in the history of one reservation, or between it and the row as it stands. */
export function replayReservation({ reservationId, steps, row }: ReservationHistory, now: Micros): string | null {
  const name = `reservation ${reservationId}`;
  const [first] = steps;
  if (first === undefined) return `${name} exists, and the ledger knows nothing of it`;
  if (row === null) return `${nameOf(first)} made ${name}, which does not exist`;
  const fences = new Map(first.seatNos?.map((seatNo, n) => [seatNo, first.seatFences?.[n]]));
  const places = new Map<string, number>();
  let last: ReservationStep | null = null;
  let heldUntil: Micros | null = null;
  let paid: Paid = unpaid;
  for (const step of steps) {
    const payment = afterStep(paid, step, { from: last?.status ?? null, totalKrw: row.totalKrw });
    const problem =
      orderProblem(last, step) ??
      moveProblem(last, step, heldUntil) ??
      endProblem(first, step) ??
      seatsProblem(step, fences) ??
      placesProblem(step, places) ??
      payment.problem ??
      (step.userId === first.userId ? null : `names user ${step.userId}; it was granted to user ${first.userId}`);
    if (problem !== null) return `${nameOf(step)} ${problem} (${name})`;
    last = step;
    paid = payment.paid;
    heldUntil = step.heldUntil ?? heldUntil;
  }
  if (last === null) return null;
  return (
    granted(name, first, row) ??
    differenceOf(name, last, heldUntil, row) ??
    paidDifference(name, paid, row) ??
    balanceOf(name, row, places, now) ??
    refundsProblem(name, steps, row)
  );
}

/** What goes back for its cancellations, its tickets and by the ledger is one sum. */
function refundsProblem(name: string, steps: readonly ReservationStep[], row: ReservationRow): string | null {
  const told = steps.reduce((sum, { act, cause }) => sum + (act === 'cancelled' ? (cause.refundKrw ?? 0) : 0), 0);
  const { ticketRefundsKrw, cancellationRefundsKrw } = row;
  if (told === ticketRefundsKrw && told === cancellationRefundsKrw) return null;
  return `${name} gives ${ticketRefundsKrw} won back for its tickets and ${cancellationRefundsKrw} for its cancellations; by the ledger it is ${told}`;
}

function orderProblem(last: ReservationStep | null, { version }: ReservationStep): string | null {
  const due = (last?.version ?? 0) + 1;
  return version === due ? null : `makes version ${version} where version ${due} was due`;
}

function moveProblem(last: ReservationStep | null, step: ReservationStep, heldUntil: Micros | null): string | null {
  if (last === null) {
    if (step.act !== 'held' || step.status !== 'pending') return `cannot be the first: it makes it ${step.status}`;
  } else if (!moves[step.act]?.some(([from, to]) => from === last.status && to === step.status)) {
    return `takes it from ${last.status} to ${step.status}`;
  }
  if (step.act === 'expired' && last?.status === 'pending' && heldUntil !== null && !isLapsed(heldUntil, step.at))
    return `ends it before ${timeOf(heldUntil)}`;
  return null;
}

/** A hold never lasts beyond its limit; the deadline of a deposit may. */
function endProblem(first: ReservationStep, { status, heldUntil }: ReservationStep): string | null {
  const latest = first.at + holdTimes.holdMaxMs * 1_000;
  if (status !== 'pending' || heldUntil === null || heldUntil <= latest) return null;
  return `holds it until ${timeOf(heldUntil)}, and ${timeOf(latest)} is the latest`;
}

/** Only seats that it was granted, under the fence of that grant. */
function seatsProblem(step: ReservationStep, fences: ReadonlyMap<number, number | undefined>): string | null {
  const strange = step.seatNos?.find((seatNo, n) => fences.get(seatNo) !== step.seatFences?.[n]);
  if (strange !== undefined) return `moves seat ${strange}, which was not granted with that fence`;
  const moved = step.seatNos?.length ?? 0;
  const movesAll =
    step.act === 'pinned' || step.act === 'unpinned' || step.act === 'confirmed' || step.act === 'extended';
  if (movesAll && moved !== fences.size) return `moves ${moved} of its ${fences.size} seats`;
  return null;
}

/** What it has taken of each ticket type; nothing is given back that was not taken. */
function placesProblem(step: ReservationStep, places: Map<string, number>): string | null {
  for (const [n, typeId] of (step.ticketTypeIds ?? []).entries()) {
    const change = step.leftChanges?.[n] ?? 0;
    const taken = (places.get(typeId) ?? 0) - change;
    places.set(typeId, taken);
    if (step.act === 'held' ? change >= 0 : change <= 0)
      return `changes what is left of ticket type ${typeId} by ${change}`;
    if (taken < 0) return `gives back more of ticket type ${typeId} than was taken`;
  }
  return null;
}

/** The row keeps what was granted. */
function granted(name: string, first: ReservationStep, row: ReservationRow): string | null {
  const seats = row.lines.seats.map(({ seatNo, fence }) => `${seatNo} fence ${fence}`);
  const told = (first.seatNos ?? []).map((seatNo, n) => `${seatNo} fence ${first.seatFences?.[n]}`);
  if (!sameList(seats, told)) return `${name} has seats [${seats}]; it was granted [${told}]`;
  if (
    !sameList(
      row.seatNos.map(String),
      row.lines.seats.map(({ seatNo }) => String(seatNo)),
    )
  )
    return `${name} has seat numbers [${row.seatNos}], which are not those of its lines`;
  const items = row.lines.items.map(({ ticketTypeId, quantity }) => `${ticketTypeId} ${-quantity}`);
  const taken = (first.ticketTypeIds ?? []).map((typeId, n) => `${typeId} ${first.leftChanges?.[n]}`);
  if (!sameList(items, taken)) return `${name} has items [${items}]; it was granted [${taken}]`;
  const count = seats.length + row.lines.items.reduce((sum, { quantity }) => sum + quantity, 0);
  if (count !== row.ticketCount) return `${name} counts ${row.ticketCount} tickets and has lines for ${count}`;
  if (row.fence !== Math.max(0, ...row.lines.seats.map(({ fence }) => fence)))
    return `${name} has fence ${row.fence}, which is not the largest of its seats`;
  if (first.userId !== row.userId) return `${name} is of user ${row.userId}; it was granted to user ${first.userId}`;
  return sumsProblem(name, row) ?? linesProblem(name, first, row);
}

/** One price beside the other: a wrong one is named more plainly so than by the fingerprint. */
function sumsProblem(name: string, { lines, feeKrw, totalKrw }: ReservationRow): string | null {
  const each = [...lines.seats.map((seat) => ({ ...seat, quantity: 1 })), ...lines.items];
  const fees = each.reduce((sum, line) => sum + line.quantity * line.feeKrw, 0);
  const total = fees + each.reduce((sum, line) => sum + line.quantity * line.priceKrw, 0);
  if (fees !== feeKrw) return `${name} has fees of ${feeKrw} won; its lines come to ${fees}`;
  return total === totalKrw ? null : `${name} costs ${totalKrw} won; its lines come to ${total}`;
}

function linesProblem(name: string, first: ReservationStep, row: ReservationRow): string | null {
  if (first.cause.lines === row.linesFingerprint) return null;
  return `${name} has lines with the fingerprint ${row.linesFingerprint}; it was granted ${first.cause.lines}`;
}

function differenceOf(
  name: string,
  last: ReservationStep,
  heldUntil: Micros | null,
  row: ReservationRow,
): string | null {
  if (row.status !== last.status) return `${name} is ${row.status}; by the ledger it is ${last.status}`;
  if (row.version !== last.version) return `${name} has version ${row.version}; by the ledger it has ${last.version}`;
  if (row.status === 'pending' && heldUntil !== null && row.expiresAt !== heldUntil)
    return `${name} ends at ${timeOf(row.expiresAt)}; by the ledger it ends at ${timeOf(heldUntil)}`;
  return null;
}

/** What the reservation takes up of seats, places and tickets must be what its status says. */
function balanceOf(name: string, row: ReservationRow, places: ReadonlyMap<string, number>, now: Micros): string | null {
  const isSold = row.status === 'confirmed' || row.status === 'partially_cancelled';
  const live = row.liveSeatTickets + row.liveTicketTypes.length;
  const due = row.status === 'confirmed' ? row.ticketCount : isSold ? null : 0;
  if (due !== null && live !== due) return `${name} is ${row.status} and has ${live} live tickets instead of ${due}`;
  if (row.status === 'partially_cancelled' && (live === 0 || live >= row.ticketCount))
    return `${name} is partially_cancelled and has ${live} live tickets of ${row.ticketCount}`;
  const seats = isSold ? row.liveSeatTickets : countsAll(row.status) ? row.seatNos.length : 0;
  // A lapsed hold loses its seats one by one to others.
  const mayHaveFewer = row.status === 'pending' && isLapsed(row.expiresAt, now);
  if (row.ownSeats > seats || (row.ownSeats < seats && !mayHaveFewer))
    return `${name} is ${row.status} and ${row.ownSeats} seats stand in its name instead of ${seats}`;
  for (const { ticketTypeId, quantity } of row.lines.items) {
    const inUse = isSold
      ? row.liveTicketTypes.filter((id) => id === ticketTypeId).length
      : countsAll(row.status)
        ? quantity
        : 0;
    const taken = places.get(ticketTypeId) ?? 0;
    if (taken !== inUse)
      return `${name} is ${row.status} and has ${taken} places of ticket type ${ticketTypeId} instead of ${inUse}`;
  }
  return null;
}

const sameList = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && [...left].sort().join() === [...right].sort().join();
