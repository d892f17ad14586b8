import { afterAll, expect, test } from 'vitest';
import { listRefused, releaseRefused as releaseRow } from '#platform/bus/refused.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { bus } from '../bus.ts';
import { releaseRefused } from './refused.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
afterAll(() => database.close());

async function run(words: readonly string[], values: Record<string, string> = {}, env: Record<string, string> = {}) {
  const printed: string[] = [];
  const code = await bus.run({
    words,
    values,
    env: { URR_DATABASE_URL: url, ...env },
    print: (line) => void printed.push(line),
    warn: (line) => void printed.push(line),
  });
  return { code, text: printed.join('\n') };
}

/** A refused row of a key, and one that waits behind it. */
async function refusedKey(key: string): Promise<number> {
  const { rows } = await database.query<{ id: number }>(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT 'orders', 0, $1, gen_random_uuid(), 'ORDERED', '{"n":1}' FROM generate_series(1, 2) RETURNING id`,
    [key],
  );
  const [first, second] = rows.map(({ id }) => id);
  await database.query(`INSERT INTO urr.bus_lanes (topic, partition, floor) VALUES ('orders', 0, 1000)
    ON CONFLICT (topic, partition) DO UPDATE SET floor = 1000`);
  await database.query(`SELECT urr.park_outbox_row($1, 'MESSAGE_TOO_LARGE')`, [first]);
  await database.query('SELECT urr.park_outbox_rows_behind($1)', [[second]]);
  return first ?? 0;
}

test('bus refused lists what the broker refuses; release and drop let its key go on', async () => {
  expect(await run(['refused'])).toEqual({ code: 0, text: 'no event is refused' });
  const [kept, dropped] = [await refusedKey('kept'), await refusedKey('dropped')];
  const listed = (await run(['refused'])).text.split('\n');
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatch(new RegExp(`^row ${kept} .* key kept .*1 of its key wait behind it: MESSAGE_TOO_LARGE$`));

  const whole = await run(['refused'], { row: String(kept) });
  expect(whole.text.split('\n')).toEqual(
    expect.arrayContaining([`id: ${kept}`, 'key: kept', 'reason: MESSAGE_TOO_LARGE', 'message: {"n":1}']),
  );
  expect(await run(['refused'], { row: '999999' })).toMatchObject({ code: 1 });

  expect(await run(['release'], { row: String(kept) })).toMatchObject({ code: 0 });
  const given = await run(['release'], { drop: String(dropped) });
  expect(given).toMatchObject({ code: 0, text: expect.stringContaining('{"n":1}') });
  expect(await run(['release'], { row: String(kept) })).toMatchObject({ code: 1 });
  expect(await run(['refused'])).toEqual({ code: 0, text: 'no event is refused' });

  const { rows } = await database.query<{ key: string }>(
    'SELECT o.key FROM urr.outbox AS o JOIN urr.bus_lanes AS lane USING (topic, partition) WHERE o.id > lane.floor AND parked_at IS NULL ORDER BY o.id',
  );
  expect(rows.map(({ key }) => key)).toEqual(['kept', 'kept', 'dropped']);
});

test('bus release wants one row', async () => {
  await expect(run(['release'])).rejects.toThrow('say --row ID, --drop ID or --topic TOPIC');
  await expect(run(['release'], { row: '1', drop: '1' })).rejects.toThrow('say --row ID, --drop ID or --topic TOPIC');
  await expect(run(['release'], { row: 'x' })).rejects.toThrow('the ID is a number');
});

test('bus release --topic lets all refused events of a topic go', async () => {
  for (const key of ['one', 'two', 'three']) await refusedKey(key);
  const limited = await run(['release'], { topic: 'orders', limit: '1' });
  expect(limited.text).toBe(
    '1 refused events of orders will be sent again\nthere may be more; urr bus release --topic orders goes on',
  );
  expect((await run(['release'], { topic: 'elsewhere' })).text).toBe(
    '0 refused events of elsewhere will be sent again',
  );
  expect((await run(['release'], { topic: 'orders' })).text).toBe('2 refused events of orders will be sent again');
  expect((await run(['refused'])).text).toBe('no event is refused');
});

async function refuseMany(topic: string, count: number): Promise<void> {
  await database.query('INSERT INTO urr.bus_lanes (topic, partition) VALUES ($1, 0)', [topic]);
  await database.query(
    `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
     SELECT $1, 0, 'key-' || n, gen_random_uuid(), 'ORDERED', '{}' FROM generate_series(1, $2) AS n`,
    [topic, count],
  );
  await database.query(`SELECT urr.park_outbox_row(id, 'MESSAGE_TOO_LARGE') FROM urr.outbox WHERE topic = $1`, [topic]);
}

test('bus release --topic finds its events behind a thousand of another topic, and goes through them in pieces', async () => {
  await refuseMany('crowded', 1_001);
  await refuseMany('wanted', 7);
  const limited = await run(['release'], { topic: 'wanted', limit: '2' });
  expect(limited.text).toContain('2 refused events of wanted will be sent again');
  const printed: string[] = [];
  const print = (line: string) => void printed.push(line);
  const pieces: number[] = [];
  const engine = {
    async refusedRows(page: Parameters<typeof listRefused>[1]) {
      const rows = await listRefused(database, page);
      pieces.push(rows.length);
      return rows;
    },
    releaseRefused: (row: { id: number; drop: boolean }) => releaseRow(database, row),
  };
  await releaseRefused({ values: { topic: 'wanted' }, words: [], env: {}, print, warn: print }, engine, {
    pieceRows: 2,
  });
  expect(pieces).toEqual([2, 2, 1, 0]);
  expect(printed).toEqual(['5 refused events of wanted will be sent again']);
  const left = `SELECT topic, count(*) FROM urr.outbox WHERE parked_at IS NOT NULL GROUP BY topic`;
  expect((await database.query(left)).rows).toEqual([{ topic: 'crowded', count: 1_001 }]);
});

test('names that nothing is called by are refused, but not those that have letters', async () => {
  await expect(run(['letters'], { group: 'nope' })).rejects.toThrow('no group is called nope');
  await expect(run(['letters'], { topic: 'nope' })).rejects.toThrow('no topic is called nope');
  await expect(run(['drop'], { 'dead-letter': 'nope' })).rejects.toThrow('no dead-letter topic is called nope');
  await database.query(
    `INSERT INTO urr.bus_letters (consumer_group, topic, dead_letter, on_poison, partition, log_offset, key, identity, value,
       headers, behind, attempts, reason)
     VALUES ('gone', 'old', 'renamed-dead', 'pass', 0, 0, 'key', 'one', '{}', '{}', false, 1, 'broken')`,
  );
  expect((await run(['letters'], { group: 'gone' })).code).toBe(0);
  expect((await run(['drop'], { 'dead-letter': 'renamed-dead' })).text).toContain('dropped 1 letters');
});

test('bus lag shows the outbox while Kafka is away', async () => {
  const away = await run(['lag'], {}, { URR_KAFKA_BROKERS: '127.0.0.1:1' });
  expect(away.code).toBe(1);
  expect(away.text).toMatch(/^outbox {2}\d+ waiting.*\nThe broker does not answer/s);
});
