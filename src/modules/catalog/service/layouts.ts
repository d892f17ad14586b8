import { inSlices } from '#platform/concurrency/in-slices.ts';
import type { Page } from '#platform/paging.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { compactLayoutSteps } from '../domain/compact-layout.ts';
import type { LayoutDocument } from '../domain/layout.ts';
import { layoutProblems } from '../domain/layout-problems.ts';
import { catalogErrors } from '../errors.ts';
import type { Actor, CatalogDeps } from '../ports.ts';
import type { CompactLayout } from '../schemas.ts';
import { isUsedByEvents } from '../storage/events.ts';
import * as store from '../storage/layouts.ts';
import { keep } from '../storage/references.ts';
import { venueById } from '../storage/venues.ts';
import { auditEntry, found, invalidBody, requireOwner, requireVersion } from './guard.ts';

export interface LayoutService {
  create(
    tx: Transaction,
    actor: Actor,
    layout: store.LayoutInput & { ownerId: string; venueId: string; id?: string },
  ): Promise<store.LayoutSummary>;
  /** With the drawing, for its owner to change. */
  get(actor: Actor, id: string): Promise<{ summary: store.LayoutSummary; document: LayoutDocument }>;
  /** In columns, for everybody. */
  compact(id: string): Promise<CompactLayout | null>;
  /** Goes up with each change of anything that `compact` says. Null: there is no such layout. */
  version(id: string): Promise<number | null>;
  list(query: Parameters<typeof store.listLayouts>[1]): Promise<Page<store.LayoutSummary>>;
  change(actor: Actor, id: string, change: store.LayoutInput & { version: number }): Promise<store.LayoutSummary>;
  remove(actor: Actor, id: string): Promise<void>;
}

export function createLayoutService(
  deps: Pick<CatalogDeps, 'database' | 'ids' | 'audit'> & { evict: () => void },
): LayoutService {
  const { database, ids, audit, evict } = deps;

  async function own(tx: Transaction, actor: Actor, id: string) {
    const layout = found(await store.layoutSummary(tx, id, { lock: 'change' }));
    requireOwner(actor, layout.ownerId);
    return layout;
  }

  return {
    async create(tx, actor, { id = ids.next(), ...layout }) {
      await requireSound(layout.document);
      const venue = (await keep(tx, 'catalog.venues', layout.venueId)) && (await venueById(tx, layout.venueId));
      if (!venue) throw invalidBody([{ field: 'venueId', message: 'does not exist' }]);
      // Its page lists the layouts, and its owner could not remove this one.
      requireOwner(actor, venue.ownerId);
      await store.insertLayout(tx, { ...layout, id });
      const after = found(await store.layoutSummary(tx, id));
      await audit.record(tx, auditEntry(actor, { action: 'catalog.layout.create', before: null, after }));
      tx.afterCommit(evict);
      return after;
    },

    async get(actor, id) {
      const summary = found(await store.layoutSummary(database, id));
      requireOwner(actor, summary.ownerId);
      return { summary, document: found(await store.layoutDocument(database, id)) };
    },

    async compact(id) {
      const summary = await store.layoutSummary(database, id);
      const document = summary && (await store.layoutDocument(database, id));
      if (summary === null || document === null) return null;
      const { venueId, name, version, seatCount, standingCapacity } = summary;
      // Schemas describe plain arrays; nobody changes these.
      const drawing = (await inSlices(compactLayoutSteps(document))) as Drawing;
      return { id, venueId, name, version, seatCount, standingCapacity, ...drawing };
    },

    version: async (id) => (await store.layoutSummary(database, id))?.version ?? null,

    list: (query) => store.listLayouts(database, query),

    change: (actor, id, { version, ...input }) =>
      database.transaction(async (tx) => {
        await requireSound(input.document);
        const before = await own(tx, actor, id);
        requireVersion(before.version, version);
        if (await isUsedByEvents(tx, { reference: 'layout_id', id, publishedOnly: true })) {
          throw catalogErrors.fault('IN_USE', {
            detail: 'A published event uses this layout. Draw a new one instead.',
          });
        }
        await store.updateLayout(tx, id, input);
        const after = found(await store.layoutSummary(tx, id));
        await audit.record(tx, auditEntry(actor, { action: 'catalog.layout.change', before, after }));
        tx.afterCommit(evict);
        return after;
      }),

    remove: (actor, id) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id);
        if (await isUsedByEvents(tx, { reference: 'layout_id', id })) throw catalogErrors.fault('IN_USE');
        await store.deleteLayout(tx, id);
        await audit.record(tx, auditEntry(actor, { action: 'catalog.layout.delete', before, after: null }));
        tx.afterCommit(evict);
      }),
  };
}

type Drawing = Omit<CompactLayout, 'id' | 'venueId' | 'name' | 'version' | 'seatCount' | 'standingCapacity'>;

async function requireSound(document: LayoutDocument): Promise<void> {
  const problems = await inSlices(layoutProblems(document));
  if (problems.length > 0) throw invalidBody(problems);
}
