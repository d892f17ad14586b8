import { expect, test } from 'vitest';
import { anEvent } from '#test/kit/builders/catalog.ts';
import { aCatalogServer } from '../testing/a-catalog-server.ts';

const server = await aCatalogServer();
const { call, clock, bus } = server;
const seller = server.person('seller');
const rival = server.person('seller');
const admin = server.person('admin');
const places = await server.places(seller);
const minuteMs = 60_000;

const body = (overrides: Record<string, unknown> = {}) => anEvent(places, clock.now(), overrides);
const change = (id: string, version: number, overrides: Record<string, unknown> = {}, as = seller) =>
  call('PUT', `/api/seller/events/${id}`, { as, body: { ...body(overrides), version } });
const at = (ms: number) => new Date(clock.now() + ms).toISOString();

async function auditOf(id: string) {
  const { rows } = await server.database.query<{ action: string; actor_id: string }>(
    'SELECT action, actor_id FROM urr.audit_log WHERE subject = $1 ORDER BY id',
    [id],
  );
  return rows.map((row) => [row.action, row.actor_id]);
}

test('a draft needs a title and nothing else, and says what it lacks', async () => {
  const response = await call('POST', '/api/seller/events', { as: seller, body: { title: '언젠가' } });
  expect(response.statusCode).toBe(201);
  expect(response.json()).toMatchObject({ status: 'draft', sellerId: seller.userId, version: 1, purchaseLimit: 4 });
  expect(response.json().problems.map((problem: { field: string }) => problem.field)).toContain('artistId');
});

test.each<[string, Record<string, unknown>, string]>([
  ['no title', { title: undefined }, 'body.title'],
  ['a blank title', { title: '  ' }, 'body.title'],
  ['a title with a line break', { title: 'a\nb' }, 'body.title'],
  ['half a surrogate pair', { title: 'a\ud800' }, 'body.title'],
  ['an unknown field', { soldOut: true }, 'body.soldOut'],
  ['a price that is no whole number', { prices: [{ grade: 'R', priceKrw: 1.5 }] }, 'body.prices.0.priceKrw'],
  ['a negative price', { prices: [{ grade: 'R', priceKrw: -1 }] }, 'body.prices.0.priceKrw'],
  ['a time without a zone', { startsAt: '2027-03-31T11:00:00' }, 'body.startsAt'],
  ['a leap second', { startsAt: '2027-06-30T23:59:60Z' }, 'body.startsAt'],
  ['a time in another century', { startsAt: '1899-03-31T11:00:00Z' }, 'body.startsAt'],
  ['a picture over http', { imageUrl: 'http://example.com/a.png' }, 'body.imageUrl'],
  ['a script for a picture', { imageUrl: 'javascript:alert(1)' }, 'body.imageUrl'],
  ['a picture from another host in disguise', { imageUrl: '//example.com/a.png' }, 'body.imageUrl'],
  ['an unknown tier', { phases: [{ tier: 'bronze', opensAt: '2027-03-31T11:00:00Z' }] }, 'body.phases.0.tier'],
  ['no tickets per person', { purchaseLimit: 0 }, 'body.purchaseLimit'],
  ['seats that come back after a day', { seatReturnDelayMaxSeconds: 86_400 }, 'body.seatReturnDelayMaxSeconds'],
  ['an artist who does not exist', { artistId: '01990000-0001-7000-8000-000000000001' }, 'body.artistId'],
])('%s is refused and named', async (_, overrides, field) => {
  const response = await call('POST', '/api/seller/events', { as: seller, body: body(overrides) });
  expect(response.statusCode).toBe(400);
  expect(response.json()).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(response.json().errors.map((error: { field: string }) => error.field)).toContain(field);
});

test('pictures come over https or from this site', async () => {
  for (const imageUrl of ['https://images.example.com/a.png?w=3', '/images/a.png']) {
    expect((await call('POST', '/api/seller/events', { as: seller, body: body({ imageUrl }) })).statusCode).toBe(201);
  }
});

test('only sellers and admins get in', async () => {
  expect((await call('GET', '/api/seller/events')).statusCode).toBe(401);
  for (const role of ['buyer', 'operator'] as const) {
    const response = await call('POST', '/api/seller/events', { as: server.person(role), body: body() });
    expect([response.statusCode, response.json().code]).toEqual([403, 'FORBIDDEN']);
  }
});

test("another seller's event does not exist, and an admin sees all", async () => {
  const { id } = await server.draft(seller, places);
  expect((await call('GET', `/api/seller/events/${id}`, { as: rival })).statusCode).toBe(404);
  expect((await change(id, 1, {}, rival)).statusCode).toBe(404);
  expect((await call('POST', `/api/seller/events/${id}/publish`, { as: rival })).statusCode).toBe(404);
  expect((await call('DELETE', `/api/seller/events/${id}`, { as: rival })).statusCode).toBe(404);
  expect((await call('GET', `/api/seller/events/${id}`, { as: admin })).statusCode).toBe(200);
  const listed = async (as: typeof seller, query = '') =>
    (await call('GET', `/api/seller/events?limit=100${query}`, { as }))
      .json()
      .items.map((event: { id: string }) => event.id);
  expect(await listed(seller)).toContain(id);
  expect(await listed(rival)).toEqual([]);
  expect(await listed(rival, `&sellerId=${seller.userId}`)).toEqual([]);
  expect(await listed(admin)).toContain(id);
  expect(await listed(admin, `&sellerId=${rival.userId}`)).toEqual([]);
});

test('an admin creates for a seller, and only for a seller', async () => {
  const create = (sellerId: string, as = admin) => call('POST', '/api/seller/events', { as, body: body({ sellerId }) });
  expect((await create(rival.userId)).json().sellerId).toBe(rival.userId);
  const buyer = await create(server.person('buyer').userId);
  expect(buyer.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'body.sellerId' }] });
  expect((await create(server.nextId())).statusCode).toBe(400);
  expect((await create(rival.userId, seller)).statusCode).toBe(403);
});

test('the same Idempotency-Key creates once', async () => {
  const send = (key: string, title: string, as = seller) =>
    call('POST', '/api/seller/events', { as, body: { title }, headers: { 'idempotency-key': key } });
  const first = await send('key-1', '한 번만');
  const again = await send('key-1', '한 번만');
  expect([again.statusCode, again.json()]).toEqual([201, first.json()]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await send('key-1', '다른 것')).json().code).toBe('IDEMPOTENCY_MISMATCH');
  expect((await send('key-1', '한 번만', rival)).json().id).not.toBe(first.json().id);
  expect((await send('', '한 번만')).statusCode).toBe(400);
});

test('publishing tells everybody all facts, once', async () => {
  const { id } = await server.draft(seller, places, { hot: true, queueThreshold: 300, seatReturnDelayMaxSeconds: 600 });
  bus.said.length = 0;
  const response = await call('POST', `/api/seller/events/${id}/publish`, { as: seller });
  expect(response.json()).toMatchObject({ status: 'announced', version: 2, problems: [] });
  expect((await call('POST', `/api/seller/events/${id}/publish`, { as: seller })).json().version).toBe(2);
  expect(bus.said).toEqual([
    {
      topic: 'catalog-events',
      type: 'EVENT_PUBLISHED',
      key: id,
      data: {
        eventId: id,
        version: 2,
        sellerId: seller.userId,
        title: '먼 데서 온 바람',
        titleEn: 'Wind from Afar',
        artist: { id: places.artistId, name: '종이비행선', nameEn: 'Paper Airship' },
        venue: { id: places.venueId, name: '여울아트홀', nameEn: 'Yeoul Arts Hall' },
        layoutId: places.layoutId,
        startsAt: body().startsAt,
        doorsAt: body().doorsAt,
        saleOpensAt: body().saleOpensAt,
        saleClosesAt: body().saleClosesAt,
        phases: [],
        prices: body().prices,
        ticketTypes: [],
        seatCount: 30,
        capacity: 30,
        purchaseLimit: 4,
        hot: true,
        queueEnabled: true,
        queueThreshold: 300,
        seatReturnDelayMaxSeconds: 600,
      },
    },
  ]);
  expect(await auditOf(id)).toEqual([
    ['catalog.event.create', seller.userId],
    ['catalog.event.publish', seller.userId],
  ]);
});

test('an incomplete event is not published, and every reason is told', async () => {
  const { id } = await server.draft(seller, places, { artistId: null, prices: [], saleClosesAt: at(-minuteMs) });
  const response = await call('POST', `/api/seller/events/${id}/publish`, { as: seller });
  expect([response.statusCode, response.json().code]).toEqual([422, 'EVENT_INCOMPLETE']);
  const fields = response.json().errors.map((error: { field: string }) => error.field);
  expect(new Set(fields)).toEqual(new Set(['artistId', 'prices', 'saleOpensAt', 'saleClosesAt']));
  expect((await call('GET', `/api/events/${id}`)).statusCode).toBe(404);
});

test('a change names the version it is based on, and of two at once one is refused', async () => {
  const { id } = await server.draft(seller, places);
  const answers = await Promise.all([change(id, 1, { title: '하나' }), change(id, 1, { title: '둘' })]);
  expect(answers.map((answer) => answer.statusCode).sort()).toEqual([200, 409]);
  const refused = answers.find((answer) => answer.statusCode === 409);
  expect(refused?.json()).toMatchObject({ code: 'CONFLICT', currentVersion: 2 });
});

test('a public event changes in public', async () => {
  const { id, version } = await server.published(seller, places);
  bus.said.length = 0;
  const response = await change(id, version, { title: '새 제목', saleOpensAt: at(20 * minuteMs) });
  expect(response.json()).toMatchObject({ title: '새 제목', version: version + 1 });
  expect(bus.said).toMatchObject([
    { type: 'EVENT_CHANGED', key: id, data: { title: '새 제목', version: version + 1 } },
  ]);
});

test('a public event stays fit to be sold', async () => {
  const { id, version } = await server.published(seller, places);
  const broken = await change(id, version, { prices: [], saleClosesAt: at(40 * 86_400_000) });
  expect([broken.statusCode, broken.json().code]).toEqual([422, 'EVENT_INCOMPLETE']);
  const past = await change(id, version, { saleOpensAt: at(-minuteMs) });
  expect(past.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'body.saleOpensAt' }] });
});

test('a minute before the sale opens, what its seats are made from is locked; it can be postponed', async () => {
  const original = body();
  const { id, version } = await server.published(seller, places, original);
  const cheaper = { prices: original.prices.map(({ grade }) => ({ grade, priceKrw: 1_000 })) };
  const put = (overrides: Record<string, unknown>, atVersion: number) =>
    call('PUT', `/api/seller/events/${id}`, { as: seller, body: { ...original, ...overrides, version: atVersion } });
  clock.set(Date.parse(original.saleOpensAt) - minuteMs - 1);
  expect((await put(cheaper, version)).statusCode).toBe(200);
  clock.advance(1);
  const refused = await put({}, version + 1);
  expect(refused.statusCode).toBe(409);
  expect(refused.json()).toMatchObject({
    ...{ code: 'SALE_ABOUT_TO_OPEN', fields: ['prices'], lockedSince: at(0) },
    detail: expect.stringContaining(at(0)),
  });
  expect((await put({ ...cheaper, title: '곧 시작' }, version + 1)).statusCode).toBe(200);
  expect((await put({ ...cheaper, saleOpensAt: at(20 * minuteMs) }, version + 2)).statusCode).toBe(200);
  expect((await put({ saleOpensAt: at(20 * minuteMs) }, version + 3)).statusCode).toBe(200);
});

test('once the sale has started, what buyers rely on is locked and the rest is not', async () => {
  const original = body();
  const { id, version } = await server.published(seller, places, original);
  clock.advance(10 * minuteMs);
  const put = (overrides: Record<string, unknown>, atVersion = version) =>
    call('PUT', `/api/seller/events/${id}`, { as: seller, body: { ...original, ...overrides, version: atVersion } });
  const refused = await put({ saleOpensAt: at(minuteMs), prices: [{ grade: 'VIP', priceKrw: 1 }] });
  expect(refused.statusCode).toBe(409);
  expect(refused.json()).toMatchObject({ code: 'SALE_STARTED', fields: ['prices', 'saleOpensAt'] });
  expect((await put({ title: '추가 안내', purchaseLimit: 2 })).statusCode).toBe(200);
});

test('a standing area keeps its ticket type when its price changes', async () => {
  const club = await server.places(seller, { sections: 0, standing: [100, 200] });
  const prices = (a: number, b: number) => ({
    prices: [],
    standingPrices: [
      { areaId: 'Z1', priceKrw: a },
      { areaId: 'Z2', priceKrw: b },
    ],
  });
  const { id, version } = await server.published(seller, club, prices(1, 2));
  const before = (await call('GET', `/api/events/${id}`)).json().ticketTypes;
  await call('PUT', `/api/seller/events/${id}`, {
    as: seller,
    body: { ...anEvent(club, clock.now(), prices(3, 4)), version },
  });
  const after = (await call('GET', `/api/events/${id}`)).json().ticketTypes;
  expect(after.map((type: { priceKrw: number }) => type.priceKrw)).toEqual([3, 4]);
  expect(after.map((type: { id: string }) => type.id)).toEqual(before.map((type: { id: string }) => type.id));
});

test('cancelling tells everybody why, once, and ends all change', async () => {
  const { id, version } = await server.published(seller, places);
  bus.said.length = 0;
  const cancel = (reason: string) => call('POST', `/api/seller/events/${id}/cancel`, { as: seller, body: { reason } });
  expect((await cancel('출연자 건강 문제')).json()).toMatchObject({
    status: 'cancelled',
    cancelReason: '출연자 건강 문제',
  });
  expect((await cancel('다른 이유')).json().cancelReason).toBe('출연자 건강 문제');
  expect(bus.said).toMatchObject([
    {
      type: 'EVENT_CANCELLED',
      data: { eventId: id, reason: '출연자 건강 문제', cancelledAt: at(0), version: version + 1 },
    },
  ]);
  expect((await change(id, version + 1)).json().code).toBe('EVENT_CLOSED');
  expect((await call('POST', `/api/seller/events/${id}/publish`, { as: seller })).json().code).toBe('EVENT_CLOSED');
  expect((await call('DELETE', `/api/seller/events/${id}`, { as: seller })).json().code).toBe('ALREADY_PUBLISHED');
  expect((await call('POST', `/api/seller/events/${id}/cancel`, { as: seller, body: {} })).statusCode).toBe(400);
});

test('a sale that is over ends all change, but a show can be called off until it begins', async () => {
  const closes = { saleClosesAt: at(15 * minuteMs), startsAt: at(60 * minuteMs), doorsAt: null };
  const one = await server.published(seller, places, closes);
  const other = await server.published(seller, places, closes);
  clock.advance(15 * minuteMs);
  expect((await change(one.id, one.version)).json().code).toBe('EVENT_CLOSED');
  const cancel = (id: string) =>
    call('POST', `/api/seller/events/${id}/cancel`, { as: seller, body: { reason: '태풍' } });
  expect((await cancel(one.id)).json().status).toBe('cancelled');
  clock.advance(45 * minuteMs);
  expect((await cancel(other.id)).json().code).toBe('EVENT_CLOSED');
});

test('a draft is thrown away; what was published is not', async () => {
  const draft = await server.draft(seller, places);
  expect(
    (await call('POST', `/api/seller/events/${draft.id}/cancel`, { as: seller, body: { reason: '-' } })).json().code,
  ).toBe('NOT_PUBLISHED');
  const gone = await call('DELETE', `/api/seller/events/${draft.id}`, { as: seller });
  expect([gone.statusCode, gone.body]).toEqual([204, '']);
  expect((await call('GET', `/api/seller/events/${draft.id}`, { as: seller })).statusCode).toBe(404);
  expect((await auditOf(draft.id)).map(([action]) => action)).toEqual(['catalog.event.create', 'catalog.event.delete']);
  const { id } = await server.published(seller, places);
  const refused = await call('DELETE', `/api/seller/events/${id}`, { as: seller });
  expect([refused.statusCode, refused.json().code]).toEqual([409, 'ALREADY_PUBLISHED']);
});

test('sellers page through their events, filtered by status', async () => {
  const other = server.person('seller');
  const theirs = await server.places(other);
  const made: string[] = [];
  for (let i = 0; i < 3; i++) made.push((await server.draft(other, theirs)).id);
  await call('POST', `/api/seller/events/${made[1]}/publish`, { as: other });
  const first = await call('GET', '/api/seller/events?limit=2', { as: other });
  const rest = await call('GET', `/api/seller/events?limit=2&cursor=${first.json().nextCursor}`, { as: other });
  const ids = [...first.json().items, ...rest.json().items].map((event) => event.id);
  expect([ids, rest.json().nextCursor]).toEqual([made.toReversed(), null]);
  const drafts = await call('GET', '/api/seller/events?status=draft', { as: other });
  expect(drafts.json().items).toHaveLength(2);
});
