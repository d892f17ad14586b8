import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { runInShell, startUrrProcess } from '#test/kit/processes.ts';

/** The commands of docs/guides/bus.md as they are written there, against an embedded bus in the state that they are for. */
const guide = await readFile(new URL('../../docs/guides/bus.md', import.meta.url), 'utf8');
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
/** The one that asks for stopped consumers. */
const afterTheStop = commands.filter((command) => command.startsWith('urr bus replay --topic'));

const { url } = await aDatabase();
const env = { URR_DATABASE_URL: url };

test('the commands of the guide to the bus do what it says', async () => {
  const database = createDatabase({ url, poolMax: 2 });
  atEnd(() => database.close());
  const urr = await startUrrProcess({ env });
  await prepare();
  const answers = new Map<string, string>();
  const run = async (command: string) => {
    const { code, output } = await runInShell(command, env);
    expect([command, code, output]).toEqual([command, 0, expect.stringMatching(/\S/)]);
    answers.set(command.replace(/\s*#.*/, ''), output);
  };
  for (const command of commands) if (!afterTheStop.includes(command)) await run(command);

  expect(commands.length).toBeGreaterThan(8);
  expect(afterTheStop).toHaveLength(1);
  expect(answers.get('urr bus refused')).toContain('4711');
  expect(answers.get('urr bus letters')).toContain('cannot be read');
  expect(answers.get('urr bus replay --dead-letter queue-entry-dead')).toContain('replayed');
  // The one is sent after all, the other was given up.
  const sent = async () => {
    const { rows } = await database.query<{ key: string }>(
      `SELECT key FROM urr.bus_log WHERE topic = 'catalog-events'`,
    );
    return rows.map(({ key }) => key);
  };
  await eventually(async () => (await sent()).length > 0, { withinMs: 60_000, what: 'the released row to be sent' });
  expect(await sent()).toEqual(['sent']);
  // The released row is no event either: it has become a letter of queue-facts.
  const { rows: letters } = await database.query<{ id: number }>(
    `SELECT id FROM urr.bus_letters WHERE consumer_group = 'queue-entry' ORDER BY id`,
  );
  // One was dropped by its id, the other with all that had failed.
  expect(letters).toEqual([]);
  await urr.stop();
  // A group with letters is not set back; the one of queue-facts is the released row.
  await database.query(`DELETE FROM urr.bus_letters WHERE consumer_group = 'queue-facts'`);
  for (const command of afterTheStop) await run(command);

  /** Letters 41 and 42 of a group, and the rows 4711 and 4712 that a broker refused. */
  async function prepare(): Promise<void> {
    for (const id of [41, 42]) {
      await database.query(
        `INSERT INTO urr.bus_letters (id, consumer_group, topic, dead_letter, on_poison, partition, log_offset, key, identity, value,
           headers, behind, attempts, reason) OVERRIDING SYSTEM VALUE
         VALUES ($1::bigint, 'queue-entry', 'queue-entry', 'queue-entry-dead', 'pass', 0, $1::bigint, 'somebody', 'letter ' || $1::bigint, 'no envelope', '{}', false, 4,
           'cannot be read')`,
        [id],
      );
    }
    for (const [id, key] of [
      [4_711, 'sent'],
      [4_712, 'given up'],
    ]) {
      await database.query(
        `INSERT INTO urr.outbox (id, topic, partition, key, event_id, type, envelope, parked_at, parked_reason) OVERRIDING SYSTEM VALUE
         VALUES ($1, 'catalog-events', 0, $2, gen_random_uuid(), 'raw', '"no envelope"', urr.now(), 'MESSAGE_TOO_LARGE')`,
        [id, key],
      );
    }
  }
});
