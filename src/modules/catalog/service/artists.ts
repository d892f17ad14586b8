import type { Page } from '#platform/paging.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { catalogErrors } from '../errors.ts';
import type { Actor, CatalogDeps } from '../ports.ts';
import * as store from '../storage/artists.ts';
import { isUsedByEvents } from '../storage/events.ts';
import { auditEntry, found, requireOwner, requireVersion } from './guard.ts';
import type { TellShownEvents } from './tell-shown-events.ts';

export interface ArtistService {
  create(
    tx: Transaction,
    actor: Actor,
    artist: store.ArtistInput & { ownerId: string; id?: string },
  ): Promise<store.Artist>;
  find(id: string): Promise<store.Artist | null>;
  list(query: store.NamedListQuery): Promise<Page<store.Artist>>;
  change(actor: Actor, id: string, change: store.ArtistInput & { version: number }): Promise<store.Artist>;
  remove(actor: Actor, id: string): Promise<void>;
}

export function createArtistService(
  deps: Pick<CatalogDeps, 'database' | 'ids' | 'audit'> & { tellShownEvents: TellShownEvents; evict: () => void },
): ArtistService {
  const { database, ids, audit, tellShownEvents, evict } = deps;

  async function own(tx: Transaction, actor: Actor, id: string, lock: 'change' | 'delete') {
    const artist = found(await store.artistById(tx, id, { lock }));
    requireOwner(actor, artist.ownerId);
    return artist;
  }

  return {
    async create(tx, actor, { ownerId, id = ids.next(), ...input }) {
      await store.insertArtist(tx, { ...input, id, ownerId });
      const after = found(await store.artistById(tx, id));
      await audit.record(tx, auditEntry(actor, { action: 'catalog.artist.create', before: null, after }));
      tx.afterCommit(evict);
      return after;
    },

    find: (id) => store.artistById(database, id),

    list: (query) => store.listArtists(database, query),

    change: (actor, id, { version, ...input }) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, 'change');
        requireVersion(before.version, version);
        await store.updateArtist(tx, id, input);
        const after = found(await store.artistById(tx, id));
        if (renamed(before, after)) await tellShownEvents(tx, { reference: 'artist_id', id });
        await audit.record(tx, auditEntry(actor, { action: 'catalog.artist.change', before, after }));
        tx.afterCommit(evict);
        return after;
      }),

    remove: (actor, id) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, 'delete');
        if (await isUsedByEvents(tx, { reference: 'artist_id', id })) throw catalogErrors.fault('IN_USE');
        await store.deleteArtist(tx, id);
        await audit.record(tx, auditEntry(actor, { action: 'catalog.artist.delete', before, after: null }));
        tx.afterCommit(evict);
      }),
  };
}

/** The name travels with the events that show it. */
export function renamed(
  before: { name: string; nameEn: string | null },
  after: { name: string; nameEn: string | null },
): boolean {
  return before.name !== after.name || before.nameEn !== after.nameEn;
}
