import { assert } from '#platform/assert.ts';
import { isoTime } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Page } from '#platform/paging.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { judgeChange } from '../domain/change-rules.ts';
import type { EventFacts, StoredEvent, TicketType } from '../domain/event.ts';
import { eventStatus } from '../domain/event-status.ts';
import type { FieldProblem } from '../domain/field-problem.ts';
import { publishingProblems } from '../domain/publishing.ts';
import { catalogErrors } from '../errors.ts';
import type { Actor, CatalogDeps } from '../ports.ts';
import { type EventListQuery, listSellerEvents } from '../storage/event-lists.ts';
import type { EventRecord } from '../storage/event-record.ts';
import * as store from '../storage/events.ts';
import { layoutSummary } from '../storage/layouts.ts';
import { missingReferences } from '../storage/references.ts';
import { catalogEvents } from '../topics.ts';
import { auditEntry, invalidBody, mayActOn, requireVersion } from './guard.ts';
import { sellerEventOf, snapshotOf } from './present.ts';

/** What a seller asks for: the facts, with prices of standing areas instead of the ticket types made from them. */
export type EventDraft = Omit<EventFacts, 'ticketTypes'> & {
  readonly standingPrices: readonly { readonly areaId: string; readonly priceKrw: number }[];
};

export type EventTimes = Pick<EventFacts, 'startsAt' | 'doorsAt' | 'saleOpensAt' | 'saleClosesAt' | 'phases'>;

export interface EventService {
  create(
    tx: Transaction,
    actor: Actor,
    event: { ownerId: string; draft: EventDraft; id?: string },
  ): Promise<EventRecord>;
  get(actor: Actor, id: string): Promise<EventRecord>;
  list(actor: Actor, query: EventListQuery & { sellerId?: string }): Promise<Page<EventRecord>>;
  change(actor: Actor, id: string, change: { version: number; draft: EventDraft }): Promise<EventRecord>;
  publish(actor: Actor, id: string): Promise<EventRecord>;
  cancel(actor: Actor, id: string, reason: string): Promise<EventRecord>;
  remove(actor: Actor, id: string): Promise<void>;
  /**
   * Moves a published event in time, whatever its state: for demonstrations and rehearsals, where nothing was sold.
   * It is not offered over HTTP.
   */
  restage(actor: Actor, id: string, times: EventTimes): Promise<EventRecord>;
  setSoldOut(id: string, soldOut: boolean): Promise<boolean>;
}

export function createEventService(
  deps: Pick<CatalogDeps, 'database' | 'bus' | 'clock' | 'ids' | 'audit'> & { evict: (eventId: string) => void },
): EventService {
  const { database, bus, clock, ids, audit, evict } = deps;

  /** Somebody else's event is told like one that does not exist: drafts are nobody's business. */
  async function own(on: Parameters<typeof store.eventById>[0], actor: Actor, id: string, lock = false) {
    const event = await store.eventById(on, id, { lock });
    if (event === null || !mayActOn(actor, event.sellerId)) throw platformErrors.fault('NOT_FOUND');
    return event;
  }

  function note(tx: Transaction, actor: Actor, verb: string, before: EventRecord | null, after: EventRecord | null) {
    const [was, is] = [before, after].map((event) => event && sellerEventOf(event, clock.now()));
    return audit.record(tx, auditEntry(actor, { action: `catalog.event.${verb}`, before: was, after: is }));
  }

  /** Reads the event again, so that what is told to others is what was stored; then writes down who did it. */
  async function settle(tx: Transaction, actor: Actor, verb: string, id: string, before: EventRecord | null) {
    const after = await store.eventById(tx, id);
    assert(after !== null, `event ${id} vanished under its lock`);
    await note(tx, actor, verb, before, after);
    tx.afterCommit(() => evict(id));
    return after;
  }

  return {
    async create(tx, actor, { ownerId, draft, id = ids.next() }) {
      const facts = withTicketTypes(draft, []);
      await requireReferences(tx, facts);
      await store.insertEvent(tx, { id, sellerId: ownerId, facts });
      return settle(tx, actor, 'create', id, null);
    },

    get: (actor, id) => own(database, actor, id),

    list(actor, query) {
      const sellerId = actor.role === 'admin' ? query.sellerId : actor.userId;
      return listSellerEvents(database, { ...query, nowMs: clock.now(), ...(sellerId !== undefined && { sellerId }) });
    },

    change: (actor, id, { version, draft }) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, true);
        requireVersion(before.version, version);
        const facts = withTicketTypes(draft, before.ticketTypes);
        requireAllowed(before, facts);
        await requireReferences(tx, facts);
        if (before.publishedAt === null) {
          await store.updateEventFacts(tx, id, facts);
          return settle(tx, actor, 'change', id, before);
        }
        return republish(tx, actor, { before, facts, verb: 'change' });
      }),

    publish: (actor, id) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, true);
        if (before.cancelledAt !== null) throw catalogErrors.fault('EVENT_CLOSED');
        if (before.publishedAt !== null) return before;
        const now = clock.now();
        const problems = await problemsIn(tx, before);
        if (before.saleClosesAt !== null && before.saleClosesAt <= now) {
          problems.push({ field: 'saleClosesAt', message: 'has passed' });
        }
        requireComplete(problems);
        await store.markPublished(tx, id, now);
        const after = await settle(tx, actor, 'publish', id, before);
        await bus.publish(tx, catalogEvents, [{ type: 'EVENT_PUBLISHED', key: id, data: snapshotOf(after) }]);
        return after;
      }),

    cancel: (actor, id, reason) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, true);
        if (before.cancelledAt !== null) return before;
        if (before.publishedAt === null) throw catalogErrors.fault('NOT_PUBLISHED');
        const now = clock.now();
        if (before.startsAt !== null && now >= before.startsAt) {
          throw catalogErrors.fault('EVENT_CLOSED', {
            detail: 'The show has begun; it cannot be called off any more.',
          });
        }
        await store.markCancelled(tx, id, { atMs: now, reason });
        const after = await settle(tx, actor, 'cancel', id, before);
        const data = { ...snapshotOf(after), cancelledAt: new Date(now).toISOString(), reason };
        await bus.publish(tx, catalogEvents, [{ type: 'EVENT_CANCELLED', key: id, data }]);
        return after;
      }),

    remove: (actor, id) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, true);
        if (eventStatus(before, clock.now()) !== 'draft') throw catalogErrors.fault('ALREADY_PUBLISHED');
        await store.deleteEvent(tx, id);
        await note(tx, actor, 'delete', before, null);
      }),

    restage: (actor, id, times) =>
      database.transaction(async (tx) => {
        const before = await own(tx, actor, id, true);
        if (before.publishedAt === null || before.cancelledAt !== null) throw catalogErrors.fault('EVENT_CLOSED');
        return republish(tx, actor, { before, facts: { ...before, ...times }, verb: 'restage' });
      }),

    async setSoldOut(id, soldOut) {
      const found = await store.setSoldOut(database, id, soldOut);
      evict(id);
      return found;
    },
  };

  /** A published event stays fit to be sold through every change, and everybody is told. */
  async function republish(
    tx: Transaction,
    actor: Actor,
    { before, facts, verb }: { before: EventRecord; facts: EventFacts; verb: string },
  ): Promise<EventRecord> {
    requireComplete(await problemsIn(tx, facts));
    await store.updateEventFacts(tx, before.id, facts);
    const after = await settle(tx, actor, verb, before.id, before);
    await bus.publish(tx, catalogEvents, [{ type: 'EVENT_CHANGED', key: before.id, data: snapshotOf(after) }]);
    return after;
  }

  /** An area keeps the ticket type that it has had, so that a new price does not make it another thing to buy. */
  function withTicketTypes({ standingPrices, ...draft }: EventDraft, known: readonly TicketType[]): EventFacts {
    const ticketTypes = standingPrices.map(({ areaId, priceKrw }) => {
      const id = known.find((type) => type.areaId === areaId)?.id ?? ids.next();
      return { id, areaId, priceKrw };
    });
    return { ...draft, ticketTypes };
  }

  function requireAllowed(before: StoredEvent, facts: EventFacts): void {
    const verdict = judgeChange(before, facts, clock.now());
    if (verdict.allowed) return;
    switch (verdict.reason) {
      case 'closed':
        throw catalogErrors.fault('EVENT_CLOSED');
      case 'sale-started':
        throw catalogErrors.fault('SALE_STARTED', {
          detail: `The sale has started, so these stay as they are: ${verdict.fields.join(', ')}.`,
          extensions: { fields: verdict.fields },
        });
      case 'about-to-open': {
        const lockedSince = isoTime(verdict.sinceMs);
        throw catalogErrors.fault('SALE_ABOUT_TO_OPEN', {
          detail: `The sale is about to open, so since ${lockedSince} these stay as they are: ${verdict.fields.join(', ')}.`,
          extensions: { fields: verdict.fields, lockedSince },
        });
      }
      case 'opens-in-the-past':
        throw invalidBody([{ field: 'saleOpensAt', message: 'has passed' }]);
      case 'closes-in-the-past':
        throw invalidBody([{ field: 'saleClosesAt', message: 'has passed' }]);
    }
  }
}

async function requireReferences(tx: Transaction, facts: Pick<EventFacts, 'artistId' | 'venueId' | 'layoutId'>) {
  const missing = await missingReferences(tx, facts);
  if (missing.length > 0) throw invalidBody(missing.map((field) => ({ field, message: 'does not exist' })));
}

/** The layout may not be redrawn between this look at it and the moment the event is public. */
async function problemsIn(tx: Transaction, facts: EventFacts): Promise<FieldProblem[]> {
  const layout = facts.layoutId === null ? null : await layoutSummary(tx, facts.layoutId, { lock: 'use' });
  return publishingProblems(facts, layout);
}

function requireComplete(errors: readonly FieldProblem[]): void {
  if (errors.length === 0) return;
  throw catalogErrors.fault('EVENT_INCOMPLETE', {
    detail: errors.map(({ field, message }) => `${field} ${message}`).join('; '),
    extensions: { errors },
  });
}
