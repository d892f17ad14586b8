import type { EventDetail } from '../../events/event-types.ts';
import type { Reservation } from '../../reservations/reservation-types.ts';
import type { AreaLeft } from '../../seats/seat-types.ts';

type TicketType = EventDetail['ticketTypes'][number];

export interface Offer extends TicketType {
  /** What this visitor may have: what is free and what they hold themselves. */
  readonly left: number;
}

export type Quantities = Readonly<Record<string, number>>;

export function offersOf(
  types: readonly TicketType[],
  areas: readonly AreaLeft[],
  held: Reservation['items'],
): readonly Offer[] {
  return types.map((type) => {
    const free = areas.find(({ ticketTypeId }) => ticketTypeId === type.id)?.left ?? 0;
    const mine = held.find(({ ticketTypeId }) => ticketTypeId === type.id)?.quantity ?? 0;
    return { ...type, left: free + mine };
  });
}

/** What is ordered, never more than is left at this moment. */
export function placeOrder(offers: readonly Offer[], wanted: Quantities) {
  const lines = offers
    .map((offer) => ({ ...offer, quantity: Math.min(offer.left, wanted[offer.id] ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  return {
    lines,
    items: lines.map(({ id, quantity }) => ({ ticketTypeId: id, quantity })),
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    totalKrw: lines.reduce((sum, { quantity, priceKrw }) => sum + quantity * priceKrw, 0),
    quantityOf: (ticketTypeId: string) => lines.find(({ id }) => id === ticketTypeId)?.quantity ?? 0,
  };
}
