import { bindHandlers } from '#platform/http/contract.ts';
import type { InternalHandlers } from '#platform/internal-call.ts';
import type { ModuleDescription, ModuleInstance } from '#platform/module.ts';
import { viewCountsConsumer, viewCountsDeclaration } from './consumers/view-counts.ts';
import { catalogEvents, catalogInternalCalls, catalogRoutes, catalogViews } from './contract.ts';
import { catalogErrors } from './errors.ts';
import { eventsOnSaleMax } from './internal-calls.ts';
import { createViewBuffer } from './jobs/view-buffer.ts';
import type { CatalogDeps } from './ports.ts';
import { createPublicReads } from './reads/public-reads.ts';
import { createLayoutFileHandlers } from './routes/layout-file-handlers.ts';
import { createPublicHandlers } from './routes/public-handlers.ts';
import { createSellerHandlers } from './routes/seller-handlers.ts';
import { type CatalogService, createCatalogService } from './service/index.ts';
import { createPersonalData } from './service/personal-data.ts';
import { liveFactsOf } from './service/present.ts';
import { listLiveEvents } from './storage/event-lists.ts';
import { eventById } from './storage/events.ts';

export const catalogDescription = {
  name: 'catalog',
  summary: 'Artists, venues, seat layouts, events and their sale windows; search; the seller API.',
  routes: catalogRoutes,
  internalCalls: catalogInternalCalls,
  errors: catalogErrors.table,
  topics: [catalogEvents, catalogViews],
  consumers: [viewCountsDeclaration],
  migrations: new URL('./migrations/', import.meta.url),
} satisfies ModuleDescription;

export interface Catalog extends ModuleInstance {
  readonly service: CatalogService;
}

const viewFlushEveryMs = 1_000;

export function createCatalog(deps: CatalogDeps): Catalog {
  const reads = createPublicReads(deps);
  const views = createViewBuffer(deps);
  const service = createCatalogService({ ...deps, reads });
  return {
    service,
    handlers: bindHandlers(catalogRoutes, {
      ...createPublicHandlers({ ...deps, reads, views, service }),
      ...createSellerHandlers({ ...deps, service }),
      ...createLayoutFileHandlers({ ...deps, service }),
    }),
    internal: internalHandlers(deps, service),
    consumers: [viewCountsConsumer],
    jobs: [{ name: 'catalog-views-flush', everyMs: viewFlushEveryMs, run: () => views.flush() }],
    stop: () => views.flush(),
  };
}

function internalHandlers({ database, clock }: CatalogDeps, service: CatalogService) {
  return {
    async eventFacts({ eventId }) {
      const event = await eventById(database, eventId);
      return { event: event?.publishedAt == null ? null : liveFactsOf(event, clock.now()) };
    },
    async eventsOnSale() {
      const now = clock.now();
      const events = await listLiveEvents(database, { nowMs: now, limit: eventsOnSaleMax + 1 });
      return {
        events: events.slice(0, eventsOnSaleMax).map((event) => liveFactsOf(event, now)),
        truncated: events.length > eventsOnSaleMax,
      };
    },
    layoutById: async ({ layoutId }) => ({ layout: await service.layouts.compact(layoutId) }),
    ...createPersonalData({ database }),
    markSoldOut: async ({ eventId, soldOut }) => ({ found: await service.events.setSoldOut(eventId, soldOut) }),
  } satisfies InternalHandlers<typeof catalogInternalCalls>;
}

export { layoutTotals } from './domain/layout.ts';
export {
  type LayoutFileFormat,
  layoutFileBytesMax,
  layoutFileFormats,
  readLayoutFile,
} from './domain/layout-files/layout-file.ts';
export type { Actor, CatalogDeps } from './ports.ts';
export type { EventDraft, EventTimes } from './service/events.ts';
export type { CatalogService } from './service/index.ts';
