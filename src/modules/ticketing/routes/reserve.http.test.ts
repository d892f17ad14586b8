import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { enforceEntry, holdSlots } from '#platform/http/entry.ts';
import { registerRoutes } from '#platform/http/routes.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { lockNameOf } from '#platform/idempotency.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { eventually } from '#test/kit/faults.ts';
import { ticketingErrors } from '../errors.ts';
import { createEventBooks } from '../service/books.ts';
import { createHolds } from '../service/holds.ts';
import { expectConsistent } from '../testing/a-hold-desk.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { lockSeats, lockShards, whileLocked } from '../testing/locked-rows.ts';
import { createReserveHandlers } from './reserve-handlers.ts';
import { seatContracts } from './seat-contracts.ts';

const database = await aTicketingDatabase();
const ids = createIds({ clock: systemClock, random: systemRandom });
const books = createEventBooks({ database, clock: systemClock });
const holds = createHolds({
  ...{ database, books, ids, clock: systemClock, random: systemRandom, metrics: createMetrics(), shield: null },
  bus: { publish: async () => undefined, wakeRelays: () => undefined },
  tiers: { tierOf: async () => 'general' },
});
const app = createHttpServer({ logger: silentLogger, ids });
app.addHook('onRequest', async (request) => {
  const { 'x-test-user': userId, 'x-test-slot': eventId } = request.headers;
  request.user = typeof userId === 'string' ? { userId, email: '', role: 'buyer' } : null;
  holdSlots(request, typeof eventId === 'string' ? [{ eventId, slotId: 'slot' }] : []);
});
enforceEntry(app);
const { reserveSeats, reserveStanding } = seatContracts;
registerRoutes(app, { reserveSeats, reserveStanding }, createReserveHandlers({ books, holds, ids }));
await app.listen({ host: '127.0.0.1', port: 0 });
const { port } = app.server.address() as AddressInfo;
atEnd(async () => {
  await app.close();
  await holds.stop();
});

const sale = await aSale(database, { seats: 30, ticketTypes: [{ capacity: 10 }] });
const other = await aSale(database, { seats: 40 });
const ticketTypeId = sale.ticketTypes[0]?.ticketTypeId ?? '';
const [seats, standing] = ['/api/seats/reserve', '/api/reservations'];

async function post(
  path: string,
  body: unknown,
  options: { userId?: string; key?: string; slotOf?: Sale | null } = {},
) {
  const { userId = randomUUID(), key, slotOf = sale } = options;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-test-user': userId },
      ...(slotOf && { 'x-test-slot': slotOf.eventId }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  // Whatever a test provokes, the contract has to declare.
  const { problems } = path === seats ? reserveSeats : reserveStanding;
  const isOurs = Object.keys(ticketingErrors.table).some((code) => code === answer.code);
  if (isOurs) expect(problems).toContain(answer.code);
  return { status: response.status, headers: response.headers, body: answer };
}

const ofSeats = (...seatIds: string[]) => ({ eventId: sale.eventId, seatIds });

test('seats that were chosen are held: 201, a number to read aloud, and a key to repeat with', async () => {
  const userId = randomUUID();
  const made = await post(seats, ofSeats(sale.seatId(0), sale.seatId(1)), { userId });
  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    ...{
      eventId: sale.eventId,
      status: 'pending',
      paymentStatus: 'none',
      feeKrw: 6_000,
      totalKrw: 106_000,
      fence: 1,
      items: [],
    },
    seats: [
      { seatId: 'A-1-1', section: 'A', row: '1', label: '1', grade: 'R', priceKrw: 50_000 },
      { seatId: 'A-1-2', label: '2' },
    ],
  });
  expect(made.body.reservationNumber).toMatch(/^[2-9A-HJKMNP-TV-Z]{4}-[2-9A-HJKMNP-TV-Z]{4}$/);
  const key = made.headers.get('idempotency-key') ?? '';
  const repeated = await post(seats, ofSeats(sale.seatId(0), sale.seatId(1)), { userId, key });
  expect(repeated).toMatchObject({ status: 201, body: made.body });
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  const again = await post(seats, ofSeats(sale.seatId(1), sale.seatId(0)), { userId });
  expect(again).toMatchObject({ status: 200, body: made.body });
  expect(await post(seats, ofSeats(sale.seatId(5)), { userId, key })).toMatchObject({
    status: 422,
    body: { code: 'IDEMPOTENCY_MISMATCH' },
  });
});

test('refusals say what is in the way', async () => {
  const userId = randomUUID();
  expect((await post(seats, ofSeats(sale.seatId(10)), { userId })).status).toBe(201);
  expect(await post(seats, ofSeats(sale.seatId(9), sale.seatId(10)))).toMatchObject({
    ...{ status: 409, body: { code: 'SEAT_TAKEN', taken: [sale.seatId(10)] } },
  });
  const four = Array.from({ length: 4 }, (_, n) => sale.seatId(11 + n));
  expect(await post(seats, ofSeats(...four), { userId })).toMatchObject({
    status: 409,
    body: { code: 'PURCHASE_LIMIT', limit: 4, have: 1 },
  });
  const many = { eventId: sale.eventId, items: [{ ticketTypeId, quantity: 11 }] };
  expect(await post(standing, many)).toMatchObject({
    status: 409,
    body: { code: 'NOT_ENOUGH_LEFT', left: [{ ticketTypeId, left: 10 }] },
  });
  const replacing = { ...ofSeats(sale.seatId(20)), replaces: randomUUID() };
  expect(await post(seats, replacing)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('standing places are held by how many', async () => {
  const made = await post(standing, { eventId: sale.eventId, items: [{ ticketTypeId, quantity: 3 }] });
  expect(made).toMatchObject({
    status: 201,
    body: { fence: 0, seats: [], items: [{ ticketTypeId, areaId: 'Z1', quantity: 3, priceKrw: 30_000 }] },
  });
  expect(made.body).toMatchObject({ feeKrw: 9_000, totalKrw: 99_000 });
});

test('places and seats that somebody has in hand are busy: 409 with Retry-After, and nothing is held', async () => {
  const busy = await aSale(database, { ticketTypes: [{ capacity: 10 }] });
  const { eventId } = busy;
  const type = busy.ticketTypes[0]?.ticketTypeId ?? '';
  const wishes = [
    {
      ...{ path: standing, body: { eventId, items: [{ ticketTypeId: type, quantity: 1 }] } },
      lock: lockShards(type),
    },
    {
      ...{ path: seats, body: { eventId, seatIds: ['A-1-1'] } },
      lock: lockSeats(eventId),
    },
  ];
  for (const { path, body, lock } of wishes) {
    await whileLocked(database, [lock], async () => {
      // The first try's own key may still be locked for a moment when the batch is run again: as a client does, once more.
      const isBusy = async () => {
        const refused = await post(path, body, { slotOf: busy });
        expect(refused.status).toBe(409);
        expect(refused.headers.get('retry-after')).not.toBeNull();
        expect(['SEATS_BUSY', 'IDEMPOTENCY_IN_FLIGHT']).toContain(refused.body.code);
        return refused.body.code === 'SEATS_BUSY';
      };
      await eventually(isBusy, { withinMs: 60_000, what: 'SEATS_BUSY' });
    });
    expect((await post(path, body, { slotOf: busy })).status).toBe(201);
  }
  await expectConsistent(database, busy);
});

test('a key that another process is working on gets 409 with Retry-After, and may be repeated', async () => {
  const [userId, key] = [randomUUID(), 'elsewhere'];
  const asked = ofSeats(sale.seatId(29));
  const lock = {
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 7277))',
    values: [lockNameOf({ userId, method: 'POST', route: seats, key })],
  };
  await whileLocked(database, [lock], async () => {
    const refused = await post(seats, asked, { userId, key });
    expect(refused).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_IN_FLIGHT' } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    // Another user's key of the same name is another key.
    expect((await post(seats, ofSeats(sale.seatId(27)), { key })).status).toBe(201);
  });
  expect((await post(seats, asked, { userId, key })).status).toBe(201);
});

test('what is no request for seats of this event is refused with 400, and holds nothing', async () => {
  const before = await post(seats, ofSeats(sale.seatId(25)));
  expect(before.status).toBe(201);
  const wrong: [string, unknown][] = [
    [seats, ofSeats('A-1-3', 'A-1-3')],
    [seats, ofSeats('A-1-99')],
    [seats, ofSeats('A-4-1')],
    [seats, ofSeats('Z1')],
    [seats, ofSeats()],
    [seats, ofSeats(...Array.from({ length: 21 }, (_, n) => sale.seatId(n)))],
    [seats, { ...ofSeats('A-1-3'), replaces: 'mine' }],
    [standing, { eventId: sale.eventId, items: [{ ticketTypeId, quantity: 0 }] }],
    [standing, { eventId: sale.eventId, items: [{ ticketTypeId, quantity: -1 }] }],
    [standing, { eventId: sale.eventId, items: [{ ticketTypeId, quantity: 1.5 }] }],
    [standing, { eventId: sale.eventId, items: [{ ticketTypeId, quantity: 21 }] }],
    [standing, { eventId: sale.eventId, items: [] }],
    [standing, { eventId: sale.eventId, items: [{ ticketTypeId: randomUUID(), quantity: 1 }] }],
    [
      standing,
      {
        eventId: sale.eventId,
        items: [
          { ticketTypeId, quantity: 1 },
          { ticketTypeId, quantity: 1 },
        ],
      },
    ],
  ];
  for (const [path, body] of wrong) {
    expect(await post(path, body), JSON.stringify(body)).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
  }
  expect(await post(seats, ofSeats('A-1-3'), { key: 'two words' })).toMatchObject({ status: 400 });
  await expectConsistent(database, sale);
});

test('a slot of another event opens nothing', async () => {
  const refused = await post(seats, ofSeats(sale.seatId(28)), { slotOf: other });
  expect(refused.status).toBe(403);
  expect((await post(seats, ofSeats(sale.seatId(28)), { slotOf: null })).status).toBe(403);
});

test('an event that ticketing has not heard of is not found', async () => {
  const unknown = { ...sale, eventId: randomUUID() };
  expect(await post(seats, { eventId: unknown.eventId, seatIds: ['A-1-1'] }, { slotOf: unknown })).toMatchObject({
    status: 404,
  });
});

test('while the seats do not match the newest offer nothing is held', async () => {
  const rebuilt = await aSale(database);
  await database.query(`UPDATE ticketing.events SET version = 2, offer = 'a newer one' WHERE event_id = $1`, [
    rebuilt.eventId,
  ]);
  const refused = await post(seats, { eventId: rebuilt.eventId, seatIds: ['A-1-1'] }, { slotOf: rebuilt });
  expect(refused).toMatchObject({ status: 503, body: { code: 'SEATS_NOT_READY' } });
  expect(refused.headers.get('retry-after')).not.toBeNull();
});

test.each([
  ['cancelled', 'cancelled_at = urr.now()', { status: 409, body: { code: 'SALE_OVER' } }],
  ['without seats', `offer = 'a newer one'`, { status: 503, body: { code: 'SEATS_NOT_READY' } }],
])(
  'an event that is %s holds nothing more, and a key that was granted gets its reservation',
  async (_, change, refusal) => {
    const ended = await aSale(database, { ticketTypes: [{ capacity: 10 }] });
    const { eventId, ticketTypes } = ended;
    const ofPlaces = { eventId, items: [{ ticketTypeId: ticketTypes[0]?.ticketTypeId, quantity: 1 }] };
    const requests = [
      { path: seats, body: { eventId, seatIds: ['A-1-1'] }, userId: randomUUID() },
      { path: standing, body: ofPlaces, userId: randomUUID() },
    ];
    const ask = ({ path, body, userId }: (typeof requests)[number], key: string) =>
      post(path, body, { userId, key, slotOf: ended });
    const made = await Promise.all(requests.map((request) => ask(request, 'granted')));
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    await database.query(`UPDATE ticketing.events SET version = 2, ${change} WHERE event_id = $1`, [eventId]);
    await books.renew(eventId);
    for (const [n, request] of requests.entries()) {
      const replayed = await ask(request, 'granted');
      expect(replayed).toMatchObject({ status: 201, body: { id: made[n]?.body.id } });
      expect(replayed.headers.get('idempotent-replayed')).toBe('true');
      expect(await ask(request, 'a-new-one')).toMatchObject(refusal);
    }
    await expectConsistent(database, ended);
  },
);
