import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { testSeed } from '#test/kit/seed.ts';
import { createSeededRandom } from '#test/kit/seeded-random.ts';
import type { HoldVerdict } from '../ports.ts';
import { aHoldDesk, expectConsistent, type HoldDesk, tally, type Wish } from '../testing/a-hold-desk.ts';
import { aSale, type Sale } from '../testing/a-sale.ts';
import { aTicketingDatabase } from '../testing/a-ticketing-database.ts';
import { lockSeats, lockShards, waitingCalls, whileLocked } from '../testing/locked-rows.ts';

/** Crowds, at two processes. */
const database = await aTicketingDatabase({ poolMax: 8 });
const desks = [aHoldDesk(database), aHoldDesk(database)];

/** As a client asks: again while somebody else has the rows in hand, which takes as long as the machine does. */
async function ask(n: number, sale: Sale, wish: Wish): Promise<HoldVerdict> {
  const desk = desks[n % desks.length] as HoldDesk;
  const decided = { ...wish, userId: wish.userId ?? randomUUID() };
  let verdict = await desk.hold(sale, decided);
  for (let tries = 1; verdict.status === 'busy' && tries < triesMax; tries++) verdict = await desk.hold(sale, decided);
  return verdict;
}
/** Each takes half a second when it ends with `busy`. */
const triesMax = 200;

test('of a thousand buyers of one seat exactly one gets it', async () => {
  const sale = await aSale(database, { seats: 10 });
  const verdicts = await Promise.all(Array.from({ length: 1_000 }, (_, n) => ask(n, sale, { seatNos: [4] })));
  expect(tally(verdicts)).toEqual({ granted: 1, taken: 999 });
  await expectConsistent(database, sale);
});

test('500 overlapping requests of several seats are granted whole or not at all, without a deadlock', async () => {
  const random = createSeededRandom(testSeed());
  const seats = 60;
  const sale = await aSale(database, { seats, purchaseLimit: 4 });
  const wishes = Array.from({ length: 500 }, () =>
    random.shuffle(Array.from({ length: seats }, (_, n) => n)).slice(0, random.between(1, 4)),
  );
  const verdicts = await Promise.all(wishes.map((seatNos, n) => ask(n, sale, { seatNos })));
  expect(new Set(verdicts.map(({ status }) => status))).toEqual(new Set(['granted', 'taken']));
  const granted = verdicts.flatMap((verdict, n) => (verdict.status === 'granted' ? [...(wishes[n] ?? [])] : []));
  expect(new Set(granted).size).toBe(granted.length);
  const { rows } = await database.query<{ held: number }>(
    'SELECT count(*) AS held FROM ticketing.seats WHERE event_id = $1 AND state = 1',
    [sale.eventId],
  );
  expect(rows[0]?.held).toBe(granted.length);
  await expectConsistent(database, sale);
});

test('the last places go to exactly as many, in parties of four, however they lie in the shards', async () => {
  const capacity = 200;
  const sale = await aSale(database, { seats: 0, ticketTypes: [{ capacity }] });
  const [type] = sale.ticketTypes;
  const items = [{ ticketTypeId: type?.ticketTypeId ?? '', quantity: 4 }];
  const verdicts = await Promise.all(Array.from({ length: (capacity * 10) / 4 }, (_, n) => ask(n, sale, { items })));
  expect(tally(verdicts)).toEqual({ granted: capacity / 4, short: (capacity * 9) / 4 });
  await expectConsistent(database, sale);
});

test('nobody gets more than the limit by asking many times at once, for both kinds', async () => {
  const sale = await aSale(database, { seats: 30, ticketTypes: [{ capacity: 100 }], purchaseLimit: 4 });
  const [type] = sale.ticketTypes;
  const userId = randomUUID();
  const verdicts = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      ask(
        n,
        sale,
        n % 2 === 0
          ? { userId, seatNos: [n] }
          : { userId, items: [{ ticketTypeId: type?.ticketTypeId ?? '', quantity: 1 }] },
      ),
    ),
  );
  expect(tally(verdicts)).toEqual({ granted: 4, limit: 26 });
  expect(verdicts.find(({ status }) => status === 'limit')).toMatchObject({ limit: 4, have: 4 });
  await expectConsistent(database, sale);
});

test('nobody gets more than the limit by asking two processes at the same moment', async () => {
  const sale = await aSale(database, { seats: 200, ticketTypes: [{ capacity: 100 }], purchaseLimit: 4 });
  const ticketTypeId = sale.ticketTypes[0]?.ticketTypeId ?? '';
  // A machine that is too slow for the batches' lock_timeout makes one of them `busy`; then they have not met.
  for (let round = 0; round < roundsMax; round++) {
    const userId = randomUUID();
    // A buyer's first row would make the second batch wait by being inserted.
    await database.query('INSERT INTO ticketing.buyers (event_id, user_id) VALUES ($1, $2)', [sale.eventId, userId]);
    const seatNos = [0, 1, 2].map((no) => no + 3 * round);
    const { asking } = await whileLocked(database, [lockSeats(sale.eventId), lockShards(ticketTypeId)], async () => {
      let isAnswered = false;
      const asking = Promise.all([
        desks[0]?.hold(sale, { userId, seatNos }),
        desks[1]?.hold(sale, { userId, items: [{ ticketTypeId, quantity: 3 }] }),
      ]).finally(() => {
        isAnswered = true;
      });
      const haveMet = async () =>
        isAnswered ||
        (await waitingCalls(database, 'hold_batch_of_one')) + (await waitingCalls(database, 'hold_batch')) === 2;
      await eventually(haveMet, { withinMs: 60_000, what: 'both batches waiting' });
      return { asking };
    });
    const verdicts = (await asking).flatMap((verdict) => verdict ?? []);
    await expectConsistent(database, sale);
    if (verdicts.some(({ status }) => status === 'busy')) continue;
    expect(tally(verdicts)).toEqual({ granted: 1, limit: 1 });
    expect(verdicts.find(({ status }) => status === 'limit')).toMatchObject({ limit: 4, have: 3 });
    return;
  }
  throw new Error('the two never met');
});

const roundsMax = 60;

test('a key that comes many times at once has one effect', async () => {
  const sale = await aSale(database, { seats: 0, ticketTypes: [{ capacity: 100 }] });
  const items = [{ ticketTypeId: sale.ticketTypes[0]?.ticketTypeId ?? '', quantity: 1 }];
  const wish = { userId: randomUUID(), key: 'the same', items };
  const counts = tally(await Promise.all(Array.from({ length: 40 }, (_, n) => ask(n, sale, wish))));
  expect(counts.granted).toBe(1);
  expect(Object.keys(counts).filter((status) => !['granted', 'replayed', 'in-flight'].includes(status))).toEqual([]);
  await expectConsistent(database, sale);
});
