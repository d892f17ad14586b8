import type { EventFacts, StoredEvent } from '../domain/event.ts';
import type { SellableLayout } from '../domain/publishing.ts';

/** Sale from 1,000 to 2,000, show at 3,000: small numbers are easy to reason about. */
export function someFacts(overrides: Partial<EventFacts> = {}): EventFacts {
  return {
    title: '먼 데서 온 바람',
    titleEn: null,
    description: '',
    descriptionEn: null,
    imageUrl: null,
    artistId: 'artist',
    venueId: 'venue',
    layoutId: 'layout',
    startsAt: 3_000,
    doorsAt: 2_500,
    saleOpensAt: 1_000,
    saleClosesAt: 2_000,
    prices: [{ grade: 'R', priceKrw: 100 }],
    ticketTypes: [{ id: 'type', areaId: 'Z', priceKrw: 50 }],
    phases: [],
    purchaseLimit: 4,
    hot: false,
    queueEnabled: true,
    queueThreshold: null,
    seatReturnDelayMaxSeconds: 0,
    ...overrides,
  };
}

export function aStoredEvent(overrides: Partial<StoredEvent> = {}): StoredEvent {
  return {
    ...someFacts(),
    id: 'event',
    sellerId: 'seller',
    publishedAt: 1,
    cancelledAt: null,
    cancelReason: null,
    soldOut: false,
    version: 1,
    ...overrides,
  };
}

export const aSellableLayout: SellableLayout = {
  venueId: 'venue',
  seatCount: 10,
  standingCapacity: 20,
  seatsByGrade: [{ grade: 'R', seats: 10 }],
  standingAreas: [{ id: 'Z', name: '스탠딩', nameEn: null, capacity: 20 }],
};
