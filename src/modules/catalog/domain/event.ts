import type { Phase } from './phases.ts';

/** What a seller writes down about a show. Times are milliseconds since the epoch; `null` is "not decided yet". */
export interface EventFacts {
  readonly title: string;
  readonly titleEn: string | null;
  readonly description: string;
  readonly descriptionEn: string | null;
  /** An https address, or a path on this site. */
  readonly imageUrl: string | null;
  readonly artistId: string | null;
  readonly venueId: string | null;
  readonly layoutId: string | null;
  readonly startsAt: number | null;
  readonly doorsAt: number | null;
  readonly saleOpensAt: number | null;
  readonly saleClosesAt: number | null;
  /** Seats, by grade. */
  readonly prices: readonly GradePrice[];
  /** Standing areas: one ticket type each. */
  readonly ticketTypes: readonly TicketType[];
  readonly phases: readonly Phase[];
  /** Tickets one user may hold for this event. */
  readonly purchaseLimit: number;
  /** Expects a rush: entries are buffered apart from those of the other events. */
  readonly hot: boolean;
  readonly queueEnabled: boolean;
  /** Slots in the queue; `null` takes the queue's own default. */
  readonly queueThreshold: number | null;
  /** A seat that comes back from a cancellation is sold again after a random time up to this, which spoils waiting for it. */
  readonly seatReturnDelayMaxSeconds: number;
}

export interface GradePrice {
  readonly grade: string;
  readonly priceKrw: number;
}

/** What is sold for a standing area. Its id is made once per event and area, and stays when the price changes. */
export interface TicketType {
  readonly id: string;
  readonly areaId: string;
  readonly priceKrw: number;
}

/** The event as it is kept: the facts, and the few marks that its status is derived from. */
export interface StoredEvent extends EventFacts {
  readonly id: string;
  readonly sellerId: string;
  readonly publishedAt: number | null;
  readonly cancelledAt: number | null;
  readonly cancelReason: string | null;
  readonly soldOut: boolean;
  /** Grows with every change a seller or admin makes. A change names the version that it is based on. */
  readonly version: number;
}
