import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Identity } from '#platform/http/identity.ts';
import { aVenue } from '#test/kit/builders/catalog.ts';
import { mediaTypes } from '../domain/layout-files/layout-file.ts';
import { aCatalogServer } from '../testing/a-catalog-server.ts';
import { aGreatHall } from '../testing/any-layout.ts';

const server = await aCatalogServer();
const { call } = server;
const seller = server.person('seller');
const rival = server.person('seller');
const venueId = (await call('POST', '/api/seller/venues', { as: seller, body: aVenue() })).json().id as string;

const table = 'section,row,seat,grade,x,y\nA,1,1,R,0,0\nA,1,2,VIP,10,0\n';

function importFile(
  file: string | Buffer,
  {
    type = mediaTypes.csv as string,
    query = `venueId=${venueId}&name=${encodeURIComponent('들여온 배치')}`,
    headers = {} as Record<string, string>,
    as = seller as Identity,
  } = {},
) {
  return call('POST', `/api/seller/layouts/import?${query}`, {
    as,
    body: file,
    headers: { 'content-type': type, ...headers },
  });
}

const drawing = async (layoutId: string) => {
  const { documentVersion, stage, texts, sections, standingAreas } = (
    await call('GET', `/api/seller/layouts/${layoutId}`, { as: seller })
  ).json();
  return { documentVersion, stage, texts, sections, standingAreas };
};
const layoutCount = async () => (await server.database.query('SELECT 1 FROM catalog.layouts')).rows.length;

test('a table becomes a layout', async () => {
  const made = await importFile(table);
  expect([made.statusCode, made.json()]).toMatchObject([
    201,
    { layout: { name: '들여온 배치', venueId, sellerId: seller.userId, seatCount: 2 }, warnings: [], warningsTotal: 0 },
  ]);
  expect((await call('GET', `/api/layouts/${made.json().layout.id}`)).json()).toMatchObject({
    seatCount: 2,
    documentVersion: 2,
  });
});

test('a file is no way into the venue of another seller', async () => {
  const before = await layoutCount();
  expect((await importFile(table, { as: rival })).json()).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect(await layoutCount()).toBe(before);
});

test('a hall of 20,000 seats goes out and in again through both formats unchanged', async () => {
  const hall = aGreatHall(20);
  const body = { venueId, name: '큰 홀', ...hall };
  const drawn = (await call('POST', '/api/seller/layouts', { as: seller, body })).json();
  expect(drawn).toMatchObject({ seatCount: 20_000 });
  expect(isDeepStrictEqual(await drawing(drawn.id), { ...hall })).toBe(true);
  for (const [format, type] of Object.entries(mediaTypes)) {
    const out = await call('GET', `/api/seller/layouts/${drawn.id}/export?format=${format}`, { as: seller });
    expect([out.statusCode, out.headers['content-type'], out.headers['content-disposition']]).toEqual([
      200,
      `${type}; charset=utf-8`,
      expect.stringContaining(`layout-${drawn.id}.`),
    ]);
    const back = await importFile(out.rawPayload, { type });
    expect(back.json()).toMatchObject({ layout: { seatCount: 20_000 }, warnings: [] });
    // toEqual would print 20,000 seats to tell a difference.
    expect([format, isDeepStrictEqual(await drawing(back.json().layout.id), { ...hall })]).toEqual([format, true]);
  }
});

test('a broken file names its problems, and nothing is stored', async () => {
  const before = await layoutCount();
  const response = await importFile(`${table}A,1,1,R,oben,0\nA,,4,R,0,0\n`);
  expect([response.statusCode, response.json()]).toMatchObject([
    422,
    {
      code: 'LAYOUT_FILE_INVALID',
      detail: 'line 4: x "oben" is not a number; 2 more',
      errors: [
        { line: 4, field: 'x', message: '"oben" is not a number' },
        { line: 4, field: 'seat', message: '"1" is used twice' },
        { line: 5, field: 'row', message: 'is empty' },
      ],
      errorsTotal: 3,
    },
  ]);
  const noPlan = await importFile('{"zones": [\n}', { type: mediaTypes.pretix });
  expect(noPlan.json()).toMatchObject({ code: 'LAYOUT_FILE_INVALID', errors: [{ line: 2 }] });
  expect(await layoutCount()).toBe(before);
});

test('the same key with the same file makes one layout; with another file it is refused', async () => {
  const headers = { 'idempotency-key': server.nextId() };
  const first = await importFile(table, { headers });
  const again = await importFile(table, { headers });
  expect([again.statusCode, again.json(), again.headers['idempotent-replayed']]).toEqual([201, first.json(), 'true']);
  const other = await importFile(`${table}A,1,3,R,20,0\n`, { headers });
  expect([other.statusCode, other.json().code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
});

test('who may not, what is no file and what lacks a name are refused', async () => {
  const buyer = server.person('buyer');
  const { id } = (await importFile(table)).json().layout;
  const codes = async (asked: Promise<{ statusCode: number; json(): { code: string } }>) => {
    const response = await asked;
    return [response.statusCode, response.json().code];
  };
  const exporting = (as: Identity, format = 'csv') =>
    call('GET', `/api/seller/layouts/${id}/export?format=${format}`, { as });
  expect(await codes(importFile(table, { as: buyer }))).toEqual([403, 'FORBIDDEN']);
  expect(await codes(exporting(rival))).toEqual([403, 'FORBIDDEN']);
  expect(await codes(exporting(seller, 'pdf'))).toEqual([400, 'VALIDATION_FAILED']);
  expect(await codes(importFile(table, { type: 'application/vnd.ms-excel' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(await codes(importFile('', { type: 'text/csv' }))).toEqual([422, 'LAYOUT_FILE_INVALID']);
  expect(await codes(call('POST', `/api/seller/layouts/import?venueId=${venueId}&name=x`, { as: seller }))).toEqual([
    400,
    'MALFORMED_BODY',
  ]);
  expect(await codes(importFile(table, { query: `venueId=${venueId}` }))).toEqual([400, 'VALIDATION_FAILED']);
  const nowhere = await importFile(table, { query: `venueId=${server.nextId()}&name=x` });
  expect(nowhere.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'query.venueId' }] });
});

test('a drawing that was stored in version 1 is read everywhere as one of version 2', async () => {
  const places = await server.places(seller, { sections: 2, rows: 1, seats: 2, standing: [10] });
  const old = {
    sections: [
      {
        id: 'A',
        name: 'A구역',
        nameEn: null,
        grade: 'VIP',
        rows: [{ label: '1', seats: [{ label: '1', x: 3, y: 4, grade: 'VIP' }] }],
      },
      { id: 'B', name: 'B구역', nameEn: null, grade: 'R', rows: [{ label: '1', seats: [{ label: '1', x: 1, y: 2 }] }] },
    ],
    standingAreas: [{ id: 'Z1', name: '스탠딩', nameEn: null, capacity: 10 }],
  };
  const { layoutId } = places;
  await server.database.query('UPDATE catalog.layouts SET document = $2 WHERE id = $1', [
    layoutId,
    JSON.stringify(old),
  ]);
  const none = { floor: null, floorEn: null, outline: null };
  expect(await drawing(layoutId)).toEqual({
    documentVersion: 2,
    stage: null,
    texts: [],
    sections: [
      { ...old.sections[0], ...none, rows: [{ label: '1', seats: [{ label: '1', x: 3, y: 4 }] }] },
      { ...old.sections[1], ...none },
    ],
    standingAreas: [{ ...old.standingAreas[0], outline: null }],
  });
  const shown = (await call('GET', `/api/layouts/${layoutId}`)).json();
  expect(shown).toMatchObject({
    documentVersion: 2,
    stage: null,
    sections: [{ floor: null, outline: null }, {}],
    standingAreas: [{ id: 'Z1', outline: null }],
    seatMarks: { accessible: [], companion: [], restrictedView: [] },
    notes: [],
  });
  const internal = server.catalog.internal as { layoutById(input: { layoutId: string }): Promise<unknown> };
  expect(await internal.layoutById({ layoutId })).toEqual({ layout: shown });
  for (const [format, type] of Object.entries(mediaTypes)) {
    const out = await call('GET', `/api/seller/layouts/${layoutId}/export?format=${format}`, { as: seller });
    const back = await importFile(out.rawPayload, { type });
    expect(await drawing(back.json().layout.id)).toEqual(await drawing(layoutId));
  }
  const { id } = await server.published(seller, places, { standingPrices: [{ areaId: 'Z1', priceKrw: 1 }] });
  expect((await call('GET', `/api/events/${id}`)).json()).toMatchObject({
    layoutId,
    ticketTypes: [{ areaId: 'Z1', capacity: 10 }],
  });
});
