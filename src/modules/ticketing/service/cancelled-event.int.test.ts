import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { Database, Queryable } from '#platform/postgres/database.ts';
import { checkLedger } from '#test/kit/ticketing/check-ledger.ts';
import type { HoldVerdict } from '../ports.ts';
import { confirmFree } from '../storage/transitions.ts';
import { aHoldDesk } from '../testing/a-hold-desk.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { aSeatMapDesk, type SeatMapDesk } from '../testing/seat-map-desk.ts';
import { reservationRow } from '../testing/seen.ts';

/** Nothing of a cancelled event is sold, by processes that know of it and by those that do not. */
const database = await aTicketingDatabase();
afterEach(() => checkLedger(database));

/** The mark alone: the version that processes know is still the newest, so the database is all that refuses. */
const mark = ({ eventId }: Sale) =>
  database.query('UPDATE ticketing.events SET cancelled_at = urr.now() WHERE event_id = $1', [eventId]);

/** With its version, as the consumer of catalog's messages leaves it. */
async function cancel(sale: Sale): Promise<void> {
  await mark(sale);
  await database.query(
    `UPDATE ticketing.events SET version = 2, facts = jsonb_set(facts, '{version}', '2') WHERE event_id = $1`,
    [sale.eventId],
  );
}

const standing = ({ ticketTypes }: Sale) => ({
  items: [{ ticketTypeId: ticketTypes[0]?.ticketTypeId ?? '', quantity: 1 }],
});

function best(desk: SeatMapDesk, { eventId }: Sale) {
  const idempotency = { key: randomUUID(), method: 'POST', route: '/api/seats/best-available', fingerprint: 'a wish' };
  const wish = { count: 2, together: true };
  return desk.bestAvailable.reserve({
    ...{ eventId, userId: randomUUID(), slotId: 'a slot', wish, replaces: null, idempotency },
  });
}

function idIn(verdict: HoldVerdict): string {
  if (!('reservation' in verdict)) throw new Error(`refused: ${verdict.status}`);
  return verdict.reservation.id;
}

test.each([
  ['of the mark', mark],
  ['of the version', cancel],
])('a process that has not heard %s yet holds neither seats nor places', async (_, cancelled) => {
  const sale = await aSale(database, { seats: 20, ticketTypes: [{ capacity: 10 }] });
  // One for each, since the first refusal may tell a process of it.
  const [forSeats, forPlaces, maps] = [aHoldDesk(database), aHoldDesk(database), aSeatMapDesk(database)];
  for (const { books } of [forSeats, forPlaces]) await books.get(sale.eventId);
  await maps.open(sale.eventId);
  await cancelled(sale);
  expect((await forPlaces.books.get(sale.eventId))?.isCancelled).toBe(false);
  expect(await forSeats.hold(sale, { seatNos: [0] })).toEqual({ status: 'over' });
  expect(await forPlaces.hold(sale, standing(sale))).toEqual({ status: 'over' });
  expect(await best(maps, sale)).toEqual({ status: 'over' });
});

test('a process that knows of it refuses by itself', async () => {
  const sale = await aSale(database, { seats: 20, ticketTypes: [{ capacity: 10 }] });
  await mark(sale);
  const batches: string[] = [];
  const desk = aHoldDesk(watching(database, (text) => batches.push(text)));
  expect(await desk.hold(sale, { seatNos: [0] })).toEqual({ status: 'over' });
  expect(await desk.hold(sale, standing(sale))).toEqual({ status: 'over' });
  expect(batches).toEqual([]);
  expect(await best(aSeatMapDesk(database), sale)).toEqual({ status: 'over' });
});

test('what costs nothing and is held is not confirmed after the mark', async () => {
  const sale = await aSale(database, { priceKrw: 0, ticketTypes: [{ capacity: 10, priceKrw: 0 }] });
  const desk = aHoldDesk(database);
  const userId = randomUUID();
  const [seat, place] = [
    idIn(await desk.hold(sale, { userId, seatNos: [0] })),
    idIn(await desk.hold(sale, { userId, ...standing(sale) })),
  ];
  await mark(sale);
  for (const reservationId of [seat, place]) {
    expect(await confirmFree(database, { reservationId, userId })).toBe('over');
    expect((await reservationRow(database, reservationId)).status).toBe('pending');
  }
});

test('a key that was granted before gets its reservation as it is now, also of a process that knows', async () => {
  const sale = await aSale(database, { ticketTypes: [{ capacity: 10 }] });
  const userId = randomUUID();
  const before = aHoldDesk(database);
  const wishes = [
    { userId, key: 'a seat', seatNos: [0] },
    { userId, key: 'a place', ...standing(sale) },
  ];
  const granted = await Promise.all(wishes.map((wish) => before.hold(sale, wish)));
  await cancel(sale);
  const knowing = aHoldDesk(database);
  for (const [n, wish] of wishes.entries()) {
    const replayed = { status: 'replayed', reservation: { id: idIn(granted[n] as HoldVerdict), status: 'pending' } };
    expect(await before.hold(sale, wish)).toMatchObject(replayed);
    expect(await knowing.hold(sale, wish)).toMatchObject(replayed);
    expect(await knowing.hold(sale, { ...wish, fingerprint: 'another' })).toEqual({ status: 'mismatch' });
    expect(await knowing.hold(sale, { ...wish, userId: randomUUID() })).toEqual({ status: 'over' });
  }
});

/** Texts of batches that are sent to the database. */
function watching(real: Database, onBatch: (text: string) => void): Database {
  const query: Queryable['query'] = (text, values, options) => {
    if (text.includes('hold_batch')) onBatch(text);
    return real.query(text, values, options);
  };
  return { ...real, query };
}
