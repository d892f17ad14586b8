import { expect } from 'vitest';
import type { Database } from '#platform/postgres/database.ts';
import { putDatabaseClockForward } from '../database-clock.ts';
import { eventually } from '../faults.ts';
import { aShowOnSale } from '../queue/show.ts';
import { testSeed } from '../seed.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { checkLedger } from './check-ledger.ts';
import { createTicketCounter } from './counter.ts';
import { expectCountersToMatch, hasSeats } from './counts.ts';
import { buy, type CrowdWorld } from './crowd-buyer.ts';
import { aShopper } from './entry.ts';
import { rotation, type SaleHouse, withDatabase } from './house.ts';
import { seatIdsOf } from './seat-ids.ts';

const layout = { sections: 4, rows: 10, seats: 25 };
const allSeats = seatIdsOf(layout);
const buyersAtOnce = 60;
const crowdMaxMs = 800_000;
const holdMs = 5 * 60_000;
/** No hold is ever longer. */
const holdMaxMs = 10 * 60_000;

/**
 * So many people with a slot buy a thousand seats in groups of one to four; a part of the seats costs nothing and is confirmed,
 * the rest is paid for. Twice a process is killed and started again, and in between the holds of everybody who went away lapse.
 * In the end each seat is sold once or free, and each buyer knows what became of every request.
 */
export async function sellToACrowd(house: SaleHouse, { users }: { users: number }): Promise<void> {
  const pickUrl = rotation(house);
  const eventId = await aShowOnSale(pickUrl(), { prices: [price('VIP', 165_000), price('R', 0)] }, layout);
  await withDatabase(house, (database) =>
    eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' }),
  );
  const world: CrowdWorld = {
    counter: createTicketCounter(eventId, pickUrl),
    pickUrl,
    seatIds: allSeats,
    random: createSeededRandom(testSeed()),
    database: (work) => withDatabase(house, work),
    granted: new Map(),
    bought: new Set(),
    refusals: new Map(),
    complaints: [],
  };
  const crowd = startCrowd(world, { eventId, users });
  try {
    await crowd.progress(0.06);
    await killAndRestart(house);
    await crowd.progress(0.4);
    await withDatabase(house, (database) => putDatabaseClockForward(database, holdMs));
    await crowd.progress(0.43);
    await killAndRestart(house);
    await crowd.ended;
  } finally {
    await crowd.stop();
    console.log(`${world.granted.size} granted, ${world.bought.size} bought`, Object.fromEntries(world.refusals));
  }
  expect(world.complaints).toEqual([]);
  await withDatabase(house, (database) => expectAllSettled(database, eventId, world));
}

/** After the last hold has lapsed. */
async function expectAllSettled(database: Database, eventId: string, { granted, bought }: CrowdWorld): Promise<void> {
  const statuses = async () => {
    const { rows } = await database.query<{ id: string; userId: string; status: string }>(
      'SELECT id, user_id AS "userId", status FROM ticketing.reservations WHERE event_id = $1',
      [eventId],
    );
    return rows;
  };
  await eventually(
    async () => (await statuses()).every(({ id, status }) => status === 'confirmed' || !bought.has(id)),
    {
      withinMs: 60_000,
      what: 'whatever was paid for to be confirmed',
    },
  );
  await putDatabaseClockForward(database, holdMs + holdMaxMs);
  const ends = new Set(['confirmed', 'expired', 'released']);
  const all = await eventually(
    async () => {
      const rows = await statuses();
      return rows.every(({ status }) => ends.has(status)) && rows;
    },
    { withinMs: 60_000, what: 'whatever was not paid for to be free' },
  );
  // Anyone who was told of a reservation has it, and nobody has one that they were not told of.
  expect(new Map(all.map(({ id, userId }) => [id, userId]))).toEqual(new Map(granted));
  expect(new Set(all.filter(({ status }) => status === 'confirmed').map(({ id }) => id))).toEqual(bought);
  const { rows: seats } = await database.query<{ state: number; count: number }>(
    'SELECT state, count(*)::integer AS count FROM ticketing.seats WHERE event_id = $1 GROUP BY state',
    [eventId],
  );
  const sold = seats.find(({ state }) => state === 3)?.count ?? 0;
  console.log(`${sold} of ${allSeats.length} seats are sold`);
  // Free or sold, and enough were sold for the crowd to have been one.
  expect(seats.filter(({ state }) => state !== 0 && state !== 3)).toEqual([]);
  expect(sold).toBeGreaterThan(allSeats.length / 2);
  await expectCountersToMatch(database, eventId);
  const checked = await checkLedger(database);
  expect(checked).toMatchObject({ seats: allSeats.length, reservations: granted.size, tickets: sold });
}

function startCrowd(world: CrowdWorld, { eventId, users }: { eventId: string; users: number }) {
  let came = 0;
  let done = 0;
  let isStopped = false;
  async function comeOneByOne(): Promise<void> {
    while (!isStopped && came < users) {
      came += 1;
      await buy(world, aShopper(eventId)).catch((error: unknown) => void world.complaints.push(String(error)));
      done += 1;
    }
  }
  const ended = Promise.all(Array.from({ length: buyersAtOnce }, comeOneByOne));
  return {
    ended,
    progress: (share: number) =>
      eventually(() => done >= users * share, { withinMs: crowdMaxMs, what: `${share} of the crowd to be done` }),
    async stop() {
      isStopped = true;
      await ended;
    },
  };
}

async function killAndRestart({ processes, start }: SaleHouse): Promise<void> {
  const doomed = processes.shift();
  await doomed?.kill();
  processes.push(await start());
}

const price = (grade: string, priceKrw: number) => ({ grade, priceKrw });
