import { afterAll, expect, test } from 'vitest';
import { createLettersAdmin, refuseWhileLettersWait } from '#platform/bus/letters-admin.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { type CommandInput, exitCodes, type Progress } from '../command.ts';
import { progressOn } from '../terminal.ts';
import { dropLetter, printLetters, replayLetters } from './letters.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 3 });
afterAll(() => database.close());
const bus = createLettersAdmin(database);

function anInput(values: CommandInput['values'] = {}) {
  const printed: string[] = [];
  const warned: string[] = [];
  const progress: Progress[] = [];
  const input: CommandInput = {
    values,
    words: [],
    env: {},
    print: (line) => printed.push(line),
    warn: (line) => warned.push(line),
    showProgress: (one) => progress.push(one),
  };
  return { input, printed, warned, progress };
}

async function letters(
  topic: string,
  count: number,
  column: { reason?: string; behind?: boolean } = {},
): Promise<void> {
  const { reason = 'was down', behind = false } = column;
  await database.query(
    `INSERT INTO urr.bus_letters (consumer_group, topic, dead_letter, on_poison, partition, log_offset, key, identity, event_id,
       value, headers, behind, attempts, reason, failed_at)
     SELECT 'group', $1, $1 || '-dead', 'park-key', 0, n, 'key-' || n, gen_random_uuid(), gen_random_uuid(), '{"n":"the message"}', '{}', $3, 4,
       $4, urr.now() - interval '1 hour'
     FROM generate_series(1, $2) AS n`,
    [topic, count, behind, reason],
  );
}

test('bus letters shows a line for each letter, and nothing in it moves the terminal', async () => {
  await letters('listed', 1, { reason: 'first line\nsecond \u001b[31mline' });
  await letters('listed', 1, { behind: true });
  const { input, printed } = anInput({ topic: 'listed' });
  expect(await printLetters(input, bus)).toBe(exitCodes.ok);
  expect(printed).toHaveLength(3);
  expect(printed[0]).toMatch(/^ID +TOPIC +GROUP +KEY +AGE +ATTEMPTS +NEXT TRY +REASON$/);
  expect(printed[1]).toMatch(
    /^\d+ +listed +group +key-1 +\d+ s +4 +waits for a person +first line second {2}\[31mline$/,
  );
  expect(printed[2]).toMatch(/after its key/);
  const none = anInput({ topic: 'nowhere' });
  await printLetters(none.input, bus);
  expect(none.printed).toEqual(['no letters']);
});

test('bus replay says that no letter was tried for a while, rather than wait for ever', async () => {
  await letters('idle', 3);
  const { input, printed, warned } = anInput();
  expect(await replayLetters(input, bus, { topic: 'idle-dead', silenceMs: 0 })).toBe(exitCodes.failed);
  expect(printed).toEqual(['replayed 0 messages of idle-dead']);
  expect(warned.join()).toContain('3 letters of idle-dead are still due; their number has not gone down for 0 s.');
});

test('bus replay shows how the letters get on and how many failed again', async () => {
  await letters('busy', 10);
  const { input, printed, progress } = anInput({ limit: '8' });
  const replayed = replayLetters(input, bus, { topic: 'busy-dead' });
  // What a consumer does: seven have their effect, one fails again.
  const due = `topic = 'busy' AND due_at <= urr.now()`;
  for (let left = 8; left > 1; ) {
    const { rowCount } = await database.query(
      `DELETE FROM urr.bus_letters WHERE id IN (SELECT id FROM urr.bus_letters WHERE ${due} ORDER BY id LIMIT $1)`,
      [left - 1],
    );
    left -= rowCount;
  }
  await database.query(`UPDATE urr.bus_letters SET due_at = NULL, failed_at = urr.now() WHERE ${due}`);
  expect(await replayed).toBe(exitCodes.ok);
  expect(printed).toEqual(['replayed 8 messages of busy-dead, 1 failed again']);
  expect(progress.at(-1)).toEqual({ done: 8, total: 8 });
});

test('bus drop names the letter that is gone', async () => {
  await letters('dropped', 1);
  const [letter] = await bus.letters({ topic: 'dropped', limit: 1 });
  const id = String(letter?.id);
  const first = anInput({ letter: id });
  expect(await dropLetter(first.input, bus)).toBe(exitCodes.ok);
  const second = anInput({ letter: id });
  expect(await dropLetter(second.input, bus)).toBe(exitCodes.failed);
  expect(second.printed).toEqual([`there is no letter ${id}`]);
  await expect(dropLetter(anInput().input, bus)).rejects.toThrow('say --letter ID');
  // What is given up is seen once more.
  expect(first.printed).toContain('message: {"n":"the message"}');
  expect(first.printed.at(-1)).toBe(`dropped letter ${id}; its event will have no effect`);
});

test('bus letters --letter shows everything about one letter', async () => {
  await letters('whole', 1, { reason: 'a reason longer than a table has room for '.repeat(5) });
  const [letter] = await bus.letters({ topic: 'whole', limit: 1 });
  const { input, printed } = anInput({ letter: String(letter?.id) });
  expect(await printLetters(input, bus)).toBe(exitCodes.ok);
  expect(printed).toEqual(
    expect.arrayContaining([
      `id: ${letter?.id}`,
      'topic: whole',
      'deadLetter: whole-dead',
      `eventId: ${letter?.eventId}`,
      `reason: ${letter?.reason.trim()}`,
      'headers: {}',
      'message: {"n":"the message"}',
    ]),
  );
  const none = anInput({ letter: '999999' });
  expect(await printLetters(none.input, bus)).toBe(exitCodes.failed);
});

test('an id is digits and nothing else', async () => {
  await letters('digits', 1);
  for (const letter of ['0x1', '1e0', ' 1', '+1', '']) {
    await expect(dropLetter(anInput({ letter }).input, bus)).rejects.toThrow('say --letter ID');
  }
});

test('bus drop gives up many letters, and those behind them go on', async () => {
  await letters('many', 5);
  await letters('many', 2, { behind: true });
  await letters('others', 1);
  const some = anInput({ 'dead-letter': 'many-dead', limit: '2' });
  expect(await dropLetter(some.input, bus)).toBe(exitCodes.ok);
  expect(some.printed).toEqual(['dropped 2 letters of many-dead; their events will have no effect']);
  const rest = anInput({ 'dead-letter': 'many-dead' });
  await dropLetter(rest.input, bus);
  expect(rest.printed).toEqual(['dropped 3 letters of many-dead; their events will have no effect']);
  expect((await bus.letters({ topic: 'many', limit: 9 })).map(({ state }) => state)).toEqual(['behind', 'behind']);
  expect(await bus.letters({ topic: 'others', limit: 9 })).toHaveLength(1);
  // They do not come back when they are delivered again, nor when the group reads the topic from its beginning.
  const { rowCount } = await database.query(`SELECT FROM urr.inbox WHERE topic = 'many' AND dropped_at IS NOT NULL`);
  expect(rowCount).toBe(5);
});

test('a group with any letters is not set back to the beginning', async () => {
  await letters('set-back', 1);
  await database.query(`UPDATE urr.bus_letters SET on_poison = 'pass' WHERE topic = 'set-back'`);
  const name = { topic: 'set-back', group: 'group' };
  await expect(refuseWhileLettersWait(database, name)).rejects.toMatchObject({ code: 'CONFLICT' });
  await refuseWhileLettersWait(database, { ...name, group: 'another' });
});

test('progress is a bar on a terminal and a line for every tenth elsewhere', () => {
  const written: string[] = [];
  const stream = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) > 0 });
  const onTerminal = progressOn(stream(true), () => {});
  onTerminal({ done: 5, total: 10 });
  onTerminal({ done: 10, total: 10 });
  expect(written).toEqual([
    `\r${'█'.repeat(15)}${'░'.repeat(15)} 5 of 10\u001b[K`,
    `\r${'█'.repeat(30)} 10 of 10\u001b[K\n`,
  ]);
  const lines: string[] = [];
  const elsewhere = progressOn(stream(false), (line) => lines.push(line));
  for (let done = 0; done <= 1_000; done++) elsewhere({ done, total: 1_000 });
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('1000 of 1000');
});
