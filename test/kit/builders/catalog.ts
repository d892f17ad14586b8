/** Bodies for the seller API, complete and valid unless told otherwise. */

const minuteMs = 60_000;
const dayMs = 86_400_000;

export function anArtist(overrides: Record<string, unknown> = {}) {
  return { name: '종이비행선', nameEn: 'Paper Airship', description: '네 사람이 만드는 밴드', ...overrides };
}

export function aVenue(overrides: Record<string, unknown> = {}) {
  return { name: '여울아트홀', nameEn: 'Yeoul Arts Hall', address: '서울 마포구 여울로 12', ...overrides };
}

export interface LayoutShape {
  readonly sections?: number;
  readonly rows?: number;
  readonly seats?: number;
  readonly standing?: readonly number[];
}

/** So many sections of so many rows of so many seats, alternately VIP and R; and standing areas of these capacities. */
export function aLayout(venueId: string, shape: LayoutShape = {}) {
  const { sections = 2, rows = 3, seats = 5, standing = [] } = shape;
  return {
    venueId,
    name: '기본 좌석',
    sections: Array.from({ length: sections }, (_, s) => ({
      id: `S${s + 1}`,
      name: `${s + 1}구역`,
      nameEn: null,
      grade: s % 2 === 0 ? 'VIP' : 'R',
      rows: Array.from({ length: rows }, (_, r) => ({
        label: String(r + 1),
        seats: Array.from({ length: seats }, (_, i) => ({
          label: String(i + 1),
          x: s * (seats + 2) * 10 + i * 10,
          y: r * 10,
        })),
      })),
    })),
    standingAreas: standing.map((capacity, index) => ({
      id: `Z${index + 1}`,
      name: `스탠딩 ${index + 1}`,
      nameEn: null,
      capacity,
    })),
  };
}

export interface EventPlaces {
  readonly artistId: string;
  readonly venueId: string;
  readonly layoutId: string;
}

/** A show in 30 days whose sale opens in ten minutes and closes an hour before it; for a seated layout of two grades. */
export function anEvent(places: EventPlaces, nowMs: number, overrides: Record<string, unknown> = {}) {
  const at = (ms: number) => new Date(ms).toISOString();
  const startsAt = nowMs + 30 * dayMs;
  return {
    title: '먼 데서 온 바람',
    titleEn: 'Wind from Afar',
    description: '단독 공연',
    ...places,
    startsAt: at(startsAt),
    doorsAt: at(startsAt - 60 * minuteMs),
    saleOpensAt: at(nowMs + 10 * minuteMs),
    saleClosesAt: at(startsAt - 60 * minuteMs),
    prices: [
      { grade: 'VIP', priceKrw: 165_000 },
      { grade: 'R', priceKrw: 143_000 },
    ],
    ...overrides,
  };
}
