import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { lockNameOf } from '#platform/idempotency.ts';
import type { Database, Queryable } from '#platform/postgres/database.ts';
import type { HoldVerdict, ShieldedSeat } from '../ports.ts';
import { aHoldDesk, expectConsistent } from '../testing/a-hold-desk.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';

const database = await aTicketingDatabase();
const desk = aHoldDesk(database);

function reservationIn(verdict: HoldVerdict | undefined) {
  if (verdict === undefined || !('reservation' in verdict)) throw new Error(`refused: ${verdict?.status}`);
  return verdict.reservation;
}

/** Counts the batches that decide, and how many requests they have. */
function counting(real: Database): Database & { readonly decided: number[] } {
  const decided: number[] = [];
  const query: Queryable['query'] = (text, values = [], options) => {
    if (text.includes('hold_batch(')) decided.push((values[5] as unknown[]).length);
    if (text.includes('hold_batch_of_one(')) decided.push(1);
    return real.query(text, values, options);
  };
  return { ...real, query, decided };
}

test('a crowd around a seat that somebody has is refused by one read, and the shield hears of it once', async () => {
  const sale = await aSale(database);
  const counted = counting(database);
  const noted: (readonly ShieldedSeat[])[] = [];
  const shield = {
    taken: async (_: string, requests: readonly unknown[]) => requests.map(() => []),
    note: (_: string, seats: readonly ShieldedSeat[]) => noted.push(seats),
    drop: () => undefined,
  };
  const userId = randomUUID();
  reservationIn(await desk.hold(sale, { userId, seatNos: [3] }));
  const crowd = aHoldDesk(counted, { shield });
  const verdicts = await Promise.all(Array.from({ length: 30 }, () => crowd.hold(sale, { seatNos: [3] })));
  expect(verdicts).toEqual(verdicts.map(() => ({ status: 'taken', seatNos: [3] })));
  expect(counted.decided).toEqual([]);
  expect(noted).toEqual([[{ seatNo: 3, userId, fence: 1, heldForMs: expect.any(Number) }]]);
  await expectConsistent(database, sale);
});

test('the crowd is no reason to refuse the holder, a free seat, or a key that has its answer', async () => {
  const sale = await aSale(database);
  const counted = counting(database);
  const crowd = aHoldDesk(counted);
  const [holder, early, late] = [randomUUID(), randomUUID(), randomUUID()];
  const before = { userId: early, seatNos: [5], key: 'an answered key' };
  const over = reservationIn(await desk.hold(sale, before));
  reservationIn(await desk.hold(sale, { userId: early, seatNos: [6], replaces: over.id }));
  const held = reservationIn(await desk.hold(sale, { userId: holder, seatNos: [5] }));
  const verdicts = await Promise.all([
    crowd.hold(sale, before),
    crowd.hold(sale, { userId: holder, seatNos: [5] }),
    crowd.hold(sale, { seatNos: [5, 7] }),
    crowd.hold(sale, { userId: late, seatNos: [7] }),
    crowd.hold(sale, { seatNos: [5] }),
  ]);
  expect(verdicts).toMatchObject([
    { status: 'replayed', reservation: { id: over.id, status: 'released' } },
    { status: 'same', reservation: { id: held.id } },
    { status: 'taken', seatNos: [5] },
    { status: 'granted' },
    { status: 'taken', seatNos: [5] },
  ]);
  expect(counted.decided).toEqual([3]);
  await expectConsistent(database, sale);
});

test('a key that another process works on is in flight, also in a crowd', async () => {
  const sale = await aSale(database);
  const [userId, key] = [randomUUID(), randomUUID()];
  reservationIn(await desk.hold(sale, { seatNos: [1] }));
  const name = lockNameOf({ userId, method: 'POST', route: '/api/seats/reserve', key });
  const verdicts = await database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 7277))', [name]);
    return Promise.all([
      desk.hold(sale, { userId, key, seatNos: [1] }),
      ...[1, 2].map(() => desk.hold(sale, { seatNos: [1] })),
    ]);
  });
  expect(verdicts.map(({ status }) => status)).toEqual(['in-flight', 'taken', 'taken']);
});

test('blocked seats are taken for everybody; before the sale, and before the tier’s time, a crowd is told that', async () => {
  const sale = await aSale(database);
  const ask = async (some: Sale) =>
    (await Promise.all([1, 2, 3].map(() => aHoldDesk(database).hold(some, { seatNos: [2] })))).map(
      ({ status }) => status,
    );
  await database.query('UPDATE ticketing.seats SET state = 4 WHERE event_id = $1 AND seat_no = 2', [sale.eventId]);
  expect(await ask(sale)).toEqual(['taken', 'taken', 'taken']);
  const opensAt = new Date(Date.now() + 3_600_000).toISOString();
  const setPhases = (phases: unknown) =>
    database.query(`UPDATE ticketing.events SET facts = jsonb_set(facts, '{phases}', $2) WHERE event_id = $1`, [
      sale.eventId,
      JSON.stringify(phases),
    ]);
  await setPhases([{ tier: 'general', opensAt }]);
  expect(await ask(sale)).toEqual(['tier-not-open', 'tier-not-open', 'tier-not-open']);
  await setPhases([]);
  await database.query('UPDATE ticketing.events SET sale_opens_at = $2 WHERE event_id = $1', [sale.eventId, opensAt]);
  expect(await ask(sale)).toEqual(['not-open', 'not-open', 'not-open']);
});

test('a read that fails refuses nobody', async () => {
  const sale = await aSale(database);
  reservationIn(await desk.hold(sale, { seatNos: [1] }));
  const query: Queryable['query'] = (text, values, options) =>
    text.includes('visibly_taken') ? database.query('SELECT 1 / 0') : database.query(text, values, options);
  const crowd = aHoldDesk({ ...database, query });
  const verdicts = await Promise.all([1, 2].map(() => crowd.hold(sale, { seatNos: [1] })));
  expect(verdicts).toEqual(verdicts.map(() => ({ status: 'taken', seatNos: [1] })));
});
