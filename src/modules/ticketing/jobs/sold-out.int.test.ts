import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { aBoxOffice } from '../testing/a-box-office.ts';
import { aDrawing } from '../testing/a-show.ts';
import { createSoldOutJob } from './sold-out.ts';

const database = createDatabase({ url: (await aDatabase()).url, poolMax: 4 });
atEnd(() => database.close());
const office = aBoxOffice(database);
const { stub } = office;
const signal = new AbortController().signal;

/** The job of one process, with a time of its own. */
function aProcess() {
  const clock = aClock();
  const job = createSoldOutJob({ database, catalog: stub.catalog, clock, logger: silentLogger });
  return { clock, run: () => job.run(signal) };
}

const told = (eventId: string) => stub.told.filter((call) => call.eventId === eventId).map(({ soldOut }) => soldOut);

test('catalog hears when the last seat is sold, once from all processes, and when one comes back', async () => {
  const { eventId } = await office.show(aDrawing({ sections: 1, rows: 1, seats: 3 }));
  const [one, two] = [aProcess(), aProcess()];
  const both = async () => {
    await Promise.all([one.run(), two.run()]);
    await Promise.all([one.run(), two.run()]);
  };
  await both();
  expect(told(eventId)).toEqual([]);
  await sell(eventId, 2);
  await block(eventId);
  await both();
  expect(told(eventId)).toEqual([true]);
  await database.query(
    'UPDATE ticketing.seats SET state = 0, reservation_id = NULL, user_id = NULL WHERE event_id = $1 AND seat_no = 0',
    [eventId],
  );
  await note(eventId);
  await both();
  expect(told(eventId)).toEqual([true, false]);
});

test.each([
  [
    'a hold',
    `UPDATE ticketing.seats SET state = 1, held_until = urr.now() - interval '1 hour' WHERE event_id = $1 AND seat_no = 0`,
  ],
  ['a seat that is being paid for', `UPDATE ticketing.seats SET state = 2 WHERE event_id = $1 AND seat_no = 0`],
])('%s counts as left', async (_, change) => {
  const { eventId } = await office.show(aDrawing({ sections: 1, rows: 1, seats: 1 }));
  await sell(eventId, 1);
  await database.query(change, [eventId]);
  const { run } = aProcess();
  await run();
  expect(told(eventId)).toEqual([]);
});

test('standing places count, those that somebody holds as well', async () => {
  const { eventId } = await office.show(aDrawing({ sections: 0, standing: [1] }));
  const { run } = aProcess();
  await run();
  const take = `UPDATE ticketing.shards SET places_left = 0
    WHERE ticket_type_id IN (SELECT ticket_type_id FROM ticketing.ticket_types WHERE event_id = $1)`;
  await database.query(take, [eventId]);
  const reservationId = await reserve(eventId);
  await note(eventId);
  await run();
  expect(told(eventId)).toEqual([]);
  await database.query(`UPDATE ticketing.reservations SET status = 'confirmed' WHERE id = $1`, [reservationId]);
  await note(eventId);
  await run();
  expect(told(eventId)).toEqual([true]);
});

test('it is said again every 30 s, and at once after catalog was away', async () => {
  const { eventId } = await office.show(aDrawing({ sections: 1, rows: 1, seats: 1 }));
  await sell(eventId, 1);
  const { run, clock } = aProcess();
  const start = Date.now();
  const at = async (seconds: number) => {
    await setDatabaseClock(database, new Date(start + seconds * 1_000));
    clock.advance(10_000);
    await run();
    return told(eventId).length;
  };
  try {
    stub.away = true;
    expect(await at(0)).toBe(0);
    stub.away = false;
    expect([await at(1), await at(10), await at(30), await at(32), await at(61), await at(63)]).toEqual([
      1, 1, 1, 2, 2, 3,
    ]);
  } finally {
    stub.away = false;
    await releaseDatabaseClock(database);
  }
  expect(new Set(told(eventId))).toEqual(new Set([true]));
});

test('an event whose ledger does not grow is not looked at', async () => {
  const { eventId } = await office.show(aDrawing({ sections: 1, rows: 1, seats: 1 }));
  const { run, clock } = aProcess();
  await run();
  clock.advance(60_000);
  await run();
  // Behind the ledger's back, which only a test can do.
  await database.query('UPDATE ticketing.seats SET state = 4 WHERE event_id = $1', [eventId]);
  await run();
  expect(told(eventId)).toEqual([]);
  await note(eventId);
  await run();
  expect(told(eventId)).toEqual([true]);
});

async function sell(eventId: string, seats: number): Promise<void> {
  await database.query(
    'UPDATE ticketing.seats SET state = 3, reservation_id = $2, user_id = $2 WHERE event_id = $1 AND seat_no < $3',
    [eventId, randomUUID(), seats],
  );
  await note(eventId);
}

async function block(eventId: string): Promise<void> {
  await database.query('UPDATE ticketing.seats SET state = 4 WHERE event_id = $1 AND state = 0', [eventId]);
  await note(eventId);
}

/** A row of the ledger, which is all that the job looks for. */
async function note(eventId: string): Promise<void> {
  await database.query(`INSERT INTO ticketing.ledger (at, event_id, act) VALUES (urr.now(), $1, 'blocked')`, [eventId]);
}

async function reserve(eventId: string): Promise<string> {
  const id = randomUUID();
  await database.query(
    `INSERT INTO ticketing.reservations (id, number, event_id, user_id, status, payment_status, lines, seat_nos, ticket_count, fee_krw,
       total_krw, fence, created_at, expires_at)
     VALUES ($1::uuid, $1::uuid::text, $2, $1::uuid, 'pending', 'none', '{"seats": [], "items": []}', '{}', 1, 0, 0, 0, urr.now(), urr.now())`,
    [id, eventId],
  );
  return id;
}
