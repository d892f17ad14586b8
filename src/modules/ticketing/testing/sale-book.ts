import type { LedgerAct } from '../domain/ledger-model.ts';
import { holdTimes, type PaymentStatus, type ReservationLines, type ReservationStatus } from '../domain/reservation.ts';
import { seatState } from '../domain/seat.ts';
import type { TicketState } from '../domain/ticket.ts';

/** Rows as their tables have them: a sale that was never sold, for tests of what reads it. */
export interface BookSeat {
  event_id: string;
  seat_no: number;
  state: number;
  reservation_id: string | null;
  user_id: string | null;
  held_until: string | null;
  fence: number;
  step: number;
}

export interface BookReservation {
  id: string;
  number: string;
  event_id: string;
  user_id: string;
  status: ReservationStatus;
  payment_status: PaymentStatus;
  lines: ReservationLines;
  seat_nos: number[];
  ticket_count: number;
  fee_krw: number;
  total_krw: number;
  fence: number;
  created_at: string;
  expires_at: string;
  is_extended: boolean;
  attempt_id: string | null;
  attempts: number;
  refund_requested: boolean;
  order_id: string | null;
  paid_krw: number;
  refunded_krw: number;
  version: number;
}

export interface BookTicket {
  id: string;
  event_id: string;
  reservation_id: string;
  owner_id: string;
  seat_no: number | null;
  seat_id: string | null;
  grade: string | null;
  ticket_type_id: string | null;
  area_id: string | null;
  price_krw: number;
  fee_krw: number;
  order_id: string | null;
  state: TicketState;
  version: number;
  issued_at: string;
  checked_in_at: string | null;
  voided_at: string | null;
}

export interface BookLedgerRow {
  id: number;
  xid: string;
  at: string;
  event_id: string;
  act: LedgerAct;
  [column: string]: unknown;
}

const { available, held, paying, sold, blocked } = seatState;
/** Seats cost something, standing places do not: both are sold. */
const [seatPrice, placePrice] = [
  { priceKrw: 50_000, feeKrw: 3_000 },
  { priceKrw: 0, feeKrw: 0 },
];
const unpaid = { payment_status: 'none', attempt_id: null } as const;

/**
 * A plain sale of one event, decided one request after the other. Each act answers whether it took place: what the rules do not
 * allow does nothing, so that a test may try anything.
 */
export type SaleBook = ReturnType<typeof createSaleBook>;

export function createSaleBook(options: {
  seatCount: number;
  capacities: readonly number[];
  nextId: () => string;
  nextNumber: () => number;
}) {
  const { seatCount, capacities, nextId, nextNumber } = options;
  const eventId = nextId();
  const seats: BookSeat[] = Array.from({ length: seatCount }, (_, seat_no) => ({
    ...{ event_id: eventId, seat_no, state: available, reservation_id: null, user_id: null },
    ...{ held_until: null, fence: 0, step: 0 },
  }));
  const types = capacities.map((capacity) => ({ id: nextId(), capacity, left: capacity }));
  const reservations = new Map<string, BookReservation>();
  const tickets = new Map<string, BookTicket>();
  const ledger: BookLedgerRow[] = [];
  let nowMs = Date.parse('2027-03-01T10:00:00.000Z');
  const time = (ms = nowMs) => new Date(ms).toISOString();

  function write(act: LedgerAct, columns: Record<string, unknown>): void {
    const id = nextNumber();
    ledger.push({ id, xid: String(1_000 + id), at: time(), event_id: eventId, act, ...columns });
  }
  const isLapsed = (until: string | null) => until !== null && Date.parse(until) <= nowMs;
  const isFree = (seat: BookSeat) => seat.state === available || (seat.state === held && isLapsed(seat.held_until));
  const own = (r: BookReservation) => seats.filter((seat) => seat.reservation_id === r.id);
  const clear = { reservation_id: null, user_id: null, held_until: null };

  function moveSeats(moved: readonly BookSeat[], change: Partial<BookSeat>, isGrant = false) {
    for (const seat of moved) {
      const next = isGrant ? { fence: seat.fence + 1, step: 0 } : { step: seat.step + 1 };
      Object.assign(seat, next, change);
    }
    if (moved.length === 0) return {};
    return {
      seat_nos: moved.map((seat) => seat.seat_no),
      seat_fences: moved.map((seat) => seat.fence),
      seat_steps: moved.map((seat) => seat.step),
      seat_state: moved[0]?.state,
      held_until: moved[0]?.held_until ?? null,
    };
  }
  function giveBack(typeIds: readonly string[]) {
    const counts = types.map(({ id }) => typeIds.filter((one) => one === id).length);
    const given = types.flatMap((type, n) => (counts[n] ? [{ type, count: counts[n] ?? 0 }] : []));
    for (const { type, count } of given) type.left += count;
    if (given.length === 0) return {};
    return { ticket_type_ids: given.map(({ type }) => type.id), left_changes: given.map(({ count }) => count) };
  }
  const itemsOf = (r: BookReservation) =>
    r.lines.items.flatMap(({ ticketTypeId, quantity }) => Array<string>(quantity).fill(ticketTypeId));
  function step(r: BookReservation, act: LedgerAct, change: Partial<BookReservation>, columns: object): boolean {
    Object.assign(r, change, { version: r.version + 1 });
    const what = {
      reservation_id: r.id,
      reservation_version: r.version,
      reservation_status: r.status,
      user_id: r.user_id,
    };
    write(act, { ...what, ...columns });
    return true;
  }
  const end = (r: BookReservation, act: 'released' | 'expired') =>
    step(
      r,
      act,
      { status: act, ...unpaid },
      { ...moveSeats(own(r), { state: available, ...clear }), ...giveBack(itemsOf(r)) },
    );

  write('built', {
    cause: {
      offer: 'an offer',
      seatCount,
      ticketTypes: types.map(({ id, capacity }) => ({ ticketTypeId: id, capacity })),
    },
  });

  return {
    eventId,
    seats,
    types,
    reservations,
    tickets,
    ledger,
    wait(ms: number): void {
      nowMs += ms;
    },
    now: () => nowMs,
    time,
    /** Null: not granted. */
    hold(userId: string, seatNos: readonly number[], quantities: readonly number[] = []): string | null {
      const wanted = seatNos.flatMap((seatNo) => seats[seatNo] ?? []);
      const items = types.flatMap((type, n) => (quantities[n] ? [{ type, quantity: quantities[n] ?? 0 }] : []));
      const isPossible = wanted.every(isFree) && items.every(({ type, quantity }) => type.left >= quantity);
      if (!isPossible || wanted.length + items.length === 0) return null;
      const id = nextId();
      const expires_at = time(nowMs + holdTimes.holdMs);
      const change = { state: held, reservation_id: id, user_id: userId, held_until: expires_at };
      const columns = moveSeats(wanted, change, true);
      for (const { type, quantity } of items) type.left -= quantity;
      const reservation: BookReservation = {
        ...{ id, number: id, event_id: eventId, user_id: userId, status: 'pending', payment_status: 'none' },
        lines: {
          seats: wanted.map(({ seat_no, fence }) => ({
            seatNo: seat_no,
            seatId: `A-1-${seat_no}`,
            grade: 'R',
            fence,
            ...seatPrice,
          })),
          items: items.map(({ type, quantity }) => ({ ticketTypeId: type.id, areaId: 'F', quantity, ...placePrice })),
        },
        seat_nos: wanted.map(({ seat_no }) => seat_no),
        ticket_count: wanted.length + items.reduce((sum, { quantity }) => sum + quantity, 0),
        fee_krw: wanted.length * seatPrice.feeKrw,
        total_krw: wanted.length * (seatPrice.priceKrw + seatPrice.feeKrw),
        fence: Math.max(0, ...wanted.map(({ fence }) => fence)),
        ...{
          created_at: time(),
          expires_at,
          is_extended: false,
          attempt_id: null,
          attempts: 0,
          refund_requested: false,
        },
        ...{ order_id: null, paid_krw: 0, refunded_krw: 0, version: 0 },
      };
      reservations.set(id, reservation);
      step(
        reservation,
        'held',
        {},
        {
          ...columns,
          held_until: expires_at,
          ...(items.length > 0 && {
            ticket_type_ids: items.map(({ type }) => type.id),
            left_changes: items.map(({ quantity }) => -quantity),
          }),
        },
      );
      return id;
    },
    extend(r: BookReservation): boolean {
      if (r.status !== 'pending' || isLapsed(r.expires_at) || r.is_extended) return false;
      const latestMs = Date.parse(r.created_at) + holdTimes.holdMaxMs;
      const expires_at = time(Math.min(nowMs + holdTimes.extendedMs, latestMs));
      return step(
        r,
        'extended',
        { expires_at, is_extended: true },
        { ...moveSeats(own(r), { held_until: expires_at }), held_until: expires_at },
      );
    },
    pin(r: BookReservation): boolean {
      if (r.status !== 'pending' || isLapsed(r.expires_at)) return false;
      const attempt_id = nextId();
      return step(
        r,
        'pinned',
        { status: 'paying', payment_status: 'pending', attempt_id, attempts: r.attempts + 1 },
        { ...moveSeats(own(r), { state: paying }), cause: { attemptId: attempt_id } },
      );
    },
    unpin(r: BookReservation): boolean {
      const latestMs = Date.parse(r.created_at) + holdTimes.holdMaxMs;
      if (r.status !== 'paying' || latestMs <= nowMs) return false;
      if (r.refund_requested) return end(r, 'released');
      const expires_at = time(Math.min(nowMs + holdTimes.afterDeclineMs, latestMs));
      const columns = moveSeats(own(r), { state: held, held_until: expires_at });
      return step(r, 'unpinned', { status: 'pending', expires_at, ...unpaid }, { ...columns, held_until: expires_at });
    },
    requestRefund: (r: BookReservation): boolean =>
      ['paying', 'waiting_for_deposit'].includes(r.status) &&
      !r.refund_requested &&
      step(r, 'refund_requested', { refund_requested: true, payment_status: 'refund_requested' }, {}),
    awaitDeposit: (r: BookReservation): boolean =>
      r.status === 'paying' && step(r, 'awaiting_deposit', { status: 'waiting_for_deposit' }, {}),
    confirm(r: BookReservation): boolean {
      const isFreeHold = r.status === 'pending' && !isLapsed(r.expires_at) && r.total_krw === 0;
      const isPaid = ['paying', 'waiting_for_deposit'].includes(r.status) && !r.refund_requested;
      if (!isFreeHold && !isPaid) return false;
      const columns = moveSeats(own(r), { state: sold, held_until: null });
      const order_id = isPaid ? `order-${r.id}` : null;
      const payment = isPaid ? { payment_status: 'paid' as const, order_id, paid_krw: r.total_krw } : {};
      const cause = { attemptId: r.attempt_id, orderId: order_id, paidKrw: r.total_krw };
      const base = {
        event_id: eventId,
        reservation_id: r.id,
        owner_id: r.user_id,
        version: 1,
      };
      const times = { issued_at: time(), checked_in_at: null, voided_at: null };
      const issued = [
        ...r.lines.seats.map(({ seatNo: seat_no, seatId: seat_id, grade, priceKrw: price_krw, feeKrw: fee_krw }) => ({
          ...{ seat_no, seat_id, grade, ticket_type_id: null, area_id: null, price_krw, fee_krw, order_id },
        })),
        ...itemsOf(r).map((ticket_type_id) => ({
          ...{ seat_no: null, seat_id: null, grade: null, ticket_type_id, area_id: 'F' },
          ...{ price_krw: placePrice.priceKrw, fee_krw: placePrice.feeKrw, order_id: null },
        })),
      ].map((what): BookTicket => ({ id: nextId(), ...base, ...what, ...times, state: 'issued' }));
      for (const ticket of issued) tickets.set(ticket.id, ticket);
      const ticket_ids = issued.map(({ id }) => id);
      return step(
        r,
        'confirmed',
        { status: 'confirmed', ...payment },
        { ...columns, ticket_ids, ticket_versions: ticket_ids.map(() => 1), ticket_state: 'issued', cause },
      );
    },
    release: (r: BookReservation): boolean => r.status === 'pending' && !isLapsed(r.expires_at) && end(r, 'released'),
    expire: (r: BookReservation): boolean =>
      ((r.status === 'pending' && isLapsed(r.expires_at)) || r.status === 'waiting_for_deposit') &&
      end(r, r.refund_requested ? 'released' : 'expired'),
    /** Of its tickets only those that are issued; they come back after `delayMs`. */
    cancel(r: BookReservation, wanted: (ticket: BookTicket) => boolean, delayMs = 0): boolean {
      const all = [...tickets.values()].filter(
        ({ reservation_id, state }) => reservation_id === r.id && state !== 'void',
      );
      const voided = all.filter((ticket) => ticket.state === 'issued' && wanted(ticket));
      if (voided.length === 0) return false;
      for (const ticket of voided) Object.assign(ticket, { state: 'void', voided_at: time() });
      const freed = own(r).filter(({ seat_no }) => voided.some((ticket) => ticket.seat_no === seat_no));
      const back =
        delayMs === 0 ? { state: available, ...clear } : { state: held, ...clear, held_until: time(nowMs + delayMs) };
      const status = voided.length === all.length ? 'cancelled' : 'partially_cancelled';
      const payment_status = r.paid_krw > 0 ? 'refund_requested' : 'none';
      return step(
        r,
        'cancelled',
        { status, payment_status },
        {
          cause: { paymentStatus: payment_status },
          ...moveSeats(freed, back),
          ...giveBack(voided.flatMap(({ ticket_type_id }) => ticket_type_id ?? [])),
          ticket_ids: voided.map(({ id }) => id),
          ticket_versions: voided.map(({ version }) => version),
          ticket_state: 'void',
        },
      );
    },
    /** What its tickets that are void cost goes back, all at once. */
    refund(r: BookReservation): boolean {
      if (r.payment_status !== 'refund_requested' || r.paid_krw === 0) return false;
      const voided = [...tickets.values()].filter(
        ({ reservation_id, state }) => reservation_id === r.id && state === 'void',
      );
      const refunded_krw = voided.reduce((sum, { price_krw, fee_krw }) => sum + price_krw + fee_krw, 0);
      const payment_status = refunded_krw === r.paid_krw ? 'refunded' : 'partially_refunded';
      const cause = { attemptId: r.attempt_id, refundedKrw: refunded_krw, paymentStatus: payment_status };
      return step(r, 'refunded', { refunded_krw, payment_status }, { cause });
    },
    returnSeats(): boolean {
      const due = seats.filter(
        (seat) => seat.state === held && seat.reservation_id === null && isLapsed(seat.held_until),
      );
      if (due.length > 0) write('returned', moveSeats(due, { state: available, ...clear }));
      return due.length > 0;
    },
    block(seatNo: number): boolean {
      const seat = seats[seatNo];
      if (seat === undefined || !isFree(seat)) return false;
      write('blocked', moveSeats([seat], { state: blocked, ...clear }));
      return true;
    },
    unblock(seatNo: number): boolean {
      const seat = seats[seatNo];
      if (seat?.state !== blocked) return false;
      write('unblocked', moveSeats([seat], { state: available }));
      return true;
    },
    checkIn(ticket: BookTicket): boolean {
      if (ticket.state !== 'issued') return false;
      Object.assign(ticket, { state: 'checked_in', checked_in_at: time() });
      const what = { ticket_ids: [ticket.id], ticket_versions: [ticket.version], ticket_state: 'checked_in' };
      write('checked_in', { ...what, reservation_id: ticket.reservation_id });
      return true;
    },
    liveOf(userId: string): number {
      const mine = [...reservations.values()].filter(({ user_id }) => user_id === userId);
      const open = mine.filter(({ status }) => ['pending', 'paying', 'waiting_for_deposit'].includes(status));
      const live = [...tickets.values()].filter(({ owner_id, state }) => owner_id === userId && state !== 'void');
      return open.reduce((sum, { ticket_count }) => sum + ticket_count, 0) + live.length;
    },
  };
}
