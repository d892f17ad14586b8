import { type PreparedJson, publicJson } from '#platform/http/contract.ts';
import type { Page } from '#platform/paging.ts';
import { type EventStatus, eventStatus, nextStatusChange } from '../domain/event-status.ts';
import type { CatalogDeps } from '../ports.ts';
import { detailOf, summaryOf } from '../service/present.ts';
import { type EventListQuery, listPublicEvents } from '../storage/event-lists.ts';
import type { EventRecord } from '../storage/event-record.ts';
import { eventById } from '../storage/events.ts';
import { createFreshCache, type FreshCacheLimits } from './fresh-cache.ts';
import { type LayoutAnswer, weakTag } from './layout-answers.ts';

type Answer = PreparedJson | null | Promise<PreparedJson | null>;

export interface PublicReads {
  /** `null`: no such event, or a draft. */
  event(eventId: string): Answer;
  events(query: EventListQuery): Answer;
  /** Anything else that is public and changes rarely, under a key of the caller's choice. */
  document(key: string, load: () => Promise<unknown>): Answer;
  /** `load` is told what is known, and returns that when it is still the newest. */
  layout(layoutId: string, load: (known: LayoutAnswer | null) => Promise<LayoutAnswer | null>): Answer;
  evictEvent(eventId: string): void;
  evictDocuments(): void;
}

const limits = {
  event: { freshMs: 1_000, reloadBehindMs: 5_000, emergencyMs: 60_000, entriesMax: 5_000 },
  list: { freshMs: 1_000, reloadBehindMs: 5_000, emergencyMs: 60_000, entriesMax: 200 },
  document: { freshMs: 2_000, reloadBehindMs: 10_000, emergencyMs: 300_000, entriesMax: 50 },
  // A drawing of 100,000 seats has some 2 MB, so few are kept.
  layout: { freshMs: 2_000, reloadBehindMs: 10_000, emergencyMs: 300_000, entriesMax: 50 },
} as const satisfies Record<string, FreshCacheLimits>;

interface EventList {
  readonly page: Page<EventRecord>;
  readonly status: EventStatus | undefined;
}

export function createPublicReads({
  database,
  clock,
  logger,
}: Pick<CatalogDeps, 'database' | 'clock' | 'logger'>): PublicReads {
  const events = createFreshCache<EventRecord>({ clock, logger, limits: limits.event, render: renderEvent });
  const lists = createFreshCache<EventList>({ clock, logger, limits: limits.list, render: renderList });
  const layouts = createFreshCache<LayoutAnswer>({
    clock,
    logger,
    limits: limits.layout,
    render: ({ json }) => ({ json, untilMs: Number.POSITIVE_INFINITY }),
  });
  const documents = createFreshCache<unknown>({ clock, logger, limits: limits.document, render: renderDocument });

  const loadList = async (query: EventListQuery): Promise<EventList> => ({
    page: await listPublicEvents(database, { ...query, nowMs: clock.now() }),
    status: query.status,
  });

  return {
    event: (eventId) =>
      events.get(eventId, async () => {
        const event = await eventById(database, eventId);
        return event?.publishedAt == null ? null : event;
      }),

    events(query) {
      // Searches and later pages are too many to keep and too rare to matter.
      if (query.q !== undefined || query.cursor !== undefined) {
        return loadList(query).then((list) => renderList(list, clock.now()).json);
      }
      const key = `${query.status ?? ''}/${query.artistId ?? ''}/${query.limit}`;
      return lists.get(key, () => loadList(query));
    },

    document: (key, load) => documents.get(key, load),
    layout: (layoutId, load) => layouts.get(layoutId, load),

    evictEvent(eventId) {
      events.evict(eventId);
      lists.evictAll();
    },
    evictDocuments() {
      documents.evictAll();
      layouts.evictAll();
    },
  };
}

/** The status flips with the clock, so the bytes hold until it does; the facts are not asked for again. */
function renderEvent(event: EventRecord, nowMs: number) {
  const detail = detailOf(event, nowMs);
  // Views grow all the time and are no reason to send the whole again: the tag is a weak one, and leaves them out.
  const json = publicJson(Buffer.from(JSON.stringify(detail)), weakTag(JSON.stringify({ ...detail, views: 0 })));
  return { json, untilMs: nextStatusChange(event, nowMs) };
}

function renderList({ page, status }: EventList, nowMs: number) {
  // An event that has left the status since the list was read has left the list.
  const shown = page.items.filter((event) => status === undefined || eventStatus(event, nowMs) === status);
  const text = JSON.stringify({ items: shown.map((event) => summaryOf(event, nowMs)), nextCursor: page.nextCursor });
  const untilMs = Math.min(Number.POSITIVE_INFINITY, ...page.items.map((event) => nextStatusChange(event, nowMs)));
  return { json: publicJson(Buffer.from(text), weakTag(text)), untilMs };
}

function renderDocument(source: unknown) {
  const text = JSON.stringify(source);
  return { json: publicJson(Buffer.from(text), weakTag(text)), untilMs: Number.POSITIVE_INFINITY };
}
