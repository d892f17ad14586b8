import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import type { Database } from '#platform/postgres/database.ts';
import { aLayout, anArtist, aVenue } from '#test/kit/builders/catalog.ts';
import { aCatalogServer } from '../testing/a-catalog-server.ts';

/** Counts what is asked of the database, and fails as it does when it cannot be reached while `away` is set. */
const outage = { away: false, queries: 0 };
function breakable(database: Database): Database {
  const asked = () => {
    outage.queries += 1;
    if (outage.away) throw platformErrors.fault('DATABASE_UNAVAILABLE');
  };
  return {
    ...database,
    query(text, values) {
      asked();
      return database.query(text, values);
    },
    kysely() {
      asked();
      return database.kysely();
    },
  };
}

const server = await aCatalogServer({ wrapDatabase: breakable });
const { call, clock, bus, catalog } = server;
const seller = server.person('seller');
const places = await server.places(seller, { standing: [100] });
const standingPrices = [{ areaId: 'Z1', priceKrw: 0 }];
const minuteMs = 60_000;

async function runJobs() {
  for (const job of catalog.jobs) await job.run(new AbortController().signal);
}

const ids = (response: { json(): { items: { id: string }[] } }) => response.json().items.map(({ id }) => id);

test('a draft is nowhere to be seen', async () => {
  const draft = await server.draft(seller, places, { standingPrices, title: '비밀 공연' });
  expect((await call('GET', `/api/events/${draft.id}`)).statusCode).toBe(404);
  expect(ids(await call('GET', '/api/events?limit=100'))).not.toContain(draft.id);
  expect(ids(await call('GET', '/api/events?q=비밀'))).toEqual([]);
  expect(ids(await call('GET', '/api/events?status=draft'))).toEqual([]);
});

test('a published event is shown with everything a buyer needs', async () => {
  const { id, version } = await server.published(seller, places, { standingPrices });
  const response = await call('GET', `/api/events/${id}`);
  expect(response.statusCode).toBe(200);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toContain('max-age=1');
  expect(response.json()).toEqual({
    id,
    title: '먼 데서 온 바람',
    titleEn: 'Wind from Afar',
    status: 'announced',
    artist: { id: places.artistId, name: '종이비행선', nameEn: 'Paper Airship' },
    venue: { id: places.venueId, name: '여울아트홀', nameEn: 'Yeoul Arts Hall' },
    startsAt: '2027-03-31T11:00:00.000Z',
    doorsAt: '2027-03-31T10:00:00.000Z',
    saleOpensAt: '2027-03-01T11:10:00.000Z',
    saleClosesAt: '2027-03-31T10:00:00.000Z',
    imageUrl: null,
    hot: false,
    priceMinKrw: 0,
    priceMaxKrw: 165_000,
    description: '단독 공연',
    descriptionEn: null,
    layoutId: places.layoutId,
    seatCount: 30,
    standingCapacity: 100,
    prices: [
      { grade: 'VIP', priceKrw: 165_000, seats: 15 },
      { grade: 'R', priceKrw: 143_000, seats: 15 },
    ],
    ticketTypes: [{ id: expect.any(String), areaId: 'Z1', name: '스탠딩 1', nameEn: null, capacity: 100, priceKrw: 0 }],
    phases: [],
    purchaseLimit: 4,
    queueEnabled: true,
    cancelReason: null,
    views: 0,
    version,
  });
});

test('the status flips at the very millisecond of the opening, also while the database is away', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  const status = async () => (await call('GET', `/api/events/${id}`)).json().status;
  const listed = async () =>
    (await call('GET', '/api/events?limit=100')).json().items.find((event: { id: string }) => event.id === id).status;
  expect([await status(), await listed()]).toEqual(['announced', 'announced']);
  clock.advance(10 * minuteMs - 1);
  expect([await status(), await listed()]).toEqual(['announced', 'announced']);
  outage.away = true;
  try {
    clock.advance(1);
    expect([await status(), await listed()]).toEqual(['on_sale', 'on_sale']);
    clock.advance(2 * minuteMs);
    const late = await call('GET', `/api/events/${id}`);
    expect([late.statusCode, late.json().code]).toEqual([503, 'DATABASE_UNAVAILABLE']);
    expect(late.headers['retry-after']).toBe('2');
  } finally {
    outage.away = false;
  }
  expect(await status()).toBe('on_sale');
});

test('a hundred readers in one second cost one query', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  clock.advance(minuteMs);
  const before = outage.queries;
  await Promise.all(Array.from({ length: 100 }, () => call('GET', `/api/events/${id}`)));
  expect(outage.queries - before).toBe(1);
});

test('who has it already is told so, and more views are no reason to send it again', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  const etag = String((await call('GET', `/api/events/${id}`)).headers.etag);
  const again = await call('GET', `/api/events/${id}`, { headers: { 'if-none-match': etag } });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  await server.database.query('INSERT INTO catalog.event_views VALUES ($1, 7)', [id]);
  clock.advance(minuteMs);
  expect((await call('GET', `/api/events/${id}`)).json().views).toBe(7);
  expect((await call('GET', `/api/events/${id}`, { headers: { 'if-none-match': etag } })).statusCode).toBe(304);
  clock.advance(10 * minuteMs);
  expect((await call('GET', `/api/events/${id}`, { headers: { 'if-none-match': etag } })).statusCode).toBe(200);
});

test('each look at an event is counted once a second on the bus', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  await runJobs();
  bus.said.length = 0;
  await call('GET', `/api/events/${id}`);
  await call('GET', `/api/events/${id}`);
  await call('GET', `/api/events/${server.nextId()}`);
  await runJobs();
  expect(bus.said).toEqual([
    expect.objectContaining({
      topic: 'catalog-views',
      type: 'EVENT_VIEWED',
      data: expect.objectContaining({ eventId: id, count: 2 }),
    }),
  ]);
});

test('views still in hand are sent when the process stops', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  await call('GET', `/api/events/${id}`);
  bus.said.length = 0;
  await catalog.stop?.();
  expect(bus.said.map(({ key }) => key)).toEqual([id]);
});

test('a change is seen by the next reader', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  await call('GET', `/api/events/${id}`);
  await call('GET', '/api/events');
  await call('POST', `/api/seller/events/${id}/cancel`, { as: seller, body: { reason: '우천' } });
  expect((await call('GET', `/api/events/${id}`)).json()).toMatchObject({ status: 'cancelled', cancelReason: '우천' });
  const cancelled = await call('GET', '/api/events?status=cancelled&limit=100');
  expect(ids(cancelled)).toContain(id);
});

test('a list by status holds nothing that has left it', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  expect(ids(await call('GET', '/api/events?status=announced&limit=100'))).toContain(id);
  clock.advance(10 * minuteMs);
  expect(ids(await call('GET', '/api/events?status=announced&limit=100'))).not.toContain(id);
  expect(ids(await call('GET', '/api/events?status=on_sale&limit=100'))).toContain(id);
});

test('selling out and back shows at once', async () => {
  const { id } = await server.published(seller, places, { standingPrices });
  clock.advance(10 * minuteMs);
  const status = async () => (await call('GET', `/api/events/${id}`)).json().status;
  expect(await status()).toBe('on_sale');
  await catalog.internal.markSoldOut?.({ eventId: id, soldOut: true } as never);
  expect(await status()).toBe('sold_out');
  await catalog.internal.markSoldOut?.({ eventId: id, soldOut: false } as never);
  expect(await status()).toBe('on_sale');
});

test('search finds an event by title, artist or venue, in either language and with any spacing', async () => {
  const artist = await call('POST', '/api/seller/artists', {
    as: seller,
    body: anArtist({ name: '모래 시계단', nameEn: 'The Hourglass' }),
  });
  const mine = { ...places, artistId: artist.json().id };
  const { id } = await server.published(seller, mine, {
    standingPrices,
    title: '겨울 답장',
    titleEn: 'Winter Replies',
  });
  for (const q of ['겨울', '겨울답장', '모래시계', 'hourglass', 'WINTER 여울', '답']) {
    expect(ids(await call('GET', `/api/events?q=${encodeURIComponent(q)}`)), q).toEqual([id]);
  }
  for (const q of ['여름', '%', '_', "'", '겨울 없는말', '\0']) {
    expect(ids(await call('GET', `/api/events?q=${encodeURIComponent(q)}`)), q).toEqual([]);
  }
});

test('pages follow each other without a gap or a repeat, by the day of the show', async () => {
  const artist = await call('POST', '/api/seller/artists', { as: seller, body: anArtist({ name: '느린우체통' }) });
  const mine = { ...places, artistId: artist.json().id };
  const at = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString();
  const made: string[] = [];
  for (const days of [9, 3, 7, 3, 5]) {
    const times = { startsAt: at(days), doorsAt: null, saleClosesAt: at(days) };
    made.push((await server.published(seller, mine, { standingPrices, ...times })).id);
  }
  const walked: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await call('GET', `/api/events?artistId=${mine.artistId}&limit=2${cursor && `&cursor=${cursor}`}`);
    walked.push(...ids(page));
    cursor = page.json().nextCursor;
  }
  expect(walked).toEqual([made[1], made[3], made[4], made[2], made[0]]);
});

test.each([
  ['/api/events?limit=0', 'query.limit'],
  ['/api/events?limit=101', 'query.limit'],
  ['/api/events?limit=x', 'query.limit'],
  ['/api/events?status=open', 'query.status'],
  ['/api/events?artistId=1', 'query.artistId'],
  ['/api/events?cursor=abc', 'query.cursor'],
  ['/api/events?sort=price', 'query.sort'],
  [`/api/events?q=${'가'.repeat(101)}`, 'query.q'],
  ['/api/artists?cursor=abc', 'query.cursor'],
  ['/api/events/not-an-id', 'params.eventId'],
])('%s is refused and the field is named', async (url, field) => {
  const response = await call('GET', encodeURI(url));
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field }] });
});

test.each(['events', 'artists', 'venues', 'layouts'])('%s that do not exist are 404', async (thing) => {
  const response = await call('GET', `/api/${thing}/${server.nextId()}`);
  expect([response.statusCode, response.json().code]).toEqual([404, 'NOT_FOUND']);
  expect(response.headers['cache-control']).toBe('no-store');
});

test('artists and venues are listed by name, searched, and shown without their owner', async () => {
  const one = await call('POST', '/api/seller/artists', {
    as: seller,
    body: anArtist({ name: '가온누리', nameEn: null }),
  });
  const { sellerId: _, ...shown } = one.json();
  expect((await call('GET', `/api/artists/${shown.id}`)).json()).toEqual(shown);
  expect((await call('GET', '/api/artists')).json().items[0]).toEqual(shown);
  expect(ids(await call('GET', `/api/artists?q=${encodeURIComponent('온누')}`))).toEqual([shown.id]);
  const first = await call('GET', '/api/artists?limit=1');
  const second = await call('GET', `/api/artists?limit=1&cursor=${first.json().nextCursor}`);
  expect(second.json().items[0].name > '가온누리').toBe(true);

  const venue = await call('POST', '/api/seller/venues', { as: seller, body: aVenue({ name: '가람 홀' }) });
  const layout = await call('POST', '/api/seller/layouts', { as: seller, body: aLayout(venue.json().id) });
  expect((await call('GET', `/api/venues/${venue.json().id}`)).json()).toMatchObject({
    name: '가람 홀',
    layouts: [{ id: layout.json().id, seatCount: 30 }],
  });
  expect(ids(await call('GET', '/api/venues'))).toContain(venue.json().id);
});

test('a layout is given in columns', async () => {
  const response = await call('GET', `/api/layouts/${places.layoutId}`);
  expect(response.json()).toMatchObject({
    id: places.layoutId,
    venueId: places.venueId,
    seatCount: 30,
    standingCapacity: 100,
    grades: ['VIP', 'R'],
    width: 110,
    height: 20,
    standingAreas: [{ id: 'Z1', capacity: 100 }],
  });
  expect(response.json().sections[1].rows[2]).toEqual({
    label: '3',
    labels: ['1', '2', '3', '4', '5'],
    x: [70, 80, 90, 100, 110],
    y: [20, 20, 20, 20, 20],
    grades: [1, 1, 1, 1, 1],
  });
});

test('a drawing is compressed, and read again only when its version is another', async () => {
  const body = { ...aLayout(places.venueId, { sections: 12 }), name: '큰 홀' };
  const { id, version } = (await call('POST', '/api/seller/layouts', { body, as: seller })).json();
  const path = `/api/layouts/${id}`;
  const plain = await call('GET', path);
  const sent = (accepted: string) => call('GET', path, { headers: { 'accept-encoding': accepted } });
  for (const [accepted, encoding, open] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ] as const) {
    const { headers, rawPayload } = await sent(accepted);
    expect([headers['content-encoding'], headers.vary, headers.etag]).toEqual([
      encoding,
      'accept-encoding',
      plain.headers.etag,
    ]);
    expect(rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
    expect(open(rawPayload).toString()).toBe(plain.body);
  }
  expect((await sent('br;q=0')).headers['content-encoding']).toBeUndefined();

  clock.advance(minuteMs);
  const before = outage.queries;
  expect((await call('GET', path)).body).toBe(plain.body);
  expect(outage.queries - before).toBe(1);
  const { venueId: _, ...drawing } = aLayout(places.venueId, { sections: 13 });
  const redrawn = { ...drawing, name: '더 큰 홀', version };
  expect((await call('PUT', `/api/seller/layouts/${id}`, { body: redrawn, as: seller })).statusCode).toBe(200);
  expect((await call('GET', path)).json()).toMatchObject({ name: '더 큰 홀', version: version + 1 });
});

test('the clock is told and never kept', async () => {
  const response = await call('GET', '/api/time');
  expect(response.json()).toEqual({ now: new Date(clock.now()).toISOString() });
  expect(response.headers['cache-control']).toBe('no-store');
});

test('other modules get the facts of public events, and the whole drawing', async () => {
  const internal = catalog.internal as Record<string, (input: unknown) => Promise<never>>;
  const draft = await server.draft(seller, places, { standingPrices });
  const { id } = await server.published(seller, places, { standingPrices, hot: true, queueThreshold: 50 });
  expect(await internal.eventFacts?.({ eventId: draft.id })).toEqual({ event: null });
  expect(await internal.eventFacts?.({ eventId: id })).toMatchObject({
    event: { eventId: id, status: 'announced', hot: true, queueThreshold: 50, capacity: 130, soldOut: false },
  });
  expect(await internal.eventsOnSale?.({})).toMatchObject({
    events: expect.arrayContaining([expect.objectContaining({ eventId: id })]),
    truncated: false,
  });
  expect(await internal.layoutById?.({ layoutId: places.layoutId })).toMatchObject({ layout: { seatCount: 30 } });
  expect(await internal.layoutById?.({ layoutId: id })).toEqual({ layout: null });
  expect(await internal.markSoldOut?.({ eventId: draft.id, soldOut: true })).toEqual({ found: false });
});
