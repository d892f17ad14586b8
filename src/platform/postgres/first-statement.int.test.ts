import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { aDatabase } from '#test/kit/engines/database.ts';
import { startTcpProxy } from '#test/kit/engines/tcp-proxy.ts';
import { eventually } from '#test/kit/faults.ts';
import { silentLogger } from '../telemetry/logger.ts';
import type { Transaction } from './database.ts';
import { createDatabase } from './pool.ts';

const { url } = await aDatabase();
const told: string[] = [];
const logger = { ...silentLogger, error: (fields: { reason?: string }) => void told.push(fields.reason ?? '') };
/** One connection, so that each transaction gets what the one before it has left. */
const database = createDatabase({ url, poolMax: 1, logger });
afterAll(() => database.close());
await database.query(
  'CREATE TABLE seats (id integer PRIMARY KEY, taken_in text NOT NULL DEFAULT pg_current_xact_id()::text)',
);

beforeEach(async () => {
  told.length = 0;
  await database.query('TRUNCATE seats');
});

const insert = 'INSERT INTO seats (id) VALUES ($1)';
const taken = async () =>
  (await database.query<{ id: number }>('SELECT id FROM seats ORDER BY id')).rows.map(({ id }) => id);
const state = async () =>
  (
    await database.query<{ isolation: string; idle: string }>(
      `SELECT current_setting('transaction_isolation') AS isolation, current_setting('idle_in_transaction_session_timeout') AS idle`,
    )
  ).rows[0];

test('the first statement is in the transaction, with its settings, and they end with it', async () => {
  const before = await state();
  const inside = await database.transaction(
    async (tx) => {
      await tx.query(insert, [1]);
      await tx.query(insert, [2]);
      const { rows } = await tx.query(
        `SELECT count(DISTINCT taken_in)::integer AS transactions, current_setting('transaction_isolation') AS isolation,
           current_setting('idle_in_transaction_session_timeout') AS idle FROM seats WHERE id > $1`,
        [0],
      );
      return rows[0];
    },
    { isolation: 'serializable', idleTimeoutMs: 7_000 },
  );
  expect(inside).toEqual({ transactions: 1, isolation: 'serializable', idle: '7s' });
  expect(await state()).toEqual(before);
  expect(await taken()).toEqual([1, 2]);
});

test.each([
  ['with values', insert, [1]],
  ['without', 'INSERT INTO seats (id) VALUES (1); INSERT INTO seats (id) VALUES (2)', []],
])('when the work fails after a first statement %s nothing is left of it', async (_, text, values) => {
  const work = database.transaction(async (tx) => {
    await tx.query(text, values);
    throw new Error('changed my mind');
  });
  await expect(work).rejects.toThrow('changed my mind');
  expect(await taken()).toEqual([]);
});

test('statements that are not waited for keep their order, whichever of them comes first', async () => {
  for (const first of [0, 1]) {
    await database.transaction(async (tx) => {
      const texts = [
        () => tx.query(insert, [7]),
        () => tx.query('UPDATE seats SET id = id + 1; UPDATE seats SET id = id + 1'),
      ];
      await Promise.all([texts[first]?.(), texts[1 - first]?.()]);
    });
  }
  // [7] becomes 9 at first; then 9 becomes 11 before 7 comes.
  expect(await taken()).toEqual([7, 11]);
});

test('a first statement that fails is told as it is, and the connection goes on', async () => {
  await database.query(insert, [1]);
  const twice = database.transaction((tx) => tx.query(insert, [1]), { retry: false });
  await expect(twice).rejects.toMatchObject({ code: '23505' });
  const nonsense = database.transaction((tx) => tx.query('SELEKT $1', [1]), { retry: false });
  await expect(nonsense).rejects.toMatchObject({ code: '42601' });
  const swallowed = database.transaction(async (tx) => void (await tx.query(insert, [1]).catch(() => undefined)));
  await expect(swallowed).rejects.toThrow('rolled back');
  await database.transaction((tx) => tx.query(insert, [2]));
  expect(await taken()).toEqual([1, 2]);
  expect(told).toEqual([]);
});

test('a first statement that never reaches the server does not look as if the work had ended its transaction', async () => {
  const unsendable = {
    toPostgres() {
      throw new Error('no text for this');
    },
  };
  for (const [text, value, message] of [
    [insert, unsendable, 'no text for this'],
    ['COMMIT', undefined, 'COMMIT is refused'],
  ] as const) {
    const work = database.transaction((tx) => tx.query(text, value === undefined ? [] : [value]), { retry: false });
    await expect(work).rejects.toThrow(message);
  }
  await database.transaction((tx) => tx.query(insert, [3]));
  expect(await taken()).toEqual([3]);
  expect(told).toEqual([]);
});

test('a value that cannot be written does not spoil a prepared statement for those who come later', async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const prepared = (value: unknown, before: boolean) =>
    database.transaction(
      async (tx) => {
        if (before) await tx.query(insert, [100]);
        await tx.query('INSERT INTO seats (id) VALUES (($1::jsonb)::integer)', [value], { prepare: true });
      },
      { retry: false },
    );
  for (const before of [false, true]) {
    await expect(prepared(cyclic, before)).rejects.toThrow('circular');
    await prepared(before ? 2 : 1, false);
  }
  expect(await taken()).toEqual([1, 2]);
});

test('work without any statement has nothing to commit, and its effects run', async () => {
  const effects: string[] = [];
  const result = await database.transaction(async (tx) => {
    tx.afterCommit(() => void effects.push('effect'));
    return 'done';
  });
  expect({ result, effects }).toEqual({ result: 'done', effects: ['effect'] });
});

test('a prepared statement that failed at first is prepared when it can be', async () => {
  const prepared = { prepare: true };
  const count = () =>
    database.transaction((tx) => tx.query('SELECT count(*) AS n FROM late WHERE id > $1', [0], prepared), {
      retry: false,
    });
  await expect(count()).rejects.toMatchObject({ code: '42P01' });
  await expect(count()).rejects.toMatchObject({ code: '42P01' });
  await database.query('CREATE TABLE late (id integer)');
  for (let round = 0; round < 3; round++) expect((await count()).rows).toEqual([{ n: 0 }]);
  const { rows } = await database.query(`SELECT calls FROM (
    SELECT generic_plans + custom_plans AS calls FROM pg_prepared_statements WHERE statement LIKE '%FROM late%') AS kept`);
  expect(rows).toEqual([{ calls: 3 }]);
});

describe('work that fails while statements still wait for BEGIN', () => {
  const refusal = () => Promise.reject(new Error('changed my mind'));
  const works: readonly (readonly [string, (tx: Transaction) => Promise<unknown>[], string])[] = [
    ['two with values', (tx) => [1, 2].map((id) => tx.query(insert, [id])), 'changed my mind'],
    ['one without values', (tx) => [tx.query('INSERT INTO seats (id) VALUES (3)')], 'changed my mind'],
    ['four', (tx) => [9, 10, 11, 12].map((id) => tx.query(insert, [id])), 'changed my mind'],
    [
      'two and one that is refused',
      (tx) => [tx.query(insert, [7]), tx.query(insert, [8]), tx.query('COMMIT')],
      'refused',
    ],
  ];

  test.each(works)('%s: none of them is done, before or after ROLLBACK', async (_, statements, message) => {
    const work = database.transaction((tx) =>
      Promise.all([...statements(tx), ...(message === 'refused' ? [] : [refusal()])]),
    );
    await expect(work).rejects.toThrow(message);
    // On the only connection: behind everything that the work has sent.
    await database.transaction((tx) => tx.query(insert, [100]));
    expect(await taken()).toEqual([100]);
  });
});

test('a prepared statement that no longer fits its table fails once, and not as long as its connection lives', async () => {
  await database.query('CREATE TABLE growing (id integer)');
  const read = () =>
    database.transaction((tx) => tx.query('SELECT * FROM growing WHERE $1', [true], { prepare: true }), {
      retry: false,
    });
  expect((await read()).rowCount).toBe(0);
  await database.query('ALTER TABLE growing ADD COLUMN more text');
  await expect(read()).rejects.toMatchObject({ code: '0A000' });
  expect((await read()).rowCount).toBe(0);
});

describe('when the server does not answer a statement', async () => {
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const through = new URL(url);
  through.host = `127.0.0.1:${proxy.port}`;
  const slow = createDatabase({ url: through.href, poolMax: 1, statementTimeoutMs: 200, logger });
  afterAll(async () => {
    await slow.close();
    await proxy.close();
  });

  test('work that swallows it commits nothing, and the answer does not say that it did', async () => {
    let reason = '';
    const work = slow.transaction(
      async (tx) => {
        await tx.query(insert, [1]);
        proxy.hold();
        await tx.query(insert, [2]).catch((error: Error) => {
          reason = error.message;
        });
        // From here on the server gets everything, COMMIT included, if it is sent.
        proxy.letGo();
      },
      { retry: false },
    );
    await expect(work).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(reason).not.toBe('');
    await eventually(async () => (await openTransactions()) === 0, {
      withinMs: 30_000,
      what: 'the transaction to end',
    });
    expect(await taken()).toEqual([]);
  });

  async function openTransactions(): Promise<number> {
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`,
    );
    return rows[0]?.n ?? 0;
  }
});

describe('when BEGIN itself fails', async () => {
  /** Stands before the server and spoils the next BEGIN, as a cancel that arrives at that moment does. */
  let spoils = false;
  const { hostname, port } = new URL(url);
  const between = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('data', (chunk: Buffer) => {
      const at = spoils ? chunk.indexOf('BEGIN') : -1;
      if (at >= 0) {
        spoils = false;
        chunk.write('BEGIX', at, 'latin1');
      }
      server.write(chunk);
    });
    server.pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const through = new URL(url);
  through.host = `127.0.0.1:${(between.address() as AddressInfo).port}`;
  const spoiled = createDatabase({ url: through.href, poolMax: 1, logger });
  afterAll(async () => {
    await spoiled.close();
    between.close();
  });

  const first = [
    ['with values', insert, [1]],
    ['without', 'INSERT INTO seats (id) VALUES (1)', []],
  ] as const;
  const works = [
    ['waits for it', async (_) => undefined],
    ['goes on beside it', async (tx) => void (await Promise.all([2, 3].map((id) => tx.query(insert, [id]))))],
  ] as const satisfies readonly (readonly [string, (tx: Transaction) => Promise<void>])[];

  for (const [what, text, values] of first)
    test.each(works)(
      `a first statement ${what}, and work that %s: nothing of it is there, and nobody is told that it was done`,
      async (_, work) => {
        for (const isCaught of [true, false]) {
          let effects = 0;
          spoils = true;
          const transaction = spoiled.transaction(
            async (tx) => {
              tx.afterCommit(() => {
                effects += 1;
              });
              const started = tx.query(text, values);
              const others = work(tx);
              const all = [started, others];
              if (isCaught) await Promise.allSettled(all);
              else await Promise.all(all);
            },
            { retry: false },
          );
          await expect(transaction).rejects.toMatchObject({ code: '42601' });
          expect({ effects, taken: await taken(), told }).toEqual({ effects: 0, taken: [], told: [] });
        }
        await spoiled.transaction((tx) => tx.query(insert, [9]));
        expect(await taken()).toEqual([9]);
      },
    );
});
