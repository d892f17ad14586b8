import { randomUUID } from 'node:crypto';
import { Value } from 'typebox/value';
import { afterAll, expect, test } from 'vitest';
import type { Database, Queryable } from '#platform/postgres/database.ts';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { HoldVerdict, SeatShield } from '../ports.ts';
import { applyPayments, prepare } from '../storage/transitions.ts';
import { aHoldDesk, expectConsistent, tally } from '../testing/a-hold-desk.ts';
import { aSale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aPinned } from '../testing/payments.ts';
import { reservationRow, ticketsOf, told } from '../testing/seen.ts';
import { reservationHolds } from '../topics.ts';

const database = await aTicketingDatabase();
afterAll(async () => {
  // After every moment of these tests: a hold that another one took over later is no contradiction then.
  await setDatabaseClock(database, new Date(Date.now() + 3_600_000));
  expect((await checkLedger(database)).events).toBeGreaterThan(0);
});
const desk = aHoldDesk(database);
const holdMs = 5 * 60_000;

function reservationIn(verdict: HoldVerdict) {
  if (!('reservation' in verdict)) throw new Error(`refused: ${verdict.status}`);
  return verdict.reservation;
}

/** Everything in `work` happens at this moment of the database. */
async function at(ms: number, work: () => Promise<void>): Promise<void> {
  await setDatabaseClock(database, new Date(ms));
  try {
    await work();
  } finally {
    await releaseDatabaseClock(database);
  }
}

test('a hold ends at its time: a millisecond before it is kept, from then on it is somebody else’s', async () => {
  const sale = await aSale(database);
  const beginMs = Date.now();
  await at(beginMs, async () => {
    for (const seatNo of [1, 2, 3]) await desk.hold(sale, { seatNos: [seatNo] });
  });
  const ask = async (ms: number, seatNo: number) => {
    let status = '';
    await at(ms, async () => {
      status = (await desk.hold(sale, { seatNos: [seatNo] })).status;
    });
    return status;
  };
  expect(await ask(beginMs + holdMs - 1, 1)).toBe('taken');
  expect(await ask(beginMs + holdMs, 2)).toBe('granted');
  expect(await ask(beginMs + holdMs + 1, 3)).toBe('granted');
  await at(beginMs + holdMs + 1, () => expectConsistent(database, sale));
});

test('a holder who was frozen until the seat was sold on is refused by the fence', async () => {
  const sale = await aSale(database, { priceKrw: 0 });
  const [slow, quick] = [randomUUID(), randomUUID()];
  const beginMs = Date.now();
  let first = '';
  await at(beginMs, async () => {
    first = reservationIn(await desk.hold(sale, { userId: slow, seatNos: [5] })).id;
  });
  await at(beginMs + holdMs, async () => {
    const second = reservationIn(await desk.hold(sale, { userId: quick, seatNos: [5] }));
    expect(second.fence).toBe(2);
    expect(await confirm(second.id, quick)).toBe('confirmed');
    // Even if its time had not been over, as far as the row says: the seat is no longer under its fence.
    await database.query(
      `UPDATE ticketing.reservations SET expires_at = expires_at + interval '1 hour' WHERE id = $1`,
      [first],
    );
    expect(await confirm(first, slow)).toBe('expired');
    await database.query(
      `UPDATE ticketing.reservations SET expires_at = expires_at - interval '1 hour' WHERE id = $1`,
      [first],
    );
    await expectConsistent(database, sale);
  });
});

async function confirm(reservationId: string, userId: string): Promise<string | undefined> {
  const { rows } = await database.query<{ verdict: string }>('SELECT ticketing.confirm_free($1, $2) AS verdict', [
    reservationId,
    userId,
  ]);
  return rows[0]?.verdict;
}

test('a repeated key is answered with the reservation as it is now; another body is refused, another user is another key', async () => {
  const sale = await aSale(database);
  const userId = randomUUID();
  const wish = { userId, key: 'k-1', seatNos: [0, 1] };
  const granted = reservationIn(await desk.hold(sale, wish));
  expect(await desk.hold(sale, wish)).toEqual({ status: 'replayed', reservation: granted });
  expect(await desk.hold(sale, { ...wish, fingerprint: 'another' })).toEqual({ status: 'mismatch' });
  expect(await desk.hold(sale, { ...wish, userId: randomUUID() })).toMatchObject({ status: 'taken', seatNos: [0, 1] });
  await at(Date.parse(granted.expiresAt), async () => {
    expect(await desk.hold(sale, { seatNos: [0] })).toMatchObject({ status: 'granted' });
    expect(await desk.hold(sale, wish)).toMatchObject({
      status: 'replayed',
      reservation: { id: granted.id, status: 'expired' },
    });
  });
});

test('the same seats again are the same hold, which ends when it did; a key that got nothing may be tried again', async () => {
  const sale = await aSale(database);
  const userId = randomUUID();
  const first = reservationIn(await desk.hold(sale, { userId, seatNos: [3, 4] }));
  expect(await desk.hold(sale, { userId, seatNos: [4, 3] })).toEqual({ status: 'same', reservation: first });
  expect(await desk.hold(sale, { userId, seatNos: [4, 3], replaces: first.id })).toEqual({
    status: 'same',
    reservation: first,
  });
  const key = 'refused at first';
  const other = randomUUID();
  expect(await desk.hold(sale, { userId: other, key, seatNos: [4, 5] })).toMatchObject({
    status: 'taken',
    seatNos: [4],
  });
  const moved = reservationIn(await desk.hold(sale, { userId, seatNos: [3, 6], replaces: first.id }));
  expect(moved).toMatchObject({ expiresAt: first.expiresAt, fence: 2 });
  expect(await desk.hold(sale, { userId: other, key, seatNos: [4, 5] })).toMatchObject({ status: 'granted' });
  await expectConsistent(database, sale);
});

test('what is told of holds passes the schemas of its topics', async () => {
  const sale = await aSale(database, { ticketTypes: [{ capacity: 10 }] });
  const userId = randomUUID();
  const first = reservationIn(await desk.hold(sale, { userId, seatNos: [3, 4] }));
  await desk.hold(sale, {
    userId,
    items: [{ ticketTypeId: sale.ticketTypes[0]?.ticketTypeId ?? '', quantity: 2 }],
    replaces: first.id,
  });
  const { rows } = await database.query<{ envelope: { type: string; data: unknown } }>(
    `SELECT envelope FROM urr.outbox WHERE topic = $1 AND key = $2 ORDER BY id`,
    [reservationHolds.name, sale.eventId],
  );
  expect(rows).toHaveLength(2);
  for (const { envelope } of rows) {
    expect([...Value.Errors(reservationHolds.types.RESERVATIONS_CREATED.data, envelope.data)]).toEqual([]);
  }
  expect(await told(database, first.id)).toMatchObject([
    { type: 'RESERVATION_EXPIRED', data: { released: true, userId, sellerId: sale.sellerId } },
  ]);
});

test('a sale that closes takes no more holds; what is held may be paid for, or confirmed, until its time ends', async () => {
  const sale = await aSale(database, { ticketTypes: [{ capacity: 10, priceKrw: 0 }] });
  const items = [{ ticketTypeId: sale.ticketTypes[0]?.ticketTypeId ?? '', quantity: 1 }];
  const userId = randomUUID();
  const paid = reservationIn(await desk.hold(sale, { userId, seatNos: [0] }));
  const free = reservationIn(await desk.hold(sale, { userId, items }));
  await database.query(
    `UPDATE ticketing.events SET sale_closes_at = date_trunc('milliseconds', urr.now()) WHERE event_id = $1`,
    [sale.eventId],
  );
  expect(await desk.hold(sale, { seatNos: [1] })).toEqual({ status: 'over' });
  expect(await desk.hold(sale, { items })).toEqual({ status: 'over' });
  expect(await desk.hold(sale, { userId, seatNos: [1], replaces: paid.id })).toEqual({ status: 'over' });
  expect((await prepare(database, { reservationId: paid.id, userId })).verdict).toBe('ready');
  const payment = await aPinned(database, { id: paid.id, userId, totalKrw: paid.totalKrw });
  await applyPayments(database, [payment.confirmed()], 1);
  expect(await confirm(free.id, userId)).toBe('confirmed');
  for (const { id } of [paid, free]) {
    expect((await reservationRow(database, id)).status).toBe('confirmed');
    expect((await ticketsOf(database, id)).map(({ state }) => state)).toEqual(['issued']);
  }
  await expectConsistent(database, sale);
});

test('a limit that is lowered mid-sale counts from then on, also for a process that had not heard of it', async () => {
  const sale = await aSale(database, { purchaseLimit: 4 });
  const userId = randomUUID();
  await desk.hold(sale, { userId, seatNos: [0, 1] });
  await database.query(
    `UPDATE ticketing.events SET version = 2, purchase_limit = 2, facts = jsonb_set(facts, '{version}', '2') WHERE event_id = $1`,
    [sale.eventId],
  );
  expect((await desk.books.get(sale.eventId))?.version).toBe(1);
  expect(await desk.hold(sale, { userId, seatNos: [2] })).toEqual({ status: 'limit', limit: 2, have: 2 });
  expect((await desk.books.get(sale.eventId))?.version).toBe(2);
});

test('who may not buy yet is told from when on; who never may is told so', async () => {
  const opensAt = new Date(Date.now() + 3_600_000).toISOString();
  const members = aHoldDesk(database, { tiers: { tierOf: async () => 'silver' } });
  const sale = await aSale(database);
  const setPhases = (phases: unknown) =>
    database.query(`UPDATE ticketing.events SET facts = jsonb_set(facts, '{phases}', $2) WHERE event_id = $1`, [
      sale.eventId,
      JSON.stringify(phases),
    ]);
  const began = new Date(Date.now() - 3_600_000).toISOString();
  await setPhases([
    { tier: 'diamond', opensAt: began },
    { tier: 'silver', opensAt },
  ]);
  expect(await members.hold(sale, { seatNos: [0] })).toEqual({
    status: 'tier-not-open',
    opensAtMs: Date.parse(opensAt),
  });
  expect(await aHoldDesk(database).hold(sale, { seatNos: [0] })).toEqual({ status: 'tier-not-open', opensAtMs: null });
  await setPhases([{ tier: 'silver', opensAt: began }]);
  expect(
    await aHoldDesk(database, { tiers: { tierOf: async () => 'gold' } }).hold(sale, { seatNos: [0] }),
  ).toMatchObject({
    status: 'granted',
    reservation: { feeKrw: 2_000, totalKrw: 52_000 },
  });
});

test('seat numbers of another plan than the one that is sold hold nothing', async () => {
  const sale = await aSale(database);
  expect(await desk.hold(sale, { seatNos: [0], offer: 'an older one' })).toEqual({ status: 'other-offer' });
  expect((await desk.hold(sale, { seatNos: [0] })).status).toBe('granted');
  await expectConsistent(database, sale);
});

test('places that lapsed come back when somebody asks for more than is left', async () => {
  const sale = await aSale(database, { seats: 0, ticketTypes: [{ capacity: 8 }] });
  const items = [{ ticketTypeId: sale.ticketTypes[0]?.ticketTypeId ?? '', quantity: 4 }];
  const beginMs = Date.now();
  await at(beginMs, async () => {
    for (let n = 0; n < 2; n++) expect(await desk.hold(sale, { items })).toMatchObject({ status: 'granted' });
    expect(await desk.hold(sale, { items })).toMatchObject({ status: 'short', left: [{ left: 0 }] });
  });
  await at(beginMs + holdMs, () =>
    eventually(async () => (await desk.hold(sale, { items })).status === 'granted', {
      withinMs: 60_000,
      what: 'lapsed places',
    }).then(() => undefined),
  );
  await at(beginMs + holdMs, () => expectConsistent(database, sale));
});

test('lapsed places come back however many seats lapsed before them, piece by piece, to all who ask at once', async () => {
  const sale = await aSale(database, { seats: 600, ticketTypes: [{ capacity: 20 }, { capacity: 1 }] });
  const [wide, narrow] = sale.ticketTypes.map(({ ticketTypeId }) => ticketTypeId);
  const places = (ticketTypeId = '', quantity = 1) => ({ items: [{ ticketTypeId, quantity }] });
  const beginMs = Date.now();
  await at(beginMs, async () => {
    await Promise.all(Array.from({ length: 600 }, (_, n) => desk.hold(sale, { seatNos: [n] })));
  });
  await at(beginMs + 1, async () => {
    const held = await Promise.all(Array.from({ length: 20 }, () => desk.hold(sale, places(wide))));
    expect(tally(held)).toEqual({ granted: 20 });
    expect(await desk.hold(sale, places(narrow))).toMatchObject({ status: 'granted' });
  });
  await at(beginMs + 1 + holdMs, async () => {
    const parties = await Promise.all(Array.from({ length: 5 }, () => desk.hold(sale, places(wide, 4))));
    expect(tally(parties)).toEqual({ granted: 5 });
    // Looking through one ticket type says nothing of another.
    expect(await desk.hold(sale, places(wide))).toMatchObject({ status: 'short' });
    expect(await desk.hold(sale, places(narrow))).toMatchObject({ status: 'granted' });
    await expectConsistent(database, sale);
  });
});

test('one request that makes the statement fail is found, and the others of its batch are answered', async () => {
  const sale = await aSale(database, { seats: 64 });
  const poison = randomUUID();
  const faulty = failing(database, (values) => JSON.stringify(values).includes(poison));
  const broken = aHoldDesk(faulty);
  await broken.books.get(sale.eventId);
  const verdicts = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) => broken.hold(sale, { userId: n === 23 ? poison : randomUUID(), seatNos: [n] })),
  );
  expect(verdicts.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([23]);
  expect(verdicts.every((each) => each.status === 'rejected' || each.value.status === 'granted')).toBe(true);
  await expectConsistent(database, sale);
});

test('a reservation number that is taken is drawn again', async () => {
  const sale = await aSale(database);
  let draws = 0;
  const random = { fraction: Math.random, bytes: (count: number) => Buffer.alloc(count, draws++ < 3 ? 1 : draws) };
  const repetitive = aHoldDesk(database, { random });
  expect((await repetitive.hold(sale, { seatNos: [0] })).status).toBe('granted');
  expect((await repetitive.hold(sale, { seatNos: [1] })).status).toBe('granted');
});

test('a row that stays locked makes busy who needs it, and nobody else', async () => {
  const sale = await aSale(database);
  const locked = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const holder = database.transaction(async (tx) => {
    await tx.query('SELECT FROM ticketing.seats WHERE event_id = $1 AND seat_no = 1 FOR UPDATE', [sale.eventId]);
    locked.resolve();
    await done.promise;
  });
  await locked.promise;
  const verdicts = await Promise.all([0, 1, 2].map((seatNo) => desk.hold(sale, { seatNos: [seatNo] })));
  done.resolve();
  await holder;
  expect(verdicts.map(({ status }) => status)).toEqual(['granted', 'busy', 'granted']);
  expect((await desk.hold(sale, { seatNos: [1] })).status).toBe('granted');
  await expectConsistent(database, sale);
});

test('anyone who swaps and prepares again and again keeps a seat for ten minutes in all', async () => {
  const sale = await aSale(database);
  const userId = randomUUID();
  const beginMs = Date.now();
  await at(beginMs, async () => {
    let held = reservationIn(await desk.hold(sale, { userId, seatNos: [4, 5] }));
    for (const [round, minutes] of [4.9, 9, 9.9].entries()) {
      await setDatabaseClock(database, new Date(beginMs + minutes * 60_000));
      await prepare(database, { reservationId: held.id, userId });
      const seatNos = round % 2 === 0 ? [4] : [4, 5];
      held = reservationIn(await desk.hold(sale, { userId, seatNos, replaces: held.id }));
    }
    await setDatabaseClock(database, new Date(beginMs + 10 * 60_000));
    expect(await desk.hold(sale, { seatNos: [4] })).toMatchObject({ status: 'granted' });
  });
});

test('the shield refuses what it knows without a query, and hears what the database says', async () => {
  const sale = await aSale(database);
  const calls: unknown[] = [];
  const asked: number[] = [];
  const shield: SeatShield = {
    taken: async (_, requests) => {
      asked.push(requests.length);
      return requests.map(({ seatNos }) => seatNos.filter((seatNo) => seatNo === 9));
    },
    note: (_, seats) => calls.push(['note', ...seats]),
    drop: (_, seats) => calls.push(['drop', ...seats]),
  };
  const shielded = aHoldDesk(database, { shield });
  const [one, two] = [randomUUID(), randomUUID()];
  const twoAtOnce = (seatNos: readonly number[]) =>
    Promise.all(seatNos.map((seatNo) => shielded.hold(sale, { userId: two, seatNos: [seatNo] })));
  expect(await twoAtOnce([4, 5])).toMatchObject([{ status: 'granted' }, { status: 'granted' }]);
  // Alone, a request asks the database, which is as quick; two at once ask the shield, once somebody was refused.
  expect(asked).toEqual([]);
  await shielded.hold(sale, { userId: one, seatNos: [4] });
  expect(await twoAtOnce([8, 9])).toMatchObject([{ status: 'granted' }, { status: 'taken', seatNos: [9] }]);
  expect(asked).toEqual([2]);
  calls.splice(0);
  const first = reservationIn(await shielded.hold(sale, { userId: one, seatNos: [1] }));
  await shielded.hold(sale, { userId: two, seatNos: [1, 2] });
  await shielded.hold(sale, { userId: one, seatNos: [1, 3], replaces: first.id });
  const held = (seatNo: number, fence: number) => ({ seatNo, userId: one, fence, heldForMs: expect.any(Number) });
  expect(calls).toEqual([
    ['note', held(1, 1)],
    ['note', held(1, 1)],
    ['drop', { seatNo: 1, fence: 1 }],
    ['note', held(1, 2), held(3, 1)],
  ]);
  expect(asked).toEqual([2]);
  await expectConsistent(database, sale);
});

const isBatch = (text: string) => text.includes('hold_batch');

/** Batches of which this is true fail in the server. */
function failing(real: Database, isPoisoned: (values: readonly unknown[]) => boolean): Database {
  const query: Queryable['query'] = (text, values = [], options) =>
    isBatch(text) && isPoisoned(values) ? real.query('SELECT 1 / 0') : real.query(text, values, options);
  return { ...real, query };
}
