import { randomUUID } from 'node:crypto';
import type { EventSnapshot } from '#modules/catalog/contract.ts';
import { compactLayout } from '#modules/catalog/domain/compact-layout.ts';
import { type LayoutDocument, layoutTotals } from '#modules/catalog/domain/layout.ts';
import { layoutDocumentOf } from '#modules/catalog/domain/layout-source.ts';
import { aLayout, type LayoutShape } from '#test/kit/builders/catalog.ts';
import type { TicketingDeps } from '../ports.ts';
import { pricesOf } from './a-plan.ts';

/** A drawing as test/kit/builders makes it: `sections` × `rows` × `seats`, and standing areas. */
export function aDrawing(shape: LayoutShape = {}): LayoutDocument {
  return layoutDocumentOf(aLayout('a venue', shape));
}

const dayMs = 86_400_000;

/** An event as catalog tells of it, on sale since an hour unless told otherwise. */
export function aSnapshot(document: LayoutDocument, overrides: Partial<EventSnapshot> = {}): EventSnapshot {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const { seatCount, standingCapacity } = layoutTotals(document);
  const someone = { id: randomUUID(), name: '누군가', nameEn: null };
  return {
    eventId: randomUUID(),
    version: 1,
    sellerId: randomUUID(),
    title: '먼 데서 온 바람',
    titleEn: null,
    artist: someone,
    venue: someone,
    layoutId: randomUUID(),
    startsAt: at(30 * dayMs),
    doorsAt: null,
    saleOpensAt: at(-3_600_000),
    saleClosesAt: at(29 * dayMs),
    phases: [],
    prices: [...pricesOf(document)],
    ticketTypes: document.standingAreas.map(({ id, name, nameEn, capacity }) => ({
      ...{ id: randomUUID(), areaId: id, name, nameEn, capacity, priceKrw: 99_000 },
    })),
    seatCount,
    capacity: seatCount + standingCapacity,
    purchaseLimit: 4,
    hot: false,
    queueEnabled: true,
    queueThreshold: null,
    ...overrides,
  };
}

export interface CatalogStub extends Pick<TicketingDeps, 'catalog'> {
  readonly layouts: Map<string, LayoutDocument>;
  /** What it was told of events that are sold out, oldest first. */
  readonly told: { readonly eventId: string; readonly soldOut: boolean }[];
  away: boolean;
}

export function aCatalogStub(): CatalogStub {
  const stub: CatalogStub = {
    layouts: new Map(),
    told: [],
    away: false,
    catalog: {
      async layoutById({ layoutId }) {
        if (stub.away) throw new Error('catalog is away');
        const document = stub.layouts.get(layoutId);
        if (document === undefined) return { layout: null };
        const drawing = compactLayout(document) as unknown as Drawing; // Schemas describe plain arrays; nobody changes these.
        const { seatCount, standingCapacity } = layoutTotals(document);
        return {
          layout: { id: layoutId, venueId: layoutId, name: '', version: 1, seatCount, standingCapacity, ...drawing },
        };
      },
      async markSoldOut(call) {
        if (stub.away) throw new Error('catalog is away');
        stub.told.push(call);
        return { found: true };
      },
    },
  };
  return stub;
}

type Layout = NonNullable<Awaited<ReturnType<TicketingDeps['catalog']['layoutById']>>['layout']>;
type Drawing = Omit<Layout, 'id' | 'venueId' | 'name' | 'version' | 'seatCount' | 'standingCapacity'>;
