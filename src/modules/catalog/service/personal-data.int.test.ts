import { expect, test } from 'vitest';
import { layoutDocumentOf } from '../domain/layout-source.ts';
import { insertEvent } from '../storage/events.ts';
import { aCatalog } from '../testing/a-catalog.ts';
import { someFacts } from '../testing/event-facts.ts';
import { createPersonalData } from './personal-data.ts';

const { database, catalog, nextId } = await aCatalog();
const data = createPersonalData({ database });
const hourMs = 3_600_000;

async function aSeller() {
  const sellerId = nextId();
  const actor = { userId: sellerId, role: 'seller' } as const;
  const named = { name: '이름', nameEn: null, ownerId: sellerId };
  const { artists, venues, layouts } = catalog.service;
  return database.transaction(async (tx) => {
    const artist = await artists.create(tx, actor, { ...named, description: '', imageUrl: null });
    const venue = await venues.create(tx, actor, { ...named, address: '서울', addressEn: null });
    const document = layoutDocumentOf({
      sections: [],
      standingAreas: [{ id: 'Z', name: 'Z', nameEn: null, capacity: 10 }],
    });
    const layout = await layouts.create(tx, actor, { name: '배치', document, venueId: venue.id, ownerId: sellerId });
    return { sellerId, places: { artistId: artist.id, venueId: venue.id, layoutId: layout.id } };
  });
}

async function anEvent(
  { sellerId, places }: Awaited<ReturnType<typeof aSeller>>,
  marks: { startsInMs: number; published: boolean; cancelled?: boolean },
) {
  const id = nextId();
  const startsAt = Date.now() + marks.startsInMs;
  const facts = someFacts({
    ...places,
    saleOpensAt: startsAt - 2 * hourMs,
    saleClosesAt: startsAt - hourMs,
    startsAt,
    doorsAt: null,
  });
  await database.transaction((tx) => insertEvent(tx, { id, sellerId, facts }));
  await database.query(
    `UPDATE catalog.events SET published_at = CASE WHEN $2 THEN urr.now() END, cancelled_at = CASE WHEN $3 THEN urr.now() END,
            cancel_reason = CASE WHEN $3 THEN '-' END WHERE id = $1`,
    [id, marks.published, marks.cancelled ?? false],
  );
  return id;
}

test('a seller is shown what is theirs, in summary', async () => {
  const seller = await aSeller();
  const eventId = await anEvent(seller, { startsInMs: hourMs, published: true });
  const { sections } = await data.exportUser({ userId: seller.sellerId });
  expect(sections).toMatchObject({
    artists: [{ id: seller.places.artistId }],
    venues: [{ id: seller.places.venueId }],
    layouts: [{ id: seller.places.layoutId }],
    events: [{ id: eventId }],
  });
  expect(sections.audit?.length).toBeGreaterThan(0);
  const { sections: ofOther } = await data.exportUser({ userId: nextId() });
  expect(ofOther).toEqual({ artists: [], venues: [], layouts: [], events: [], audit: [] });
});

test('an event that somebody may still come to stands against an erasure; drafts, cancelled and past ones do not', async () => {
  const seller = await aSeller();
  const draft = await anEvent(seller, { startsInMs: hourMs, published: false });
  const past = await anEvent(seller, { startsInMs: -48 * hourMs, published: true });
  const cancelled = await anEvent(seller, { startsInMs: hourMs, published: true, cancelled: true });
  expect(await data.erasureObstacles({ userId: seller.sellerId })).toEqual({ reasons: [] });
  const toCome = await anEvent(seller, { startsInMs: hourMs, published: true });
  expect(await data.erasureObstacles({ userId: seller.sellerId })).toEqual({ reasons: ['events_to_come'] });

  for (let time = 0; time < 2; time++)
    expect(await data.eraseUser({ userId: seller.sellerId })).toEqual({ erased: true });
  const { rows } = await database.query<{ id: string }>('SELECT id FROM catalog.events WHERE seller_id = $1', [
    seller.sellerId,
  ]);
  expect(rows.map(({ id }) => id).sort()).toEqual([past, cancelled, toCome].sort());
  expect(rows.map(({ id }) => id)).not.toContain(draft);
});
