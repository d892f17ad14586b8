import type { CatalogDeps } from '../ports.ts';
import { type ArtistService, createArtistService } from './artists.ts';
import { createEventService, type EventService } from './events.ts';
import { createLayoutFiles, type LayoutFiles } from './layout-files.ts';
import { createLayoutService, type LayoutService } from './layouts.ts';
import { createTellShownEvents } from './tell-shown-events.ts';
import { createVenueService, type VenueService } from './venues.ts';

/** What can be done with the catalogue, no matter who asks: the routes, an internal call, the demonstration data. */
export interface CatalogService {
  readonly artists: ArtistService;
  readonly venues: VenueService;
  readonly layouts: LayoutService;
  readonly layoutFiles: LayoutFiles;
  readonly events: EventService;
}

/** What this process has in memory and must look at again after a change. */
export interface Evictions {
  evictEvent(eventId: string): void;
  evictDocuments(): void;
}

export function createCatalogService(
  deps: Omit<CatalogDeps, 'auth' | 'logger'> & { reads: Evictions },
): CatalogService {
  const { reads } = deps;
  const tellShownEvents = createTellShownEvents({ ...deps, evict: reads.evictEvent });
  return {
    artists: createArtistService({ ...deps, tellShownEvents, evict: reads.evictDocuments }),
    venues: createVenueService({ ...deps, tellShownEvents, evict: reads.evictDocuments }),
    layouts: createLayoutService({ ...deps, evict: reads.evictDocuments }),
    layoutFiles: createLayoutFiles(),
    events: createEventService({ ...deps, evict: reads.evictEvent }),
  };
}
