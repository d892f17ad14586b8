import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { runCommandLine } from './command-line.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
const folder = await mkdtemp(join(tmpdir(), 'urr-layout-'));
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const venueId = '018f0000-0000-7000-8000-000000000001';
const sellerId = '018f0000-0000-7000-8000-000000000002';
await database.query(
  `INSERT INTO catalog.venues (id, owner_id, name, address, search_text) VALUES ($1, $2, '홀', '서울', '홀')`,
  [venueId, sellerId],
);

async function urr(...args: string[]) {
  const printed: string[] = [];
  const warned: string[] = [];
  const code = await runCommandLine(['layout', ...args], {
    env: { URR_DATABASE_URL: url },
    print: (line) => void printed.push(line),
    warn: (line) => void warned.push(line),
  });
  return { code, printed: printed.join('\n'), warned: warned.join('\n') };
}

async function aFile(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const layouts = async () =>
  (
    await database.query<{ id: string; name: string; owner_id: string }>(
      'SELECT id, name, owner_id FROM catalog.layouts ORDER BY id',
    )
  ).rows;

test('a table goes in, comes out in both formats and goes in again as the same drawing', async () => {
  const table = await aFile('작은 홀.csv', '구역,열,번호,등급,x,y,비고\nA,1,1,R,0,0,"기둥, 뒤"\nA,1,2,R,10,0,\n');
  const made = await urr('import', table, '--venue', venueId);
  expect(made).toMatchObject({ code: 0, warned: '' });
  expect(made.printed).toMatch(/^layout [\da-f-]{36}: 2 seats and 0 standing places$/);
  const [first] = await layouts();
  expect(first).toMatchObject({ name: '작은 홀', owner_id: sellerId });
  for (const name of ['out.csv', 'out.json']) {
    const file = join(folder, name);
    expect(await urr('export', first?.id ?? '', file)).toMatchObject({
      code: 0,
      printed: `${file} has 2 seats and 0 standing places`,
    });
    expect(await urr('export', first?.id ?? '', file)).toMatchObject({
      code: 1,
      warned: `urr layout: ${file} exists already, and is kept as it is`,
    });
    expect(await urr('import', file, '--venue', venueId, '--name', name)).toMatchObject({ code: 0, warned: '' });
  }
  const { rows } = await database.query('SELECT DISTINCT document FROM catalog.layouts');
  expect(rows).toHaveLength(1);
  expect((await layouts()).map(({ name }) => name).sort()).toEqual(['out.csv', 'out.json', '작은 홀'].sort());
  const printed = await urr('export', first?.id ?? '');
  expect(printed.printed).toBe((await readFile(join(folder, 'out.csv'), 'utf8')).trimEnd());
  const audited = await database.query(`SELECT actor_id FROM urr.audit_log WHERE subject = $1`, [first?.id]);
  expect(audited.rows).toEqual([{ actor_id: sellerId }]);
});

test('a broken file names its problems, and nothing is stored', async () => {
  const before = await layouts();
  const table = await aFile('broken.csv', 'section,row,seat,grade,x,y,Farbe\nA,1,1,R,oben,0,rot\nA,,2,R,0,0,\n');
  for (const args of [['--venue', venueId], ['--check']]) {
    const { code, printed, warned } = await urr('import', table, ...args);
    expect([code, printed]).toEqual([1, '']);
    expect(warned.split('\n')).toEqual([
      'warning: line 1, Farbe: is no column that is known; it was left out',
      'line 2, x: "oben" is not a number',
      'line 3, row: is empty',
      `${table} was not imported: 2 problems`,
    ]);
  }
  expect(await layouts()).toEqual(before);
});

test('a file is checked without a database', async () => {
  const head = 'kind,section,row,seat,grade,x,y,capacity';
  const table = await aFile('sound.csv', `${head}\n,A,1,1,R,0,0,\nstanding,Z,,,,,,20\n`);
  const warned: string[] = [];
  const printed: string[] = [];
  const io = {
    env: { URR_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    print: (line: string) => void printed.push(line),
    warn: (line: string) => void warned.push(line),
  };
  expect(await runCommandLine(['layout', 'import', table, '--check'], io)).toBe(0);
  expect([printed, warned]).toEqual([[`${table} can be imported: 1 seat and 20 standing places`], []]);
});

test('what is missing or unknown is said', async () => {
  const table = await aFile('hall.txt', 'x');
  const unknown = '018f0000-0000-7000-8000-00000000ffff';
  const csv = await aFile('hall.csv', 'section,row,seat,grade,x,y\nA,1,1,R,0,0\n');
  const empty = await aFile('empty.csv', '');
  for (const [args, code, words] of [
    [['import'], 2, 'name the file'],
    [['import', csv], 2, 'say --venue ID, or --check'],
    [['import', csv, '--venue', 'x'], 2, 'x is not the id of a venue'],
    [['import', csv, '--venue', unknown], 2, `there is no venue ${unknown}`],
    [['import', csv, '--venue', venueId, '--name', ' '], 2, 'say --name NAME'],
    [['import', table, '--check'], 2, 'say --format csv or --format pretix'],
    [['import', csv, '--check', '--format', 'xls'], 2, '--format is csv or pretix'],
    [['import', join(folder, 'none.csv'), '--check'], 1, `there is no file ${join(folder, 'none.csv')}`],
    [['import', folder, '--check', '--format', 'csv'], 1, `${folder} is a folder`],
    [['import', empty, '--check'], 1, `${empty} was not imported: 1 problem\n`],
    [['export', unknown], 2, `there is no layout ${unknown}`],
    [['frob'], 2, 'there is no subcommand frob; say import or export'],
  ] as const) {
    const answer = await urr(...args);
    expect([args, answer.code]).toEqual([args, code]);
    expect(`${answer.warned}\n`.toLowerCase()).toContain(words.toLowerCase());
  }
});
