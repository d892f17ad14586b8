import { hostname } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { createControl } from './control.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
afterAll(() => database.close());

const lost = 'the bus lost its connection to the database and connects again';
const back = 'the bus has its connection to the database';
const notYet = 'the bus cannot connect to the database yet';

function aControl(on = database) {
  const said: string[] = [];
  const note = (...line: unknown[]) => said.push(String(line.at(-1)));
  const logger = Object.assign(Object.create(silentLogger) as typeof silentLogger, { info: note, warn: note });
  const control = createControl({ database: on, logger });
  const connected = () =>
    eventually(() => control.query<{ pid: number }>('SELECT pg_backend_pid() AS pid').catch(() => false), {
      withinMs: 60_000,
      what: 'a connection',
    });
  return { control, said, connected };
}

test('each loss of the connection is logged, and each time that it is back', async () => {
  const { control, said, connected } = aControl();
  control.start();
  await connected();
  expect(said).toEqual([]);
  for (const round of [1, 2]) {
    const { rows } = await control.query<{ name: string }>(`SELECT current_setting('application_name') AS name`);
    expect(rows).toEqual([{ name: `urr bus ${hostname()}:${process.pid}`.slice(0, 63) }]);
    await control.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    await eventually(() => said.length === round * 2, { withinMs: 60_000, what: 'both lines' });
    await connected();
  }
  expect(said).toEqual([lost, back, lost, back]);
  await control.stop();
  expect(said).toHaveLength(4);
});

test('a first connection that is slow in coming is not called lost', async () => {
  let refusals = 2;
  const { control, said, connected } = aControl({
    ...database,
    async session(name) {
      if (refusals-- > 0) throw new Error('timeout expired');
      return database.session(name);
    },
  });
  control.start();
  await connected();
  expect(said).toEqual([notYet, back]);
  await control.stop();
});
