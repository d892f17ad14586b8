import {
  isLapsed,
  type LedgerAct,
  nameOf,
  type SeatHistory,
  type SeatRow,
  type SeatStep,
  timeOf,
} from './ledger-model.ts';
import { type SeatState, seatState } from './seat.ts';

interface Standing {
  readonly state: SeatState;
  readonly fence: number;
  readonly step: number;
  readonly heldUntil: number | null;
  readonly reservationId: string | null;
}

interface Move {
  readonly needs: string;
  readonly from: (seat: Standing, step: SeatStep) => boolean;
  readonly to: readonly SeatState[];
}

const { available, held, paying, sold, blocked } = seatState;
const isFree = (seat: Standing, step: SeatStep) =>
  seat.state === available || (seat.state === held && isLapsed(seat.heldUntil, step.at));
const isOwn = (seat: Standing, step: SeatStep) =>
  step.reservationId !== null && seat.reservationId === step.reservationId;
const isOwnIn =
  (...states: readonly SeatState[]) =>
  (seat: Standing, step: SeatStep) =>
    isOwn(seat, step) && states.includes(seat.state);
const isOwnRunning = (seat: Standing, step: SeatStep) =>
  isOwn(seat, step) && seat.state === held && !isLapsed(seat.heldUntil, step.at);

/** The arrows of `seat.ts`. An act that is not here moves no seat. */
const moves: Partial<Record<LedgerAct, Move>> = {
  held: { needs: 'a free seat', from: isFree, to: [held] },
  extended: { needs: 'its own hold that has not lapsed', from: isOwnRunning, to: [held] },
  pinned: { needs: 'its own hold that has not lapsed', from: isOwnRunning, to: [paying] },
  unpinned: { needs: 'its own seat in payment', from: isOwnIn(paying), to: [held] },
  confirmed: {
    needs: 'its own seat in payment, or its own hold that has not lapsed',
    from: (seat, step) => isOwnIn(paying)(seat, step) || isOwnRunning(seat, step),
    to: [sold],
  },
  released: { needs: 'its own seat, held or in payment', from: isOwnIn(held, paying), to: [available] },
  expired: {
    needs: 'its own hold that has lapsed, or its own seat in payment',
    from: (seat, step) => isOwn(seat, step) && (seat.state === paying || isLapsed(seat.heldUntil, step.at)),
    to: [available],
  },
  cancelled: { needs: 'its own sold seat', from: isOwnIn(sold), to: [available, held] },
  returned: {
    needs: 'a seat that nobody holds and whose delay is over',
    from: (seat, step) => seat.state === held && seat.reservationId === null && isLapsed(seat.heldUntil, step.at),
    to: [available],
  },
  blocked: { needs: 'a free seat', from: isFree, to: [blocked] },
  unblocked: { needs: 'a blocked seat', from: (seat) => seat.state === blocked, to: [available] },
};

const asBuilt: Standing = { state: available, fence: 0, step: 0, heldUntil: null, reservationId: null };

/** What does not fit in the history of one seat, or between it and the row as it stands. */
export function replaySeat(
  { seatNo, steps, row }: SeatHistory,
  built: { readonly builds: number; readonly seatCount: number },
): string | null {
  let seat = asBuilt;
  let build = 1;
  for (const step of steps) {
    if (step.build < 1) return `${nameOf(step)} moves seat ${seatNo} before any seat was built`;
    if (step.build > build) {
      if (!isFree(seat, step) && seat.state !== blocked)
        return `the seats were built again while seat ${seatNo} was ${described(seat)}`;
      seat = asBuilt;
      build = step.build;
    }
    const problem = problemOf(seat, step);
    if (problem !== null) return `${nameOf(step)} ${problem} (seat ${seatNo} was ${described(seat)})`;
    seat = after(step);
  }
  if (build < built.builds) seat = asBuilt;
  if (seatNo >= built.seatCount && row === null) return null;
  if (seatNo >= built.seatCount) return `seat ${seatNo} exists, but only ${built.seatCount} seats were built`;
  if (row === null) return `seat ${seatNo} does not exist, although ${built.seatCount} seats were built`;
  return differenceOf(seatNo, seat, row) ?? strangenessOf(seatNo, row);
}

function problemOf(seat: Standing, step: SeatStep): string | null {
  const move = moves[step.act];
  if (move === undefined) return 'names seats, although this act moves none';
  if (step.fence === null || step.step === null) return 'has fewer fences or steps than seats';
  const isGrant = step.act === 'held';
  const next = isGrant ? { fence: seat.fence + 1, step: 0 } : { fence: seat.fence, step: seat.step + 1 };
  if (step.fence !== next.fence || step.step !== next.step)
    return `has fence ${step.fence} step ${step.step} where fence ${next.fence} step ${next.step} was due`;
  if (!move.from(seat, step)) return `needs ${move.needs}`;
  if (!move.to.includes(step.state)) return `leaves the seat in state ${step.state}`;
  if (step.state === held && (step.heldUntil === null || step.heldUntil <= step.at))
    return `holds the seat until ${timeOf(step.heldUntil)}, which is not ahead`;
  return null;
}

function after({ state, fence, step, act, heldUntil, reservationId }: SeatStep): Standing {
  const hasOwner = (state === held && act !== 'cancelled') || state === paying || state === sold;
  return {
    state,
    fence,
    step,
    heldUntil: state === held ? heldUntil : null,
    reservationId: hasOwner ? reservationId : null,
  };
}

function differenceOf(seatNo: number, seat: Standing, row: SeatRow): string | null {
  const heldUntil = row.state === held ? row.heldUntil : null;
  const same =
    seat.state === row.state &&
    seat.fence === row.fence &&
    seat.step === row.step &&
    seat.heldUntil === heldUntil &&
    seat.reservationId === row.reservationId;
  return same ? null : `seat ${seatNo} is ${described({ ...row, heldUntil })}; by the ledger it is ${described(seat)}`;
}

/** Whether the row fits the reservation and the tickets beside it. */
function strangenessOf(seatNo: number, row: SeatRow): string | null {
  const { reservation, ticketsOf } = row;
  if (ticketsOf.length > 1)
    return `seat ${seatNo} has ${ticketsOf.length} live tickets, of reservations ${ticketsOf.join(', ')}`;
  if (row.state === sold && ticketsOf[0] !== row.reservationId)
    return `seat ${seatNo} is sold to reservation ${row.reservationId}, and its live ticket is ${ticketsOf[0] === undefined ? 'missing' : `of reservation ${ticketsOf[0]}`}`;
  if (row.state !== sold && ticketsOf.length > 0)
    return `seat ${seatNo} is ${described(row)}, and reservation ${ticketsOf[0]} has a live ticket for it`;
  if (row.reservationId === null) return null;
  if (reservation === null) return `seat ${seatNo} names reservation ${row.reservationId}, which does not exist`;
  if (reservation.userId !== row.userId)
    return `seat ${seatNo} names user ${row.userId}, but reservation ${row.reservationId} is of user ${reservation.userId}`;
  if (!(ownersOf[row.state] ?? []).includes(reservation.status))
    return `seat ${seatNo} is ${described(row)}, and that reservation is ${reservation.status}`;
  if (row.state === held && row.heldUntil !== reservation.expiresAt)
    return `seat ${seatNo} is held until ${timeOf(row.heldUntil)}, but reservation ${row.reservationId} ends at ${timeOf(reservation.expiresAt)}`;
  return null;
}

/** In which status a reservation has seats in this state. */
const ownersOf: Partial<Record<SeatState, readonly string[]>> = {
  [held]: ['pending'],
  [paying]: ['paying', 'waiting_for_deposit'],
  [sold]: ['confirmed', 'partially_cancelled'],
};

function described({ state, fence, step, heldUntil, reservationId }: Standing): string {
  const names = ['available', 'held', 'in payment', 'sold', 'blocked'];
  const until = state === held ? ` until ${timeOf(heldUntil)}` : '';
  return `${names[state] ?? `in state ${state}`}${until} by ${reservationId === null ? 'nobody' : `reservation ${reservationId}`} at fence ${fence} step ${step}`;
}
