import { afterAll, afterEach, expect, test } from 'vitest';
import type { Queryable, Session } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { createFloors, lowerLostFloors } from './floors.ts';
import { findLanes, readLanes } from './outbox.ts';
import { releaseRefused } from './refused.ts';

type Statements = Pick<Queryable, 'query'>;

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5, statementTimeoutMs: 60_000, connectTimeoutMs: 60_000 });
const lane = { topic: 'orders', partition: 0 };
const sessions: Session[] = [];
const settleMs = 30_000;

afterEach(async () => {
  for (const session of sessions.splice(0)) await session.close();
  await database.query('TRUNCATE urr.outbox, urr.bus_lanes RESTART IDENTITY');
});
afterAll(() => database.close());

async function aSession(): Promise<Session> {
  const session = await database.session('test');
  sessions.push(session);
  return session;
}

async function write(on: Statements, count = 1): Promise<number[]> {
  const { rows } = await on.query<{ id: number }>(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT 'orders', 0, 'key', gen_random_uuid(), 'ORDERED', '{}' FROM generate_series(1, $1) RETURNING id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/** So many rows that were published, in a lane that is known. */
async function published(count: number): Promise<void> {
  await write(database, count);
  await findLanes(database);
  await database.query('UPDATE urr.outbox SET published_at = urr.now()');
}

async function floorOf(): Promise<number> {
  const { rows } = await database.query<{ floor: number }>('SELECT floor FROM urr.bus_lanes');
  return rows[0]?.floor ?? -1;
}

const setBack = (to: number) => database.query(`SELECT setval('urr.outbox_id_seq', $1)`, [to]);
const waiting = async () => (await readLanes(database, [lane], { rowsMax: 10, bytesMax: 1_000 })).map(({ id }) => id);

/** Runs the statements on the session that it is told, and something after one of them. */
function through(first: Session): {
  on: Statements;
  use(next: Session): void;
  after(work: () => Promise<unknown>): void;
} {
  let current = first;
  let then: (() => Promise<unknown>) | null = null;
  return {
    on: {
      async query<Row>(text: string, values?: readonly unknown[]) {
        const result = await current.query<Row>(text, values);
        const work = then;
        then = null;
        await work?.();
        return result;
      },
    },
    use(next) {
      current = next;
    },
    after(work) {
      then = work;
    },
  };
}

/** Steps until the floor is raised. */
async function raisedBy(floors: ReturnType<typeof createFloors>): Promise<number> {
  const before = await floorOf();
  await eventually(
    async () => {
      await floors.raise([lane]);
      return (await floorOf()) > before;
    },
    { withinMs: settleMs, what: 'a floor that is raised' },
  );
  return floorOf();
}

test('after a crash no floor is raised by what was read before it', async () => {
  await published(1);
  const { on, use } = through(await aSession());
  const floors = createFloors({ on, stepEveryMs: 0 });
  const writer = await aSession();
  await writer.query('BEGIN');
  await write(writer, 300);
  await floors.raise([lane]);
  expect(await floorOf()).toBe(0);

  // As after a crash: the writer is gone, ids that it drew are drawn again, and the relay has another session.
  await writer.query('ROLLBACK');
  await setBack(1);
  use(await aSession());
  const late = await aSession();
  await late.query('BEGIN');
  const [first = 0] = await write(late);
  // By ids alone it would look as if nothing had happened.
  await write(database, 400);
  await database.query('UPDATE urr.outbox SET published_at = urr.now()');
  for (let step = 0; step < 5; step++) await floors.raise([lane]);
  expect(await floorOf()).toBeLessThan(first);
  await late.query('COMMIT');
  expect(await raisedBy(floors)).toBe(first - 1);
  expect(await waiting()).toEqual([first]);
});

test('a session that ends just before the floor is raised raises nothing', async () => {
  await published(300);
  const { on, use, after } = through(await aSession());
  const floors = createFloors({ on, stepEveryMs: 0 });
  const next = await aSession();
  // The first statement reads the last id, the second who writes.
  after(async () => after(async () => use(next)));
  await floors.raise([lane]);
  expect(await floorOf()).toBe(0);
  expect(await raisedBy(floors)).toBe(300);
});

test('a floor is not raised above what the sequence has drawn', async () => {
  await published(300);
  const session = await aSession();
  await setBack(1);
  await session.query(`SELECT urr.raise_lane_floors('{orders}', '{0}', 300, urr.session_name())`);
  expect(await floorOf()).toBe(1);
  await database.query('ALTER SEQUENCE urr.outbox_id_seq RESTART');
  await database.query('UPDATE urr.bus_lanes SET floor = -1');
  await session.query(`SELECT urr.raise_lane_floors('{orders}', '{0}', 300, urr.session_name())`);
  expect(await floorOf()).toBe(0);
});

test('a floor that ids have fallen below is lowered, and rows below it are read', async () => {
  await published(300);
  const session = await aSession();
  expect(await raisedBy(createFloors({ on: session, stepEveryMs: 0 }))).toBe(300);
  expect(await lowerLostFloors(session)).toEqual([]);
  await database.query('TRUNCATE urr.outbox RESTART IDENTITY');
  expect(await write(database)).toEqual([1]);
  expect(await waiting()).toEqual([]);
  expect(await lowerLostFloors(session)).toEqual([{ ...lane, floor: 300 }]);
  expect(await waiting()).toEqual([1]);
  const { rows } = await database.query<{ version: number }>('SELECT version FROM urr.bus_lanes');
  expect(rows[0]?.version).toBe(1);
});

test('who draws an id between the two looks is not passed over', async () => {
  await published(1);
  const { on, after } = through(await aSession());
  const floors = createFloors({ on, stepEveryMs: 0 });
  const writer = await aSession();
  await writer.query('BEGIN');
  let id = 0;
  after(async () => {
    [id = 0] = await write(writer);
  });
  for (let step = 0; step < 5; step++) await floors.raise([lane]);
  expect(id).toBeGreaterThan(0);
  expect(await floorOf()).toBeLessThan(id);
  await writer.query('COMMIT');
  expect(await waiting()).toEqual([id]);
});

test('a prepared transaction counts as open, whatever it was called before', async () => {
  let open = ['3/7'];
  const raised: unknown[] = [];
  const on = {
    async query<Row>(text: string) {
      if (text.includes('raise_lane_floors')) raised.push(text);
      const rows = text.includes('pg_locks')
        ? [{ session: '1', last: 10, writers: open }]
        : [{ session: '1', last: 10 }];
      return { rows: rows as Row[], rowCount: 1 };
    },
  };
  const floors = createFloors({ on, stepEveryMs: 0 });
  await floors.raise([lane]);
  open = ['-1/801'];
  await floors.raise([lane]);
  expect(raised).toHaveLength(0);
  open = [];
  await floors.raise([lane]);
  expect(raised).toHaveLength(1);
});

test('a floor is not raised over a row that is released at that moment', async () => {
  await published(1);
  const [refused = 0] = await write(database);
  await database.query(`SELECT urr.park_outbox_row($1, 'MESSAGE_TOO_LARGE')`, [refused]);
  await write(database, 5);
  await database.query('UPDATE urr.outbox SET published_at = urr.now() WHERE parked_at IS NULL');
  const [releasing, raising] = [await aSession(), await aSession()];
  await releasing.query('BEGIN');
  await releaseRefused(releasing, { id: refused, drop: false });
  const { rows } = await raising.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // The open release is a writer itself; here it is the statement alone that is asked.
  const raise = raising.query(
    `SELECT urr.raise_lane_floors('{orders}', '{0}', urr.last_outbox_id(), urr.session_name())`,
  );
  await eventually(
    async () =>
      (await database.query(`SELECT FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'`, [rows[0]?.pid]))
        .rowCount === 1,
    { withinMs: settleMs, what: 'the raise to wait for the release' },
  );
  await releasing.query('COMMIT');
  await raise;
  expect(await floorOf()).toBeLessThan(refused);
  expect(await waiting()).toEqual([refused]);
});
