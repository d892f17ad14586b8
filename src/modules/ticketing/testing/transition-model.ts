import type { ReservationStatus } from '../domain/reservation.ts';

/** What the SQL functions should do, said once more as plainly as possible: one thing at a time, in memory, without locks. */

export interface ModelAttempt {
  readonly of: ModelReservation;
  state: 'new' | 'pinned' | 'unpinned' | 'waiting' | 'confirmed' | 'failed' | 'rejected' | 'reversed';
  hasEnded: boolean;
}

export interface ModelReservation {
  readonly seatNos: readonly number[];
  readonly places: number;
  readonly createdMs: number;
  status: ReservationStatus;
  expiresMs: number;
  isExtended: boolean;
  attempts: number;
  by: ModelAttempt | null;
  refundRequested: boolean;
  /** Tickets that are not void: of its seats, and how many of its places. */
  seatTickets: number[];
  placeTickets: number;
}

const minuteMs = 60_000;
const settled: readonly ModelAttempt['state'][] = ['confirmed', 'rejected', 'reversed'];

export class TransitionModel {
  nowMs: number;
  placesLeft: number;
  isCancelled = false;
  readonly reservations: ModelReservation[] = [];
  readonly owners = new Map<number, ModelReservation>();

  constructor(start: { nowMs: number; places: number }) {
    this.nowMs = start.nowMs;
    this.placesLeft = start.places;
  }

  private isLapsed = (r: ModelReservation) => r.status === 'pending' && r.expiresMs <= this.nowMs;
  private isPaying = (r: ModelReservation) => r.status === 'paying' || r.status === 'waiting_for_deposit';

  hold(seatNos: readonly number[], places: number): ModelReservation | null {
    const isTaken = (seatNo: number) => {
      const owner = this.owners.get(seatNo);
      return owner !== undefined && !this.isLapsed(owner);
    };
    if (seatNos.some(isTaken) || places > this.placesLeft) return null;
    const r: ModelReservation = {
      ...{ seatNos, places, createdMs: this.nowMs, status: 'pending', expiresMs: this.nowMs + 5 * minuteMs },
      ...{ isExtended: false, attempts: 0, by: null, refundRequested: false, seatTickets: [], placeTickets: 0 },
    };
    this.placesLeft -= places;
    for (const seatNo of seatNos) this.owners.set(seatNo, r);
    this.reservations.push(r);
    return r;
  }

  prepare(r: ModelReservation): string {
    if (this.isPaying(r)) return 'paying';
    if (r.status === 'expired' || this.isLapsed(r)) return 'expired';
    if (r.status !== 'pending' || this.isCancelled) return 'closed';
    if (r.attempts >= 3) return 'attempts_used';
    const until = Math.min(this.nowMs + 5 * minuteMs, r.createdMs + 10 * minuteMs);
    if (!r.isExtended && r.expiresMs < until) Object.assign(r, { isExtended: true, expiresMs: until });
    return 'ready';
  }

  pin(attempt: ModelAttempt): string {
    const r = attempt.of;
    if (attempt.hasEnded) return 'attempt_ended';
    if (this.isPaying(r)) return r.by === attempt ? 'pinned' : 'pinned_by_another';
    if (r.status === 'expired' || this.isLapsed(r)) return 'expired';
    if (r.status !== 'pending' || this.isCancelled) return 'closed';
    if (r.attempts >= 3) return 'attempts_used';
    Object.assign(r, { status: 'paying', by: attempt, attempts: r.attempts + 1 });
    attempt.state = 'pinned';
    return 'pinned';
  }

  unpin(attempt: ModelAttempt): boolean {
    if (attempt.of.status !== 'paying' || attempt.of.by !== attempt) return false;
    Object.assign(attempt, { state: 'unpinned', hasEnded: true });
    this.declined(attempt.of);
    return true;
  }

  apply(attempt: ModelAttempt, outcome: 'waiting' | 'failed' | 'confirmed' | 'refunded' | 'reversed'): void {
    const r = attempt.of;
    const isPinned = this.isPaying(r) && r.by === attempt;
    if (outcome === 'waiting') {
      if (attempt.state !== 'pinned') return;
      attempt.state = 'waiting';
      if (r.status === 'paying' && isPinned)
        Object.assign(r, { status: 'waiting_for_deposit', expiresMs: this.nowMs + 30 * minuteMs });
      return;
    }
    attempt.hasEnded = true;
    if (outcome === 'failed') {
      if (settled.includes(attempt.state)) return;
      attempt.state = 'failed';
      if (isPinned) this.lost(r);
      return;
    }
    if (!settled.includes(attempt.state)) {
      attempt.state = isPinned && !r.refundRequested ? 'confirmed' : 'rejected';
      if (attempt.state === 'confirmed')
        Object.assign(r, { status: 'confirmed', seatTickets: [...r.seatNos], placeTickets: r.places });
      else if (isPinned) this.end(r, 'released');
    }
    if (outcome === 'confirmed' || r.by !== attempt || attempt.state === 'rejected') return;
    this.void(r, r.seatTickets, r.placeTickets);
    if (outcome === 'reversed') attempt.state = 'reversed';
  }

  /** `part`: one ticket of a seat, else of a place. */
  cancel(r: ModelReservation, part: boolean): string {
    if (r.status === 'expired' || this.isLapsed(r)) return 'expired';
    if (r.status === 'confirmed' || r.status === 'partially_cancelled') {
      if (!part) this.void(r, r.seatTickets, r.placeTickets);
      else if (r.seatTickets.length > 0) this.void(r, r.seatTickets.slice(0, 1), 0);
      else this.void(r, [], 1);
      return 'cancelled';
    }
    if (r.status === 'cancelled' || r.status === 'released') return r.status;
    if (r.status === 'pending') {
      this.end(r, 'released');
      return 'released';
    }
    r.refundRequested = true;
    return 'refund_requested';
  }

  sweep(): void {
    for (const r of this.reservations) if (this.isLapsed(r)) this.end(r, 'expired');
  }

  cancelEvent(): void {
    this.isCancelled = true;
    for (const r of this.reservations) {
      if (r.status === 'pending') this.end(r, 'released');
      else if (this.isPaying(r)) r.refundRequested = true;
      else if (r.status === 'confirmed' || r.status === 'partially_cancelled')
        this.void(r, r.seatTickets, r.placeTickets);
    }
  }

  private lost(r: ModelReservation): void {
    if (r.status === 'paying') this.declined(r);
    else this.end(r, r.refundRequested ? 'released' : 'expired');
  }

  private declined(r: ModelReservation): void {
    const until = Math.min(Math.max(r.expiresMs, this.nowMs + 2 * minuteMs), r.createdMs + 10 * minuteMs);
    if (r.refundRequested) this.end(r, 'released');
    else if (until <= this.nowMs) this.end(r, 'expired');
    else Object.assign(r, { status: 'pending', expiresMs: until, by: null });
  }

  private end(r: ModelReservation, status: 'expired' | 'released'): void {
    r.status = status;
    this.placesLeft += r.places;
    for (const seatNo of r.seatNos) if (this.owners.get(seatNo) === r) this.owners.delete(seatNo);
  }

  private void(r: ModelReservation, seatNos: readonly number[], places: number): void {
    for (const seatNo of seatNos) this.owners.delete(seatNo);
    r.seatTickets = r.seatTickets.filter((seatNo) => !seatNos.includes(seatNo));
    r.placeTickets -= places;
    this.placesLeft += places;
    r.status = r.seatTickets.length + r.placeTickets === 0 ? 'cancelled' : 'partially_cancelled';
  }
}
