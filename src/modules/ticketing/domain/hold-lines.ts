import { assert } from '#platform/assert.ts';
import { type BuyerTier, bookingFeeOf } from './fees.ts';
import type { ReservedItemLine, ReservedSeatLine } from './reservation.ts';
import type { SeatPlan } from './seat-plan.ts';

/** What a hold would be of, by the prices of today. The fences come with the grant. */
export interface HoldLines {
  readonly seats: readonly Omit<ReservedSeatLine, 'fence'>[];
  readonly items: readonly ReservedItemLine[];
  readonly ticketCount: number;
  readonly feeKrw: number;
  /** Fees included. */
  readonly totalKrw: number;
}

export interface Wanted {
  readonly seatNos: readonly number[];
  readonly items: readonly { readonly ticketTypeId: string; readonly quantity: number }[];
}

/** Null: the plan has not all of them. */
export function holdLinesOf(plan: SeatPlan, wanted: Wanted, tier: BuyerTier): HoldLines | null {
  const seats: Omit<ReservedSeatLine, 'fence'>[] = [];
  const items: ReservedItemLine[] = [];
  let ticketCount = 0;
  let feeKrw = 0;
  let faceKrw = 0;
  for (const seatNo of wanted.seatNos) {
    const seat = plan.seat(seatNo);
    if (seat === undefined) return null;
    const { seatId, grade, priceKrw } = seat;
    const fee = bookingFeeOf(priceKrw, tier);
    seats.push({ seatNo, seatId, grade, priceKrw, feeKrw: fee });
    ticketCount += 1;
    feeKrw += fee;
    faceKrw += priceKrw;
  }
  for (const { ticketTypeId, quantity } of wanted.items) {
    const type = plan.ticketType(ticketTypeId);
    if (type === undefined) return null;
    const { areaId, priceKrw } = type;
    const fee = bookingFeeOf(priceKrw, tier);
    items.push({ ticketTypeId, areaId, quantity, priceKrw, feeKrw: fee });
    ticketCount += quantity;
    feeKrw += quantity * fee;
    faceKrw += quantity * priceKrw;
  }
  assert(seats.length === 0 || items.length === 0, 'a hold is of seats or of standing places');
  return { seats, items, ticketCount, feeKrw, totalKrw: faceKrw + feeKrw };
}
