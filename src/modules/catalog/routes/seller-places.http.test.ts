import { expect, test } from 'vitest';
import { aLayout, anArtist, anEvent, aVenue } from '#test/kit/builders/catalog.ts';
import { eventually } from '#test/kit/faults.ts';
import { aCatalogServer } from '../testing/a-catalog-server.ts';

const server = await aCatalogServer();
const { call, clock, bus } = server;
const seller = server.person('seller');
const rival = server.person('seller');
const admin = server.person('admin');

const codeOf = (response: { statusCode: number; json(): { code: string } }) => [
  response.statusCode,
  response.json().code,
];

test.each([
  ['artists', anArtist(), { name: '새 이름' }],
  ['venues', aVenue(), { name: '새 이름', address: '부산' }],
])('%s are made, changed and removed by their owner or an admin only', async (things, body, changed) => {
  const url = `/api/seller/${things}`;
  const made = await call('POST', url, { as: seller, body });
  expect(made.json()).toMatchObject({ ...body, sellerId: seller.userId, version: 1 });
  const one = `${url}/${made.json().id}`;
  expect(codeOf(await call('PUT', one, { as: rival, body: { ...changed, version: 1 } }))).toEqual([403, 'FORBIDDEN']);
  expect(codeOf(await call('DELETE', one, { as: rival }))).toEqual([403, 'FORBIDDEN']);
  const again = await call('PUT', one, { as: seller, body: { ...changed, version: 1 } });
  expect(again.json()).toMatchObject({ ...changed, nameEn: null, version: 2 });
  expect(codeOf(await call('PUT', one, { as: seller, body: { ...changed, version: 1 } }))).toEqual([409, 'CONFLICT']);
  expect((await call('GET', url, { as: seller })).json().items).toContainEqual(again.json());
  expect((await call('GET', url, { as: rival })).json().items).toEqual([]);
  expect((await call('PUT', one, { as: admin, body: { ...changed, version: 2 } })).statusCode).toBe(200);
  expect((await call('DELETE', one, { as: admin })).statusCode).toBe(204);
  expect((await call('DELETE', one, { as: admin })).statusCode).toBe(404);
  const { rows } = await server.database.query(
    `SELECT 1 FROM urr.audit_log WHERE subject = $1 AND actor_id = ANY ($2)`,
    [made.json().id, [seller.userId, admin.userId]],
  );
  expect(rows).toHaveLength(4);
});

test('nobody draws a layout into the venue of another seller', async () => {
  const { venueId } = await server.places(seller);
  const layoutsOf = async () => (await call('GET', `/api/venues/${venueId}`)).json().layouts.length;
  expect(await layoutsOf()).toBe(1);
  const url = '/api/seller/layouts';
  expect(codeOf(await call('POST', url, { as: rival, body: aLayout(venueId) }))).toEqual([403, 'FORBIDDEN']);
  expect((await call('POST', url, { as: admin, body: aLayout(venueId) })).statusCode).toBe(201);
  expect((await call('POST', url, { as: seller, body: aLayout(venueId) })).statusCode).toBe(201);
  await eventually(async () => expect(await layoutsOf()).toBe(3), {
    withinMs: 30_000,
    what: 'the new layouts to be listed',
  });
});

test('what is in use is not removed', async () => {
  const places = await server.places(seller);
  expect(codeOf(await call('DELETE', `/api/seller/venues/${places.venueId}`, { as: seller }))).toEqual([409, 'IN_USE']);
  const draft = await server.draft(seller, places);
  for (const [thing, id] of [
    ['artists', places.artistId],
    ['venues', places.venueId],
    ['layouts', places.layoutId],
  ]) {
    expect(codeOf(await call('DELETE', `/api/seller/${thing}/${id}`, { as: seller })), thing).toEqual([409, 'IN_USE']);
  }
  await call('DELETE', `/api/seller/events/${draft.id}`, { as: seller });
  for (const [thing, id] of [
    ['layouts', places.layoutId],
    ['venues', places.venueId],
    ['artists', places.artistId],
  ]) {
    expect((await call('DELETE', `/api/seller/${thing}/${id}`, { as: seller })).statusCode, thing).toBe(204);
  }
});

test('removing and beginning to use at the same moment never both succeed', async () => {
  for (let round = 0; round < 10; round++) {
    const places = await server.places(seller);
    const [made, gone] = await Promise.all([
      call('POST', '/api/seller/events', { as: seller, body: anEvent(places, clock.now()) }),
      call('DELETE', `/api/seller/artists/${places.artistId}`, { as: seller }),
    ]);
    expect([
      [201, 409],
      [400, 204],
    ]).toContainEqual([made.statusCode, gone.statusCode]);
  }
});

test('a new name of an artist or venue reaches those who keep the events', async () => {
  const places = await server.places(seller);
  const { id, version } = await server.published(seller, places);
  await server.draft(seller, places);
  await call('GET', `/api/events/${id}`);
  bus.said.length = 0;
  await call('PUT', `/api/seller/artists/${places.artistId}`, {
    as: seller,
    body: { ...anArtist({ name: '개명' }), version: 1 },
  });
  expect(bus.said).toMatchObject([
    { type: 'EVENT_CHANGED', key: id, data: { artist: { name: '개명' }, version: version + 1 } },
  ]);
  expect((await call('GET', `/api/events/${id}`)).json().artist.name).toBe('개명');
  await call('PUT', `/api/seller/venues/${places.venueId}`, {
    as: seller,
    body: { ...aVenue({ address: '이사' }), version: 1 },
  });
  expect(bus.said).toHaveLength(1);
});

test('a new name also reaches an event that is being published at the same moment', async () => {
  const places = await server.places(seller);
  const { id } = await server.draft(seller, places);
  bus.said.length = 0;
  let answered = false;
  const renaming = await server.database.transaction(async (tx) => {
    await tx.query('UPDATE catalog.events SET published_at = urr.now() WHERE id = $1', [id]);
    const body = { ...anArtist({ name: '개명' }), version: 1 };
    const answer = call('PUT', `/api/seller/artists/${places.artistId}`, { as: seller, body }).finally(() => {
      answered = true;
    });
    const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await eventually(async () => answered || (await server.database.query(waits)).rows.length > 0, {
      withinMs: 30_000,
      what: 'the renaming to meet the publishing',
    });
    return { answer };
  });
  expect((await renaming.answer).statusCode).toBe(200);
  expect(bus.said).toMatchObject([{ type: 'EVENT_CHANGED', key: id, data: { artist: { name: '개명' } } }]);
});

test('a layout is redrawn until a published event uses it', async () => {
  const places = await server.places(seller);
  const one = `/api/seller/layouts/${places.layoutId}`;
  const { venueId: _, ...drawing } = aLayout(places.venueId, { sections: 1, rows: 1, seats: 1 });
  const draft = await server.draft(seller, places);
  const redrawn = await call('PUT', one, { as: seller, body: { ...drawing, version: 1 } });
  expect(redrawn.json()).toMatchObject({ seatCount: 1, seatsByGrade: [{ grade: 'VIP', seats: 1 }], version: 2 });
  expect((await call('GET', one, { as: seller })).json().sections).toMatchObject(drawing.sections);
  expect((await call('GET', `/api/layouts/${places.layoutId}`)).json().seatCount).toBe(1);
  expect(codeOf(await call('GET', one, { as: rival }))).toEqual([403, 'FORBIDDEN']);

  const body = anEvent(places, clock.now(), { prices: [{ grade: 'VIP', priceKrw: 1 }], version: 1 });
  await call('PUT', `/api/seller/events/${draft.id}`, { as: seller, body });
  expect((await call('POST', `/api/seller/events/${draft.id}/publish`, { as: seller })).statusCode).toBe(200);
  expect(codeOf(await call('PUT', one, { as: seller, body: { ...drawing, version: 2 } }))).toEqual([409, 'IN_USE']);
});

test('publishing and redrawing at the same moment never leave a grade without a price', async () => {
  for (let round = 0; round < 10; round++) {
    const places = await server.places(seller, { sections: 1 });
    const { id } = await server.draft(seller, places, { prices: [{ grade: 'VIP', priceKrw: 1 }] });
    const { venueId: _, ...drawing } = aLayout(places.venueId, { sections: 2 });
    const [publish, redraw] = await Promise.all([
      call('POST', `/api/seller/events/${id}/publish`, { as: seller }),
      call('PUT', `/api/seller/layouts/${places.layoutId}`, { as: seller, body: { ...drawing, version: 1 } }),
    ]);
    expect([
      [200, 409],
      [422, 200],
    ]).toContainEqual([publish.statusCode, redraw.statusCode]);
  }
});

test.each<[string, (body: ReturnType<typeof aLayout>) => unknown, string]>([
  [
    'a section named twice',
    (b) => ({ ...b, sections: [...b.sections, ...b.sections.slice(0, 1)] }),
    'body.sections.2.id',
  ],
  ['no seat at all', (b) => ({ ...b, sections: [], standingAreas: [] }), 'body'],
  ['a label with a dash', (b) => ({ ...b, sections: [{ ...b.sections[0], id: 'A-1' }] }), 'body.sections.0.id'],
  ['a version that is not known', (b) => ({ ...b, documentVersion: 3 }), 'body.documentVersion'],
  ['a stage without an outline', (b) => ({ ...b, stage: { name: '무대', outline: [] } }), 'body.stage.outline'],
  ['a coordinate outside', (b) => ({ ...b, texts: [{ text: '입구', x: 0, y: 100_001 }] }), 'body.texts.0.y'],
  ['a venue that does not exist', (b) => ({ ...b, venueId: server.nextId() }), 'body.venueId'],
  ['more people than fit', (b) => ({ ...b, standingAreas: [{ id: 'Z', name: 'Z', capacity: 100_000 }] }), 'body'],
])('%s is refused and named', async (_, breakIt, field) => {
  const venue = await call('POST', '/api/seller/venues', { as: seller, body: aVenue() });
  const body = breakIt(aLayout(venue.json().id));
  const response = await call('POST', '/api/seller/layouts', { as: seller, body });
  expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field }] });
});

test('a house of 100,000 seats fits; one seat more does not', async () => {
  const venue = await call('POST', '/api/seller/venues', { as: seller, body: aVenue({ name: '큰 집' }) });
  const body = aLayout(venue.json().id, { sections: 20, rows: 50, seats: 100 });
  const made = await call('POST', '/api/seller/layouts', { as: seller, body });
  expect(made.json()).toMatchObject({ seatCount: 100_000 });
  const shown = await call('GET', `/api/layouts/${made.json().id}`);
  expect(shown.json().sections).toHaveLength(20);
  const tooMany = { ...body, standingAreas: [{ id: 'Z', name: '하나 더', capacity: 1 }] };
  expect(codeOf(await call('POST', '/api/seller/layouts', { as: seller, body: tooMany }))).toEqual([
    400,
    'VALIDATION_FAILED',
  ]);
});
