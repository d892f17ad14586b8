import { afterAll, describe, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { setDatabaseClock } from '#test/kit/database-clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import { checkLedger as throwOnContradiction } from '#test/kit/ticketing/check-ledger.ts';
import { aRandomSale, countingIds } from '../testing/random-sale.ts';
import { createSaleBook, type SaleBook } from '../testing/sale-book.ts';
import { storeSaleBook } from '../testing/store-sale-book.ts';
import { checkLedger } from './check-ledger.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
afterAll(() => database.close());
const ids = countingIds();

async function contradictionOf(book: SaleBook): Promise<string | null> {
  await setDatabaseClock(database, new Date(book.now()));
  const verdict = await checkLedger(database, { eventId: book.eventId });
  if (verdict.status !== 'checked') throw new Error(verdict.status);
  return verdict.report.contradiction;
}

/** The ledger refuses changes, unless somebody takes its guard away. */
async function withoutGuard(statement: string, values: readonly unknown[]): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query('ALTER TABLE ticketing.ledger DISABLE TRIGGER ledger_append_only');
    await tx.query(statement, values);
    await tx.query('ALTER TABLE ticketing.ledger ENABLE TRIGGER ledger_append_only');
  });
}

/** A seat sold to each of two buyers, one held, one in payment, one back after a delay, one blocked; standing sold and held; a ticket cancelled and one scanned. */
async function aSale() {
  const book = createSaleBook({ seatCount: 10, capacities: [50], ...ids });
  const [sold, pending, paying, standing] = [
    book.hold(ids.nextId(), [0, 1]),
    book.hold(ids.nextId(), [2]),
    book.hold(ids.nextId(), [3]),
    book.hold(ids.nextId(), [], [3]),
  ].map((id) => {
    const found = book.reservations.get(id ?? '');
    if (found === undefined) throw new Error('not granted');
    return found;
  });
  if (!sold || !pending || !paying || !standing) throw new Error('not granted');
  book.pin(sold);
  book.confirm(sold);
  book.extend(pending);
  book.pin(paying);
  book.confirm(standing);
  book.cancel(sold, ({ seat_no }) => seat_no === 1, 60_000);
  book.block(9);
  const [scanned] = [...book.tickets.values()].filter(({ reservation_id }) => reservation_id === standing.id);
  if (scanned) book.checkIn(scanned);
  book.hold(ids.nextId(), [], [2]);
  await storeSaleBook(database, book);
  return { book, sold, pending, paying, standing };
}

test('a legal random history passes, and whatever the ids of its rows are', async () => {
  const random = createSeededRandom(testSeed());
  let ledgerRows = 0;
  for (let n = 0; n < 40; n++) {
    const book = aRandomSale(random, { seatCount: 8, capacities: n % 2 ? [6, 3] : [], acts: 120, ...ids });
    ledgerRows += book.ledger.length;
    if (n % 2 === 0) shuffleIds(book);
    await storeSaleBook(database, book);
    expect(await contradictionOf(book), `seed ${testSeed()}, sale ${n}`).toBe(null);
  }
  await setDatabaseClock(database, new Date('2028-01-01T00:00:00.000Z'));
  const checked = await throwOnContradiction(url);
  expect(checked).toMatchObject({ events: 40, ledgerRows, ticketTypes: 40 });

  function shuffleIds({ ledger }: SaleBook): void {
    const [, ...later] = ledger;
    const numbers = random.shuffle(later.map(({ id }) => id));
    for (const [n, row] of later.entries()) row.id = numbers[n] ?? row.id;
  }
});

test('it counts what it has checked, and says how far it is', async () => {
  const { book } = await aSale();
  const progress: { done: number; total: number }[] = [];
  const verdict = await checkLedger(database, { eventId: book.eventId, onProgress: (one) => progress.push(one) });
  expect(verdict).toEqual({
    status: 'checked',
    report: {
      checked: {
        events: 1,
        ledgerRows: book.ledger.length,
        seats: 10,
        reservations: 5,
        tickets: 5,
        ticketTypes: 1,
        buyers: 5,
      },
      contradiction: null,
    },
  });
  expect(progress.at(-1)).toEqual({ done: 25, total: 25 });
  expect(await checkLedger(database, { eventId: ids.nextId() })).toEqual({ status: 'unknown-event' });
});

test.each([
  ['an update', `UPDATE ticketing.ledger SET act = 'blocked'`],
  ['a delete', 'DELETE FROM ticketing.ledger'],
  ['a truncate', 'TRUNCATE ticketing.ledger'],
  ['a truncate together with another table', 'TRUNCATE ticketing.scans, ticketing.ledger'],
])('the ledger survives %s', async (_, change) => {
  const { book } = await aSale();
  await expect(database.query(change)).rejects.toThrow('append-only');
  expect(await contradictionOf(book)).toBe(null);
});

describe('one wrong row is found and named', () => {
  type Sale = Awaited<ReturnType<typeof aSale>>;
  const seat =
    (change: string, seatNo: number) =>
    ({ book }: Sale) =>
      database.query(`UPDATE ticketing.seats SET ${change} WHERE event_id = $1 AND seat_no = $2`, [
        book.eventId,
        seatNo,
      ]);
  const reservation = (change: string, which: 'sold' | 'pending' | 'paying' | 'standing') => (sale: Sale) =>
    database.query(`UPDATE ticketing.reservations SET ${change} WHERE id = $1`, [sale[which].id]);
  const ticket =
    (change: string) =>
    ({ book, sold }: Sale) =>
      database.query(
        `UPDATE ticketing.tickets SET ${change} WHERE event_id = $1 AND reservation_id = $2 AND state = 'issued'`,
        [book.eventId, sold.id],
      );
  const ledger =
    (change: string, where: string) =>
    ({ book }: Sale) =>
      withoutGuard(`${change} WHERE event_id = $1 AND ${where}`, [book.eventId]);
  const free = 'reservation_id = NULL, user_id = NULL, held_until = NULL';

  test.each<[string, (sale: Sale) => Promise<unknown>, RegExp]>([
    [
      'a sold seat that is free again',
      seat(`state = 0, ${free}`, 0),
      /seat 0 is available .* by the ledger it is sold/,
    ],
    ['a held seat that is sold', seat('state = 3, held_until = NULL', 2), /seat 2 is sold .* by the ledger it is held/],
    ['a free seat that is blocked', seat('state = 4', 5), /seat 5 is blocked/],
    ['another fence', seat('fence = fence + 1', 0), /seat 0 is sold .* fence 2 step 2; .* fence 1 step 2/],
    ['another step', seat('step = step - 1', 2), /seat 2 .* step 0; .* step 1/],
    [
      'a hold that lasts longer',
      seat(`held_until = held_until + interval '1 s'`, 2),
      /seat 2 is held until 2027-03-01T10:05:01.000Z .*; by the ledger it is held until 2027-03-01T10:05:00.000Z/,
    ],
    ['a seat in another user’s name', seat('user_id = gen_random_uuid()', 2), /seat 2 names user/],
    [
      'a seat of another reservation',
      seat('reservation_id = gen_random_uuid()', 3),
      /seat 3 is in payment by reservation/,
    ],
    [
      'a seat too few',
      ({ book }) => database.query('DELETE FROM ticketing.seats WHERE event_id = $1 AND seat_no = 7', [book.eventId]),
      /it has 9 seats; by the ledger 10/,
    ],
    [
      'another status',
      reservation(`status = 'confirmed'`, 'pending'),
      /seat 2 is held .*that reservation is confirmed/,
    ],
    [
      'a payment that is over',
      reservation(`status = 'pending'`, 'paying'),
      /seat 3 is in payment .*that reservation is pending/,
    ],
    [
      'a standing reservation that is released',
      reservation(`status = 'released'`, 'standing'),
      /is released; by the ledger it is confirmed/,
    ],
    [
      'a reservation of another version',
      reservation('version = version + 1', 'standing'),
      /has version 3; by the ledger it has 2/,
    ],
    [
      'a reservation that ends later',
      reservation(`expires_at = expires_at + interval '1 s'`, 'pending'),
      /seat 2 is held until .*, but reservation/,
    ],
    [
      'a reservation of somebody else',
      reservation('user_id = gen_random_uuid()', 'standing'),
      /it was granted to user/,
    ],
    [
      'a line more',
      reservation(`lines = jsonb_set(lines, '{items,0,quantity}', '4')`, 'standing'),
      /has items .*; it was granted/,
    ],
    ['another total', reservation('total_krw = 1', 'pending'), /costs 1 won; its lines come to 53000/],
    ['another fee', reservation('fee_krw = 1', 'pending'), /has fees of 1 won; its lines come to 3000/],
    [
      'another price in its lines',
      reservation(`lines = jsonb_set(lines, '{seats,0,priceKrw}', '1')`, 'pending'),
      /costs 53000 won; its lines come to 3001/,
    ],
    [
      'another price that the sum does not show',
      reservation(
        `lines = jsonb_set(jsonb_set(lines, '{seats,0,priceKrw}', '40000'), '{seats,1,priceKrw}', '60000')`,
        'sold',
      ),
      /has lines with the fingerprint .*; it was granted/,
    ],
    [
      'another seat id in its lines',
      reservation(`lines = jsonb_set(lines, '{seats,0,seatId}', '"A-1-9"')`, 'pending'),
      /has lines with the fingerprint .*; it was granted/,
    ],
    [
      'another area in its lines',
      reservation(`lines = jsonb_set(lines, '{items,0,areaId}', '"G"')`, 'standing'),
      /has lines with the fingerprint .*; it was granted/,
    ],
    ['another fence of the reservation', reservation('fence = 7', 'sold'), /has fence 7, which is not the largest/],
    ['money that was not paid', reservation('paid_krw = 1', 'sold'), /what was paid for it is 1; .* 106000/],
    ['money that did not go back', reservation('refunded_krw = 1', 'sold'), /what was given back for it is 1; .* is 0/],
    [
      'another payment status',
      reservation(`payment_status = 'refunded'`, 'sold'),
      /its payment is refunded; by the ledger it is refund_requested/,
    ],
    [
      'a refund that nobody asked for',
      reservation('refund_requested = true', 'paying'),
      /that a refund was requested is true; by the ledger it is false/,
    ],
    ['another order', reservation(`order_id = 'other'`, 'sold'), /its order is other; by the ledger it is order-/],
    ['another attempt', reservation('attempt_id = gen_random_uuid()', 'paying'), /its attempt is .*; by the ledger/],
    ['an attempt more', reservation('attempts = 2', 'paying'), /its number of attempts is 2; by the ledger it is 1/],
    [
      'a ticket of somebody else',
      ticket('owner_id = gen_random_uuid()'),
      /ticket .* is of user .*; it was issued to user/,
    ],
    [
      'a ticket with another seat id',
      ticket(`seat_id = 'A-1-9'`),
      /is for seat A-1-9 of grade R .*; .* was granted seat A-1-0 of grade R/,
    ],
    ['a ticket of another grade', ticket(`grade = 'VIP'`), /is for seat A-1-0 of grade VIP .* granted seat A-1-0/],
    ['a ticket at another price', ticket('price_krw = 1'), /at 1 won .* granted seat A-1-0 of grade R at 50000 won/],
    ['a ticket with another fee', ticket('fee_krw = 1'), /a fee of 1; .* and a fee of 3000/],
    [
      'a ticket of another order',
      ticket(`order_id = 'other'`),
      /was paid for by order other; by the ledger it is order-/,
    ],
    [
      'a ticket that is void',
      ticket(`state = 'void', voided_at = issued_at`),
      /seat 0 is sold to reservation .* live ticket is missing/,
    ],
    [
      'a ticket that was never scanned',
      ticket(`state = 'checked_in', checked_in_at = issued_at`),
      /is checked_in; by the ledger it is issued/,
    ],
    ['a ticket of a later version', ticket('version = 2'), /has version 2; by the ledger it has 1/],
    ['a ticket for another seat', ticket('seat_no = 5'), /seat 0 is sold .* live ticket is missing/],
    [
      'places that nobody gave back',
      ({ book }) => shards(book, 'places_left + 1'),
      /has 46 places left; by the ledger it has 45/,
    ],
    [
      'places that nobody took',
      ({ book }) => shards(book, 'places_left - 1'),
      /has 44 places left; by the ledger it has 45/,
    ],
    [
      'a larger hall',
      ({ book }) =>
        database.query('UPDATE ticketing.ticket_types SET capacity = 60 WHERE event_id = $1', [book.eventId]),
      /capacity of 60; it was built with 50/,
    ],
    [
      'a buyer who counts more',
      ({ book }) => buyers(book, 'live + 1'),
      /buyer .* counts 2; reservations and tickets come to 1/,
    ],
    [
      'a buyer who counts nothing',
      ({ book, pending }) =>
        database.query('DELETE FROM ticketing.buyers WHERE event_id = $1 AND user_id = $2', [
          book.eventId,
          pending.user_id,
        ]),
      /counts nothing/,
    ],
    ['no build', ledger('DELETE FROM ticketing.ledger', `act = 'built'`), /by the ledger they were built 0 times/],
    [
      'no hold',
      ledger('DELETE FROM ticketing.ledger', `act = 'held' AND seat_nos = '{2}'`),
      /extended .* has fence 1 step 1 where fence 0 step 1 was due/,
    ],
    [
      'no extension',
      ledger('DELETE FROM ticketing.ledger', `act = 'extended'`),
      /seat 2 is held .* step 1; by the ledger .* step 0/,
    ],
    [
      'no pin',
      ledger('DELETE FROM ticketing.ledger', `act = 'pinned' AND seat_nos = '{0,1}'`),
      /confirmed .* has fence 1 step 2 where fence 1 step 1 was due/,
    ],
    [
      'no confirmation of standing places',
      ledger('DELETE FROM ticketing.ledger', `act = 'confirmed' AND seat_nos IS NULL`),
      /is confirmed; by the ledger it is pending/,
    ],
    [
      'no hold of standing places',
      ledger('DELETE FROM ticketing.ledger', `act = 'held' AND left_changes = '{-2}'`),
      /exists, and the ledger knows nothing of it/,
    ],
    [
      'no scan',
      ledger('DELETE FROM ticketing.ledger', `act = 'checked_in'`),
      /is checked_in; by the ledger it is issued/,
    ],
    [
      'no block',
      ledger('DELETE FROM ticketing.ledger', `act = 'blocked'`),
      /seat 9 is blocked .* by the ledger it is available/,
    ],
    [
      'a row twice',
      ({ book }) =>
        withoutGuard(
          `INSERT INTO ticketing.ledger (at, event_id, act, reservation_id, reservation_version, reservation_status, user_id, ticket_type_ids, left_changes)
       SELECT at, event_id, act, reservation_id, reservation_version, reservation_status, user_id, ticket_type_ids, left_changes FROM ticketing.ledger
       WHERE event_id = $1 AND left_changes = '{-2}'`,
          [book.eventId],
        ),
      /makes version 1 where version 2 was due/,
    ],
    [
      'more places than were taken',
      ledger(`UPDATE ticketing.ledger SET left_changes = '{-4}'`, `left_changes = '{-3}'`),
      /has items .*; it was granted/,
    ],
  ])('%s', async (_, corrupt, words) => {
    const sale = await aSale();
    expect(await contradictionOf(sale.book)).toBe(null);
    await corrupt(sale);
    expect(await contradictionOf(sale.book)).toMatch(words);
  });

  test('a row of an event that does not exist', async () => {
    const eventId = ids.nextId();
    await database.query(`INSERT INTO ticketing.ledger (at, event_id, act) VALUES (urr.now(), $1, 'blocked')`, [
      eventId,
    ]);
    const verdict = await checkLedger(database, { eventId });
    expect(verdict).toMatchObject({ report: { contradiction: expect.stringContaining('it does not exist') } });
    await expect(throwOnContradiction(database)).rejects.toThrow('the ledger is contradicted: event ');
  });

  test('two live tickets for one seat, once the index that forbids them is gone', async () => {
    const { book, sold } = await aSale();
    await database.query('DROP INDEX ticketing.tickets_one_live_per_seat');
    await database.query(
      `INSERT INTO ticketing.tickets SELECT (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
       FROM ticketing.tickets t WHERE reservation_id = $1 AND state = 'issued'`,
      [sold.id],
    );
    expect(await contradictionOf(book)).toMatch(/seat 0 has 2 live tickets, of reservations/);
  });

  function shards(book: SaleBook, to: string) {
    return database.query(
      `UPDATE ticketing.shards SET places_left = ${to} WHERE shard_no = 0 AND ticket_type_id = $1`,
      [book.types[0]?.id],
    );
  }
  function buyers(book: SaleBook, to: string) {
    return database.query(
      `UPDATE ticketing.buyers SET live = ${to} WHERE (event_id, user_id) IN
         (SELECT event_id, user_id FROM ticketing.reservations WHERE event_id = $1 AND status = 'pending' AND seat_nos = '{2}')`,
      [book.eventId],
    );
  }
});
