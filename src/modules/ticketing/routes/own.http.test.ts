import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { Reservation, Ticket } from '../schemas.ts';
import { cancel } from '../storage/transitions.ts';
import { aDoor } from '../testing/a-door.ts';
import { aHold } from '../testing/a-hold.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';

const database = await aTicketingDatabase();
const sale = await aSale(database, {
  seats: 40,
  priceKrw: 0,
  purchaseLimit: 20,
  ticketTypes: [{ capacity: 5, priceKrw: 0 }],
});
const door = aDoor(database);
const buyer = door.person('buyer');
const stranger = door.person('buyer');
const { userId } = buyer;
const get = (url: string, as = buyer, headers = {}) => door.call('GET', url, { as, headers });

afterAll(async () => {
  await checkLedger(database);
});

async function pages<Item extends { id: string }>(path: string, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = (await get(`${path}?limit=${limit}${more}`)).json<{ items: Item[]; nextCursor: string | null }>();
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

test('my reservations and tickets come page by page, each once, the newest first', async () => {
  const made: string[] = [];
  for (let n = 0; n < 5; n++) made.push((await aHold(database, sale, { userId, seatNos: [n] })).id);
  const listed = await pages<Reservation>('/api/reservations/my', 2);
  expect(listed.map(({ id }) => id)).toEqual([...made].sort().reverse());

  const tickets = (
    await Promise.all([5, 6, 7].map((n) => door.tickets(sale, { userId, seatNos: [n, n + 10] })))
  ).flat();
  const shown = await pages<Ticket>('/api/tickets/my', 4);
  expect(shown.map(({ id }) => id)).toEqual(
    tickets
      .map(({ ticketId }) => ticketId)
      .sort()
      .reverse(),
  );
  const [one] = tickets;
  const ofOne = (await get(`/api/tickets/my?reservationId=${one?.reservationId}`)).json<{ items: Ticket[] }>();
  expect(ofOne.items.map(({ reservationId }) => reservationId)).toEqual([one?.reservationId, one?.reservationId]);
  expect((await get('/api/tickets/my?cursor=x')).statusCode).toBe(400);
  expect((await get('/api/tickets/my', stranger)).json()).toEqual({ items: [], nextCursor: null });
});

test('a ticket names its seat or area and its show', async () => {
  const [seat] = await door.tickets(sale, { userId, seatNos: [21] });
  const [place] = await door.tickets(sale, { userId, places: [1] });
  expect((await get(`/api/tickets/${seat?.ticketId}`)).json()).toMatchObject({
    event: { title: '먼 데서 온 바람', venue: '누군가', cancelled: false },
    seat: { seatId: 'A-3-2', section: 'A', row: '3', label: '2', grade: 'R' },
    ...{ area: null, state: 'issued', version: 1, checkedInAt: null },
  });
  expect((await get(`/api/tickets/${place?.ticketId}`)).json()).toMatchObject({
    seat: null,
    area: { areaId: 'Z1', name: 'Z1' },
  });
});

test('a hold whose time is over is expired wherever it is shown', async () => {
  const { id } = await aHold(database, sale, { userId, seatNos: [22] });
  expect((await get(`/api/reservations/${id}`)).json().status).toBe('pending');
  const ago = `urr.now() - interval '1 second'`;
  await database.query(`UPDATE ticketing.reservations SET expires_at = ${ago} WHERE id = $1`, [id]);
  expect((await get(`/api/reservations/${id}`)).json().status).toBe('expired');
  // Seats and reservation end together; the ledger says when they did.
  await database.query(
    `UPDATE ticketing.reservations r SET expires_at = s.held_until FROM ticketing.seats s WHERE r.id = $1 AND s.reservation_id = r.id`,
    [id],
  );
});

test('what belongs to somebody else is not there', async () => {
  const [ticket] = await door.tickets(sale, { userId, seatNos: [23] });
  for (const path of [
    ...[`/api/reservations/${ticket?.reservationId}`, `/api/tickets/${ticket?.ticketId}`],
    ...[`/api/tickets/${ticket?.ticketId}/qr`, `/api/tickets/${randomUUID()}`],
  ]) {
    expect([path, (await get(path, stranger)).statusCode]).toEqual([path, 404]);
    expect([path, (await door.call('GET', path)).statusCode]).toEqual([path, 401]);
  }
});

test('the code comes as JSON or as a picture, is kept by no cache, and opens the door', async () => {
  const [ticket] = await door.tickets(sale, { userId, seatNos: [24] });
  const url = `/api/tickets/${ticket?.ticketId}/qr`;
  const accepts = {
    'application/json': ['', '*/*', 'application/json', 'application/json, image/svg+xml'],
    'image/svg+xml': ['image/svg+xml', 'image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5'],
  };
  for (const [type, words] of Object.entries(accepts)) {
    for (const accept of words) {
      const answer = await get(url, buyer, { accept });
      expect([accept, answer.statusCode, answer.headers['content-type']]).toEqual([
        accept,
        200,
        expect.stringContaining(type),
      ]);
      expect([answer.headers['cache-control'], answer.headers.vary]).toEqual(['no-store', 'accept']);
      expect(answer.body.startsWith(type === 'image/svg+xml' ? '<svg ' : '{"code":"urr1.')).toBe(true);
    }
  }
  const { code } = (await get(url)).json();
  const seller = door.person('seller', sale.sellerId);
  expect((await door.call('POST', '/api/check-in', { as: seller, body: { code } })).statusCode).toBe(200);
  // Shown again after it was used: a second scan then says when and where.
  expect((await get(url)).json()).toEqual({ code });
});

test('a ticket that is void or listed has no code, and the refusal says what to do', async () => {
  const [voided, listed] = await door.tickets(sale, { userId, seatNos: [25, 26] });
  const call = { cancellationId: randomUUID(), userId: null, reason: 'staff', seed: 1 } as const;
  const ticketIds = [voided?.ticketId ?? ''];
  await cancel(database, { ...call, reservationId: voided?.reservationId ?? '', ticketIds });
  await database.query(`UPDATE ticketing.tickets SET state = 'listed' WHERE id = $1`, [listed?.ticketId]);
  for (const [reason, ticket] of [
    ['void', voided],
    ['listed', listed],
  ] as const) {
    const answer = await get(`/api/tickets/${ticket?.ticketId}/qr`, buyer, { accept: 'image/svg+xml' });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { code: 'TICKET_NOT_VALID', reason, detail: expect.stringMatching(/Look|End/) },
    ]);
  }
  await database.query(`UPDATE ticketing.tickets SET state = 'issued' WHERE id = $1`, [listed?.ticketId]);
});
