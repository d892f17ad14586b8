import type { Page } from '#platform/paging.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { catalogErrors } from '../errors.ts';
import type { Actor, CatalogDeps } from '../ports.ts';
import type { NamedListQuery } from '../storage/artists.ts';
import { isUsedByEvents } from '../storage/events.ts';
import { venueHasLayouts } from '../storage/layouts.ts';
import * as store from '../storage/venues.ts';
import { renamed } from './artists.ts';
import { auditEntry, found, requireOwner, requireVersion } from './guard.ts';
import type { TellShownEvents } from './tell-shown-events.ts';

export interface VenueService {
  create(
    tx: Transaction,
    actor: Actor,
    venue: store.VenueInput & { ownerId: string; id?: string },
  ): Promise<store.Venue>;
  find(id: string): Promise<store.Venue | null>;
  list(query: NamedListQuery): Promise<Page<store.Venue>>;
  change(actor: Actor, id: string, change: store.VenueInput & { version: number }): Promise<store.Venue>;
  remove(actor: Actor, id: string): Promise<void>;
}

export function createVenueService(
  deps: Pick<CatalogDeps, 'database' | 'ids' | 'audit'> & { tellShownEvents: TellShownEvents; evict: () => void },
): VenueService {
  const { database, ids, audit, tellShownEvents, evict } = deps;

  async function own(tx: Transaction, actor: Actor, id: string, lock: 'change' | 'delete') {
    const venue = found(await store.venueById(tx, id, { lock }));
    requireOwner(actor, venue.ownerId);
    return venue;
  }

  return {
    async create(tx, actor, { ownerId, id = ids.next(), ...input }) {
      await store.insertVenue(tx, { ...input, id, ownerId });
      const after = found(await store.venueById(tx, id));
      await audit.record(tx, auditEntry(actor, { action: 'catalog.venue.create', before: null, after }));
      tx.afterCommit(evict);
      return after;
    },

    find: (id) => store.venueById(database, id),

    list: (query) => store.listVenues(database, query),

    change: (actor, id, { version, ...input }) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, 'change');
        requireVersion(before.version, version);
        await store.updateVenue(tx, id, input);
        const after = found(await store.venueById(tx, id));
        if (renamed(before, after)) await tellShownEvents(tx, { reference: 'venue_id', id });
        await audit.record(tx, auditEntry(actor, { action: 'catalog.venue.change', before, after }));
        tx.afterCommit(evict);
        return after;
      }),

    remove: (actor, id) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, 'delete');
        const used = (await venueHasLayouts(tx, id)) || (await isUsedByEvents(tx, { reference: 'venue_id', id }));
        if (used) throw catalogErrors.fault('IN_USE');
        await store.deleteVenue(tx, id);
        await audit.record(tx, auditEntry(actor, { action: 'catalog.venue.delete', before, after: null }));
        tx.afterCommit(evict);
      }),
  };
}
