import { seatState } from '../domain/seat.ts';

/** What `ticketing.hold_batch` must do, one request after the other, in plain objects: its executable specification. */
export interface ModelRequest {
  readonly userId: string;
  readonly reservationId: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly seatNos: readonly number[];
  readonly items: readonly { readonly ticketTypeId: string; readonly quantity: number }[];
  readonly replaces: string | null;
  readonly opensAtMs: number | null;
}

export interface ModelSeat {
  state: number;
  reservationId: string | null;
  userId: string | null;
  heldUntilMs: number | null;
  fence: number;
  step: number;
}

export interface ModelReservation {
  readonly userId: string;
  status: string;
  readonly seatNos: readonly number[];
  readonly items: ModelRequest['items'];
  readonly count: number;
  readonly expiresAtMs: number;
  readonly fence: number;
  version: number;
}

export type ModelVerdict =
  | { readonly verdict: 'granted'; readonly fence: number; readonly expiresAtMs: number }
  | { readonly verdict: 'same' | 'replayed'; readonly reservationId: string }
  | { readonly verdict: 'taken'; readonly seatNos: readonly number[] }
  | { readonly verdict: 'short'; readonly left: readonly number[] }
  | { readonly verdict: 'limit'; readonly have: number }
  | { readonly verdict: 'mismatch' | 'tier-not-open' | 'unknown-replaced' };

const holdMs = 5 * 60_000;

export class HoldModel {
  readonly seats: ModelSeat[];
  readonly left: Map<string, number>;
  readonly reservations = new Map<string, ModelReservation>();
  readonly live = new Map<string, number>();
  readonly #keys = new Map<string, { fingerprint: string; reservationId: string }>();
  readonly #limit: number;

  constructor(options: { seats: number; ticketTypes: ReadonlyMap<string, number>; limit: number }) {
    const free = {
      state: seatState.available,
      reservationId: null,
      userId: null,
      heldUntilMs: null,
      fence: 0,
      step: 0,
    };
    this.seats = Array.from({ length: options.seats }, () => ({ ...free }));
    this.left = new Map(options.ticketTypes);
    this.#limit = options.limit;
  }

  /** What is refused at sight is refused before the others are decided, in their order. */
  decide(requests: readonly ModelRequest[], nowMs: number): ModelVerdict[] {
    const atSight = requests.map((request) => this.#atSight(request, nowMs));
    return requests.map((request, n) => atSight[n] ?? this.#decideOne(request, nowMs));
  }

  #atSight(
    { userId, key, fingerprint, seatNos, items, replaces, opensAtMs }: ModelRequest,
    nowMs: number,
  ): ModelVerdict | null {
    const known = this.#keys.get(`${userId} ${key}`);
    if (known !== undefined) {
      return known.fingerprint === fingerprint
        ? { verdict: 'replayed', reservationId: known.reservationId }
        : { verdict: 'mismatch' };
    }
    if (opensAtMs === null || nowMs < opensAtMs) return { verdict: 'tier-not-open' };
    const others = seatNos.filter((no) => !this.#isFree(no, nowMs) && this.#seat(no).userId !== userId);
    if (others.length > 0) return { verdict: 'taken', seatNos: others };
    const left = items.map(({ ticketTypeId }) => this.left.get(ticketTypeId) ?? 0);
    const isShort = items.some(({ quantity }, at) => (left[at] ?? 0) < quantity);
    return isShort && replaces === null ? { verdict: 'short', left } : null;
  }

  #decideOne(request: ModelRequest, nowMs: number): ModelVerdict {
    const { userId, seatNos, items } = request;
    for (const [id, { userId: owner, status, expiresAtMs }] of this.reservations) {
      if (owner === userId && status === 'pending' && expiresAtMs <= nowMs) this.end(id, 'expired');
    }
    const notFree = seatNos.filter((no) => !this.#isFree(no, nowMs));
    const holders = new Set(notFree.map((no) => this.#seat(no).reservationId));
    const [holder] = holders;
    const held = typeof holder === 'string' ? this.reservations.get(holder) : undefined;
    const isSame =
      holders.size === 1 &&
      notFree.length === seatNos.length &&
      held?.userId === userId &&
      held.count === seatNos.length &&
      notFree.every((no) => this.#seat(no).state !== seatState.sold);
    if (isSame && typeof holder === 'string') {
      this.#keys.set(`${userId} ${request.key}`, { fingerprint: request.fingerprint, reservationId: holder });
      return { verdict: 'same', reservationId: holder };
    }

    const named = request.replaces === null ? undefined : this.reservations.get(request.replaces);
    const mine = named?.userId === userId ? named : undefined;
    const replaced = mine?.status === 'pending' ? mine : undefined;
    const others = notFree.filter((no) => this.#seat(no).userId !== userId);
    const own = notFree.filter((no) => !replaced?.seatNos.includes(no));
    if (others.length > 0) return { verdict: 'taken', seatNos: others };
    if (own.length > 0) return { verdict: 'taken', seatNos: own };
    if (request.replaces !== null && !['pending', 'expired', 'released'].includes(mine?.status ?? '')) {
      return { verdict: 'unknown-replaced' };
    }

    const back = (type: string) => replaced?.items.find(({ ticketTypeId }) => ticketTypeId === type)?.quantity ?? 0;
    const left = items.map(({ ticketTypeId }) => (this.left.get(ticketTypeId) ?? 0) + back(ticketTypeId));
    if (items.some(({ quantity }, at) => (left[at] ?? 0) < quantity)) return { verdict: 'short', left };
    const count = seatNos.length + items.reduce((sum, { quantity }) => sum + quantity, 0);
    const have = (this.live.get(userId) ?? 0) - (replaced?.count ?? 0);
    if (have + count > this.#limit) return { verdict: 'limit', have };

    const keeps = notFree.length > 0 || items.some(({ ticketTypeId }) => back(ticketTypeId) > 0);
    const expiresAtMs =
      replaced !== undefined && keeps ? Math.min(nowMs + holdMs, replaced.expiresAtMs) : nowMs + holdMs;
    if (replaced !== undefined && request.replaces !== null) this.end(request.replaces, 'released');
    return this.#grant(request, { count, expiresAtMs });
  }

  #grant(request: ModelRequest, { count, expiresAtMs }: { count: number; expiresAtMs: number }): ModelVerdict {
    const { userId, seatNos, items, reservationId } = request;
    let fence = 0;
    for (const no of seatNos) {
      const seat = this.#seat(no);
      Object.assign(seat, {
        state: seatState.held,
        reservationId,
        userId,
        heldUntilMs: expiresAtMs,
        fence: seat.fence + 1,
        step: 0,
      });
      fence = Math.max(fence, seat.fence);
    }
    for (const { ticketTypeId, quantity } of items)
      this.left.set(ticketTypeId, (this.left.get(ticketTypeId) ?? 0) - quantity);
    this.live.set(userId, (this.live.get(userId) ?? 0) + count);
    this.reservations.set(reservationId, {
      userId,
      status: 'pending',
      seatNos,
      items,
      count,
      expiresAtMs,
      fence,
      version: 1,
    });
    this.#keys.set(`${userId} ${request.key}`, { fingerprint: request.fingerprint, reservationId });
    return { verdict: 'granted', fence, expiresAtMs };
  }

  /** A pending reservation is over: what it still has comes back. */
  end(id: string, status: 'expired' | 'released'): void {
    const reservation = this.#reservation(id);
    reservation.status = status;
    reservation.version += 1;
    for (const no of reservation.seatNos) {
      const seat = this.#seat(no);
      if (seat.reservationId !== id) continue;
      Object.assign(seat, {
        state: seatState.available,
        reservationId: null,
        userId: null,
        heldUntilMs: null,
        step: seat.step + 1,
      });
    }
    for (const { ticketTypeId, quantity } of reservation.items)
      this.left.set(ticketTypeId, (this.left.get(ticketTypeId) ?? 0) + quantity);
    this.live.set(reservation.userId, (this.live.get(reservation.userId) ?? 0) - reservation.count);
  }

  /** It is being paid for, or was. */
  move(id: string, to: { status: string; seatState: number }): void {
    const reservation = this.#reservation(id);
    reservation.status = to.status;
    reservation.version += 1;
    for (const no of reservation.seatNos) {
      const seat = this.#seat(no);
      Object.assign(seat, { state: to.seatState, heldUntilMs: null, step: seat.step + 1 });
    }
  }

  #isFree(no: number, nowMs: number): boolean {
    const { state, heldUntilMs } = this.#seat(no);
    return state === seatState.available || (state === seatState.held && (heldUntilMs ?? 0) <= nowMs);
  }

  #seat(no: number): ModelSeat {
    const seat = this.seats[no];
    if (seat === undefined) throw new Error(`there is no seat ${no}`);
    return seat;
  }

  #reservation(id: string): ModelReservation {
    const reservation = this.reservations.get(id);
    if (reservation === undefined) throw new Error(`there is no reservation ${id}`);
    return reservation;
  }
}
