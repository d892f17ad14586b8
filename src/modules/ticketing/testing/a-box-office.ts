import type { EventSnapshot } from '#modules/catalog/contract.ts';
import type { LayoutDocument } from '#modules/catalog/domain/layout.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { type Logger, silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { catalogEventsConsumer } from '../consumers/catalog-events.ts';
import { createSeatBuilding, type SeatBuilding } from '../jobs/seat-building.ts';
import type { HoldVerdict } from '../ports.ts';
import { createEventBooks, type RefreshedBooks } from '../service/books.ts';
import { createHolds } from '../service/holds.ts';
import { type BlockingOutcome, setBlocked } from '../storage/blocking.ts';
import { aCatalogStub, aSnapshot, type CatalogStub } from './a-show.ts';

/** One process of ticketing as far as events and their seats are concerned, with a catalog that the test plays. */
export interface BoxOffice {
  readonly stub: CatalogStub;
  readonly books: RefreshedBooks;
  readonly building: SeatBuilding;
  /** Has the effect of these messages, as one batch. Nothing is built by it. */
  hear(...messages: readonly Message[]): Promise<void>;
  /** Builds whatever is to be built. */
  build(): Promise<void>;
  /** An event of this drawing, published, heard of and built. */
  show(document: LayoutDocument, overrides?: Partial<EventSnapshot>): Promise<EventSnapshot>;
  /** Somebody asks for these seats. */
  hold(eventId: string, seatNos: readonly number[]): Promise<HoldVerdict>;
  /** The seller takes these seats out of the sale. */
  block(eventId: string, seatNos: readonly number[]): Promise<BlockingOutcome>;
}

export interface Message {
  readonly type?: 'EVENT_PUBLISHED' | 'EVENT_CHANGED' | 'EVENT_CANCELLED';
  readonly data: EventSnapshot;
}

export function aBoxOffice(
  database: Database,
  { stub = aCatalogStub(), logger = silentLogger }: { stub?: CatalogStub; logger?: Logger } = {},
): BoxOffice {
  const deps = { database, catalog: stub.catalog, clock: systemClock, logger, metrics: createMetrics() };
  const books = createEventBooks(deps);
  const building = createSeatBuilding({ ...deps, books });
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const holds = createHolds({
    ...deps,
    books,
    ids,
    random: systemRandom,
    bus: { publish: async () => undefined, wakeRelays: () => undefined },
    tiers: { tierOf: async () => 'general' },
    shield: null,
  });
  const consumer = catalogEventsConsumer({ onHeard: () => undefined });
  const [job] = building.jobs;
  const signal = new AbortController().signal;
  const office: BoxOffice = {
    ...{ stub, books, building },
    hear: (...messages) =>
      database.transaction(async (tx) => {
        const events = messages.map(({ type = 'EVENT_CHANGED', data }) => ({
          type,
          data: type === 'EVENT_CANCELLED' ? { ...data, cancelledAt: new Date().toISOString(), reason: '태풍' } : data,
        }));
        // The handler reads nothing of the envelopes but these.
        await consumer.handle(events as never, { tx, partition: 0, attempt: 1, signal });
      }),
    async build() {
      await job?.run(signal);
    },
    async show(document, overrides) {
      const event = aSnapshot(document, overrides);
      stub.layouts.set(event.layoutId, document);
      await office.hear({ type: 'EVENT_PUBLISHED', data: event });
      await office.build();
      return event;
    },
    hold: async (eventId, seatNos) =>
      holds.hold({
        eventId,
        offer: (await books.get(eventId))?.plan?.offer ?? '',
        userId: ids.next(),
        slotId: ids.next(),
        seatNos,
        items: [],
        replaces: null,
        idempotency: { key: ids.next(), method: 'POST', route: '/api/seats/reserve', fingerprint: 'a body' },
      }),
    async block(eventId, seatNos) {
      const plan = (await books.get(eventId))?.plan;
      if (plan == null) throw new Error('the event has no seats');
      const seats = seatNos.map((seatNo) => ({ seatNo, seatId: plan.seat(seatNo)?.seatId ?? '' }));
      const actor = { userId: ids.next(), role: 'seller', requestId: ids.next() };
      return setBlocked(database, { eventId, offer: plan.offer, seats, isBlocked: true, reason: '카메라', actor });
    },
  };
  return office;
}
