import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aDatabase } from '#test/kit/engines/database.ts';
import { type PostgresEngine, startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { isFault } from '../errors.ts';
import { silentLogger } from '../telemetry/logger.ts';
import type { Database } from './database.ts';
import { createDatabase } from './pool.ts';

const throwing = () => {
  throw new Error('a trap');
};
const cyclic = new AggregateError([]);
cyclic.errors.push(cyclic);
const unprintable: readonly [string, unknown][] = [
  ['an error whose message is an object', Object.assign(new Error(), { message: { no: 'string' } })],
  ['an error whose message cannot be read', Object.defineProperty(new Error(), 'message', { get: throwing })],
  ['an error whose code cannot be read', Object.defineProperty(new Error(), 'code', { get: throwing })],
  ['a Proxy that throws at every touch', new Proxy({}, { getPrototypeOf: throwing, get: throwing, has: throwing })],
  ['an AggregateError that contains itself', cyclic],
  ['null', null],
  ['a symbol', Symbol('thrown')],
];

const backendOf = async (database: Database) =>
  (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;

describe('on a healthy server', async () => {
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 4 });
  afterAll(() => database.close());
  await database.query('CREATE TABLE counters (id integer PRIMARY KEY, value integer NOT NULL)');
  await database.query('INSERT INTO counters VALUES (1, 0), (2, 0)');

  test('a transaction that throws leaves nothing behind and returns its connection', async () => {
    for (let round = 0; round < 10; round++) {
      await expect(
        database.transaction(async (tx) => {
          await tx.query('UPDATE counters SET value = 99 WHERE id = 1');
          throw new Error('changed my mind');
        }),
      ).rejects.toThrow('changed my mind');
    }
    expect((await database.query('SELECT value FROM counters WHERE id = 1')).rows).toEqual([{ value: 0 }]);
  });

  test('the server notices within half a minute that the host of a session or of a pool connection is gone', async () => {
    const settings = `SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp\\_%' ORDER BY name`;
    const wanted = [
      { name: 'tcp_keepalives_count', setting: '3' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '5' },
      { name: 'tcp_user_timeout', setting: '20000' },
    ];
    expect((await database.query(settings)).rows).toEqual(wanted);
    const session = await database.session('keepalive');
    expect((await session.query(settings)).rows).toEqual(wanted);
    await session.close();
  });

  test('a transaction can have its own limit of idling, and the next one has the limit of the pool', async () => {
    const limit = `SELECT current_setting('idle_in_transaction_session_timeout') AS limit`;
    const own = await database.transaction(async (tx) => (await tx.query(limit)).rows, { idleTimeoutMs: 7_000 });
    expect(own).toEqual([{ limit: '7s' }]);
    expect(await database.transaction(async (tx) => (await tx.query(limit)).rows)).toEqual([{ limit: '30s' }]);
  });

  test('effects after commit run after a commit only', async () => {
    const effects: string[] = [];
    await database.transaction(async (tx) => tx.afterCommit(() => effects.push('committed')));
    await database
      .transaction(async (tx) => {
        tx.afterCommit(() => effects.push('never'));
        throw new Error('no');
      })
      .catch(() => {});
    expect(effects).toEqual(['committed']);
  });

  for (const [what, thrown] of unprintable) {
    test(`work that throws ${what} leaves nothing for the next transaction on its connection to commit`, async () => {
      const one = createDatabase({ url, poolMax: 1 });
      await one.query('UPDATE counters SET value = 100');
      const halfDone = one.transaction(async (tx) => {
        await tx.query('UPDATE counters SET value = value - 10 WHERE id = 1');
        throw thrown;
      });
      // Not `rejects.toBe`: its message would have to print what was thrown.
      const caught = await halfDone.then(
        () => 'nothing',
        (error: unknown) => ({ error }),
      );
      await one.transaction((tx) => tx.query('SELECT 1'));
      expect((await database.query('SELECT value FROM counters ORDER BY id')).rows).toEqual([
        { value: 100 },
        { value: 100 },
      ]);
      expect(typeof caught === 'object' && caught.error === thrown).toBe(true);
      await one.query('UPDATE counters SET value = 0');
      await one.close();
    });
  }

  test('a failure that the work swallowed is not reported as a commit', async () => {
    await database.query('UPDATE counters SET value = 0');
    const effects: string[] = [];
    const swallowed = database.transaction(async (tx) => {
      tx.afterCommit(() => effects.push('committed'));
      await tx.query('UPDATE counters SET value = 7 WHERE id = 1');
      await tx.query('INSERT INTO counters VALUES (1, 1)').catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow('rolled back');
    expect(effects).toEqual([]);
    expect((await database.query('SELECT value FROM counters WHERE id = 1')).rows).toEqual([{ value: 0 }]);
  });

  test('a statement that cannot be sent, and that the work does not wait for, is not committed without', async () => {
    await database.query('UPDATE counters SET value = 0');
    const value = {
      toJSON() {
        throw new Error('cannot be written');
      },
    };
    const half = database.transaction(async (tx) => {
      await tx.query('UPDATE counters SET value = 7 WHERE id = 1');
      void tx.query('UPDATE counters SET value = $1 WHERE id = 2', [value]);
    });
    await expect(half).rejects.toThrow('cannot be written');
    expect((await database.query('SELECT value FROM counters WHERE id = 1')).rows).toEqual([{ value: 0 }]);
  });

  test("a transaction that is over can no longer be used: its connection is somebody else's by then", async () => {
    const kept = await database.transaction(async (tx) => tx);
    await expect(kept.query('UPDATE counters SET value = 99')).rejects.toThrow('over');
  });

  test("an error of somebody else that looks like the driver's is passed on as it is, and the work is not run again", async () => {
    for (const code of ['ENOTFOUND', '57P01', '40001', '57014']) {
      const foreign = Object.assign(new Error('of another service'), { code });
      let runs = 0;
      const failing = database.transaction(async () => {
        runs += 1;
        throw foreign;
      });
      await expect(failing).rejects.toBe(foreign);
      expect(runs).toBe(1);
    }
  });

  test('work cannot end its own transaction, nor a query begin one on the pool', async () => {
    await database.query('UPDATE counters SET value = 0');
    const parted = database.transaction(async (tx) => {
      await tx.query('UPDATE counters SET value = 5 WHERE id = 1');
      await tx.query('COMMIT AND CHAIN');
    });
    await expect(parted).rejects.toThrow('COMMIT is refused');
    await expect(database.query('BEGIN')).rejects.toThrow('BEGIN is refused');
    expect((await database.query('SELECT value FROM counters WHERE id = 1')).rows).toEqual([{ value: 0 }]);
  });

  test('work that ends its own transaction all the same is told so, and its connection is not used again', async () => {
    const { logger, lines } = aLog();
    const one = createDatabase({ url, poolMax: 1, logger });
    const before = await backendOf(one);
    const later: unknown[] = [];
    const parted = one.transaction(async (tx) => {
      // With this setting PostgreSQL reads the next text otherwise than we do.
      await tx.query('SET LOCAL standard_conforming_strings = off');
      await tx.query(`SELECT '\\''; COMMIT; SELECT '\\''`).catch(() => {});
      await tx.query('SELECT 1').catch((error: unknown) => later.push(error));
    });
    await expect(parted).rejects.toThrow('has ended its transaction');
    expect(later).toHaveLength(1);
    expect(await backendOf(one)).not.toBe(before);
    expect(lines()).toEqual(['a transaction was ended by its own work']);
    // Its own error would say that nothing has happened.
    const failing = one.transaction(async (tx) => {
      await tx.query('SET LOCAL standard_conforming_strings = off');
      await tx.query(`SELECT '\\''; COMMIT; SELECT '\\''`);
      throw new Error('no seat left');
    });
    await expect(failing).rejects.toThrow('has ended its transaction');
    await one.close();
  });

  test('what work sets for its session, or locks, is gone after its transaction', async () => {
    const one = createDatabase({ url, poolMax: 1 });
    await one.transaction((tx) => tx.query('SET synchronous_commit = off; SET statement_timeout = 50'));
    const settings = `SELECT current_setting('synchronous_commit') AS sync, current_setting('statement_timeout') AS limit`;
    expect((await one.query(settings)).rows).toEqual([{ sync: 'on', limit: '5s' }]);
    const failing = one.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_lock(4711)');
      throw new Error('after the lock');
    });
    await expect(failing).rejects.toThrow('after the lock');
    const isFree = async () =>
      (await database.query<{ free: boolean }>('SELECT pg_try_advisory_lock(4711) AS free')).rows[0]?.free;
    await eventually(isFree, { withinMs: 20_000, what: 'the lock to be free' });
    const before = await backendOf(one);
    await one.transaction((tx) => tx.query('SET LOCAL statement_timeout = 50'));
    expect(await backendOf(one)).toBe(before);
    await one.close();
  });

  test('an effect after the commit that fails later ends nothing', async () => {
    const lines: unknown[] = [];
    const logger = Object.assign(Object.create(silentLogger) as typeof silentLogger, {
      error: (...line: unknown[]) => lines.push(line.at(-1)),
    });
    const one = createDatabase({ url, poolMax: 1, logger });
    await one.transaction(async (tx) =>
      tx.afterCommit(async () => {
        throw new Error('no wake-up today');
      }),
    );
    await eventually(() => lines.length > 0, { withinMs: 20_000, what: 'a line in the log' });
    expect(lines).toEqual(['an effect after a commit failed']);
    await one.close();
  });

  test('an effect after the commit that throws does not make the commit look undone', async () => {
    const effects: string[] = [];
    const result = await database.transaction(async (tx) => {
      tx.afterCommit(() => {
        throw new Error('no wake-up today');
      });
      tx.afterCommit(() => effects.push('second'));
      return 'committed';
    });
    expect({ result, effects }).toEqual({ result: 'committed', effects: ['second'] });
  });

  test('a commit whose answer was lost is not run again, and the caller is told that it may have happened', async () => {
    const marked = createDatabase({ url, poolMax: 1, applicationName: 'lost commit' });
    // A deferred trigger runs inside COMMIT: the connection is cut after COMMIT was sent and before it was answered.
    await database.query('CREATE TABLE doomed (id integer)');
    await database.query(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`);
    await database.query(`CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON doomed DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION cut()`);
    let runs = 0;
    const lost = marked.transaction(async (tx) => {
      runs += 1;
      await tx.query('INSERT INTO doomed VALUES (1)');
    });
    await expect(lost).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
      detail: expect.stringContaining('may have taken effect'),
    });
    expect(runs).toBe(1);
    await marked.close();
  });

  test('serializable transactions that collide are run again until each has had its turn', async () => {
    await database.query('UPDATE counters SET value = 0');
    const add = () =>
      database.transaction(
        async (tx) => {
          const { rows } = await tx.query<{ value: number }>('SELECT value FROM counters WHERE id = 1');
          await tx.query('UPDATE counters SET value = $1 WHERE id = 1', [(rows[0]?.value ?? 0) + 1]);
        },
        { isolation: 'serializable' },
      );
    await Promise.all([add(), add(), add()]);
    expect((await database.query('SELECT value FROM counters WHERE id = 1')).rows).toEqual([{ value: 3 }]);
  });

  test('a deadlock is resolved by running the loser again', async () => {
    await database.query('UPDATE counters SET value = 0');
    const touch = (first: number, second: number) =>
      database.transaction(async (tx) => {
        await tx.query('UPDATE counters SET value = value + 1 WHERE id = $1', [first]);
        await new Promise((resolve) => setTimeout(resolve, 50));
        await tx.query('UPDATE counters SET value = value + 1 WHERE id = $1', [second]);
      });
    await Promise.all([touch(1, 2), touch(2, 1)]);
    expect((await database.query('SELECT value FROM counters ORDER BY id')).rows).toEqual([{ value: 2 }, { value: 2 }]);
  });

  test('a statement that runs into its limit is a clear 503, and the connection is usable again', async () => {
    const hasty = createDatabase({ url, poolMax: 1, statementTimeoutMs: 1_000 });
    await expect(hasty.query('SELECT pg_sleep(60)')).rejects.toSatisfy((error) =>
      isFault(error, 'DATABASE_UNAVAILABLE'),
    );
    expect((await hasty.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await hasty.close();
  });

  test('an exhausted pool refuses within the connection timeout instead of hanging', async () => {
    const small = createDatabase({ url, poolMax: 1, connectTimeoutMs: 1_500 });
    let free = () => {};
    const holding = small.transaction(() => new Promise<void>((resolve) => (free = resolve)));
    await expect(small.query('SELECT 1')).rejects.toSatisfy((error) => isFault(error, 'DATABASE_UNAVAILABLE'));
    free();
    await holding;
    await small.close();
  });

  test('a number that does not fit is refused rather than rounded', async () => {
    await expect(database.query('SELECT 9007199254740993::bigint')).rejects.toThrow('does not fit');
  });
});

describe('when the server goes away', () => {
  let engine: PostgresEngine;
  let database: Database;
  beforeAll(async () => {
    engine = await startPostgres({ dir: await aFolder('pool') });
    database = createDatabase({ url: engine.url, poolMax: 4, connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 });
  });
  afterAll(async () => {
    await database.close();
    await engine.stop();
  });

  const isAway = (error: unknown) => isFault(error, 'DATABASE_UNAVAILABLE');
  const worksAgain = () =>
    eventually(() => database.query('SELECT 1'), { withinMs: 60_000, what: 'the database to be usable again' });

  test('queries fail clearly while it is stopped and work by themselves when it is back', async () => {
    await database.ping();
    await whileStopped(engine, async () => {
      await expect(database.query('SELECT 1')).rejects.toSatisfy(isAway);
      await expect(database.transaction(async (tx) => tx.query('SELECT 1'))).rejects.toSatisfy(isAway);
      await expect(database.session('test')).rejects.toSatisfy(isAway);
    });
    await worksAgain();
  });

  test('queries do not hang on a server that stopped answering', async () => {
    await database.ping();
    await whilePaused(engine, async () => {
      await expect(database.query('SELECT 1')).rejects.toSatisfy(isAway);
    });
    await worksAgain();
  });

  test('a session tells that it ended', async () => {
    const session = await database.session('test');
    const ended = new Promise((resolve) => session.onEnd(resolve));
    await engine.kill();
    await ended;
    await engine.restart();
    await worksAgain();
  });
});
