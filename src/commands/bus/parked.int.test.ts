import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { bus } from '../bus.ts';

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
async function parkedKey(key: string): Promise<number> {
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

test('bus parked lists what the broker refuses; release and drop let its key go on', async () => {
  expect(await run(['parked'])).toEqual({ code: 0, text: 'no event is parked' });
  const [kept, dropped] = [await parkedKey('kept'), await parkedKey('dropped')];
  const listed = (await run(['parked'])).text.split('\n');
  expect(listed).toHaveLength(2);
  expect(listed[0]).toMatch(new RegExp(`^row ${kept} .* key kept .*1 of its key wait behind it: MESSAGE_TOO_LARGE$`));

  const whole = await run(['parked'], { row: String(kept) });
  expect(whole.text.split('\n')).toEqual(
    expect.arrayContaining([`id: ${kept}`, 'key: kept', 'reason: MESSAGE_TOO_LARGE', 'message: {"n":1}']),
  );
  expect(await run(['parked'], { row: '999999' })).toMatchObject({ code: 1 });

  expect(await run(['release'], { row: String(kept) })).toMatchObject({ code: 0 });
  const given = await run(['release'], { drop: String(dropped) });
  expect(given).toMatchObject({ code: 0, text: expect.stringContaining('{"n":1}') });
  expect(await run(['release'], { row: String(kept) })).toMatchObject({ code: 1 });
  expect(await run(['parked'])).toEqual({ code: 0, text: 'no event is parked' });

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

test('bus release --topic lets all parked events of a topic go', async () => {
  for (const key of ['one', 'two', 'three']) await parkedKey(key);
  const limited = await run(['release'], { topic: 'orders', limit: '1' });
  expect(limited).toEqual({ code: 0, text: '1 of 3 parked events of orders will be sent again' });
  expect((await run(['release'], { topic: 'elsewhere' })).text).toContain('0 of 0');
  expect((await run(['release'], { topic: 'orders' })).text).toBe('2 of 2 parked events of orders will be sent again');
  expect((await run(['parked'])).text).toBe('no event is parked');
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
