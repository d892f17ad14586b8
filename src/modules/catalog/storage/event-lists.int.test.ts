import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { encodeCursor } from '#platform/paging.ts';
import { type EventStatus, eventStatus, eventStatuses } from '../domain/event-status.ts';
import { layoutDocumentOf } from '../domain/layout-source.ts';
import { aCatalog } from '../testing/a-catalog.ts';
import { someFacts } from '../testing/event-facts.ts';
import { listPublicEvents, listSellerEvents } from './event-lists.ts';
import { insertEvent } from './events.ts';

const { database, catalog, nextId } = await aCatalog();
const sellerId = nextId();
const actor = { userId: sellerId, role: 'seller' } as const;
const places = await database.transaction(async (tx) => {
  const { artists, venues, layouts } = catalog.service;
  const named = { name: '이름', nameEn: null, ownerId: sellerId };
  const artist = await artists.create(tx, actor, { ...named, description: '', imageUrl: null });
  const venue = await venues.create(tx, actor, { ...named, address: '서울', addressEn: null });
  const area = { id: 'Z', name: 'Z', nameEn: null, capacity: 10 };
  const layout = await layouts.create(tx, actor, {
    name: '배치',
    document: layoutDocumentOf({ sections: [], standingAreas: [area] }),
    venueId: venue.id,
    ownerId: sellerId,
  });
  return { artistId: artist.id, venueId: venue.id, layoutId: layout.id };
});

beforeEach(() => database.query('DELETE FROM catalog.events'));

interface Marks {
  readonly published: boolean;
  readonly cancelled: boolean;
  readonly soldOut: boolean;
  readonly opensAt: number;
  readonly closesAfter: number;
  readonly startsAfter: number;
}

const anyMarks: fc.Arbitrary<Marks> = fc.record({
  published: fc.boolean(),
  cancelled: fc.boolean(),
  soldOut: fc.boolean(),
  opensAt: fc.integer({ min: 0, max: 20 }),
  closesAfter: fc.integer({ min: 1, max: 10 }),
  startsAfter: fc.integer({ min: 0, max: 10 }),
});

async function store(marks: Marks): Promise<string> {
  const id = nextId();
  const saleClosesAt = marks.opensAt + marks.closesAfter;
  const startsAt = saleClosesAt + marks.startsAfter;
  const facts = someFacts({ ...places, saleOpensAt: marks.opensAt, saleClosesAt, startsAt, doorsAt: null });
  await database.transaction((tx) => insertEvent(tx, { id, sellerId, facts }));
  await database.query(
    `UPDATE catalog.events SET sold_out = $2, published_at = CASE WHEN $3 THEN urr.now() END,
            cancelled_at = CASE WHEN $3 AND $4 THEN urr.now() END, cancel_reason = CASE WHEN $3 AND $4 THEN '-' END WHERE id = $1`,
    [id, marks.soldOut, marks.published, marks.cancelled],
  );
  return id;
}

async function walk(
  list: (cursor?: string) => Promise<{ items: readonly { id: string }[]; nextCursor: string | null }>,
) {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(cursor);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

test('the statuses of SQL and of the domain agree, at every moment', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMarks, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: -1, max: 41 }),
      async (all, nowMs) => {
        await database.query('DELETE FROM catalog.events');
        for (const marks of all) await store(marks);
        const { items } = await listSellerEvents(database, { nowMs, limit: 100 });
        for (const status of eventStatuses) {
          const expected = items.filter((event) => eventStatus(event, nowMs) === status).map(({ id }) => id);
          const query = { nowMs, status, limit: 100 };
          expect(
            (await listSellerEvents(database, query)).items.map(({ id }) => id),
            status,
          ).toEqual(expected);
          const shown = status === 'draft' ? [] : expected;
          expect(new Set((await listPublicEvents(database, query)).items.map(({ id }) => id)), status).toEqual(
            new Set(shown),
          );
        }
      },
    ),
    { numRuns: 25 },
  );
});

test('pages of any size hold every public event once: live by day, then past from the latest', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyMarks, { maxLength: 10 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (all, nowMs, limit) => {
        await database.query('DELETE FROM catalog.events');
        for (const marks of all) await store(marks);
        let pages = 0;
        const ids = await walk((cursor) => {
          // Time goes on between pages; nobody may be skipped or shown twice because of it.
          const query = { nowMs: nowMs + pages++, limit, ...(cursor !== undefined && { cursor }) };
          return listPublicEvents(database, query);
        });
        const { items } = await listSellerEvents(database, { nowMs, limit: 100 });
        const over: readonly EventStatus[] = ['ended', 'cancelled'];
        const key = (event: (typeof items)[number]) => {
          const past = over.includes(eventStatus(event, nowMs));
          return [past ? 1 : 0, (past ? -1 : 1) * (event.startsAt ?? 0), event.id] as const;
        };
        const expected = items
          .filter((event) => event.publishedAt !== null)
          .map(key)
          .sort((a, b) => a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1))
          .map(([, , id]) => id);
        expect(ids).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
});

test.each([-62_135_596_800_000, 253_402_300_799_999])('a cursor of the time %d is answered', async (ms) => {
  await store({ published: true, cancelled: false, soldOut: false, opensAt: 1, closesAfter: 1, startsAfter: 1 });
  for (const over of [0, 1]) {
    const page = await listPublicEvents(database, {
      nowMs: 1,
      limit: 5,
      cursor: encodeCursor([ms, over, ms, nextId()]),
    });
    expect(page.nextCursor).toBeNull();
  }
});

test('the database itself refuses to publish what cannot be sold', async () => {
  const id = nextId();
  await database.transaction((tx) =>
    insertEvent(tx, { id, sellerId, facts: someFacts({ ...places, artistId: null }) }),
  );
  await expect(
    database.query('UPDATE catalog.events SET published_at = urr.now() WHERE id = $1', [id]),
  ).rejects.toThrow();
});
