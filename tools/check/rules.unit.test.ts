import { describe, expect, it } from 'vitest';
import { boundaryRules } from '../boundaries/index.ts';
import { houseRules } from '../rules/index.ts';
import { findAll } from '../source/rule.ts';

const rules = [...boundaryRules, ...houseRules];

/** A small project that keeps every rule; each test below breaks one. */
const sound = {
  'package.json': JSON.stringify({
    dependencies: { fastify: '1', typebox: '1' },
    devDependencies: { vitest: '1', react: '1' },
    imports: {
      '#platform/*': './src/platform/*',
      '#modules/*': './src/modules/*',
      '#app/*': './src/app/*',
      '#edge/*': './edge/*',
      '#test/*': './test/*',
    },
  }),
  'package-lock.json': '{ "packages": { "node_modules/fastify": { "version": "1" } } }',
  'scripts/start.mjs':
    "import { readFile } from 'node:fs/promises';\nimport { node } from './lib/node.mjs';\nnode(readFile);",
  'scripts/lib/node.mjs': 'export function node() {}',
  'src/main.ts': "import './app/start.ts';",
  'src/app/start.ts':
    "import { filmsTopic } from '#modules/films/contract.ts';\nimport { films } from '#modules/films/index.ts';\nimport { seats } from '#modules/seats/index.ts';\nimport { names } from '#platform/http/names.ts';\nimport { pool } from '#platform/postgres/pool.ts';\nseats(pool, films, filmsTopic, names, process.env.URR_X);",
  'src/platform/assert.ts': 'export function assert() {}',
  'src/platform/schemas.ts': 'export const Uuid = 1;',
  'src/platform/http/names.ts': "export const names = ['idempotency-key', 'x-queue-ticket', 'urr-access'];",
  'src/platform/postgres/pool.ts': "import type { Database } from './database.ts';\nexport const pool: Database = {};",
  'src/platform/postgres/database.ts': 'export interface Database {}',
  'src/modules/seats/README.md': '# seats',
  // Each listens to the other, which is no circle: a contract knows no other module.
  'src/modules/seats/contract.ts':
    "import { Type } from 'typebox';\nimport { grades } from './domain/grades.ts';\nexport const seatsTopic = Type.Enum(grades);",
  'src/modules/seats/index.ts':
    "import { filmsTopic } from '#modules/films/contract.ts';\nimport { hold } from './domain/hold.ts';\nexport const seats = (..._: unknown[]) => hold(filmsTopic);",
  'src/modules/seats/domain/grades.ts': "export const grades = ['vip', 'r'];",
  'src/modules/seats/domain/hold.ts':
    "import { isIP } from 'node:net';\nimport { assert } from '#platform/assert.ts';\nimport type { Database } from '#platform/postgres/database.ts';\nexport function hold(now: unknown): Database { assert(); return new Date(isIP(String(now))); }",
  'src/modules/seats/migrations/0001_seats.sql':
    '-- not now()\nCREATE TABLE seats.holds (at timestamptz DEFAULT urr.now());',
  'src/modules/films/README.md':
    '# films\n`src/modules/films/`, `src/modules/<name>/x.ts`, [the list](storage.ts), [web](https://example.com/a)',
  'src/modules/films/contract.ts':
    "import type { IncomingHttpHeaders } from 'node:http';\nexport { filmsTopic } from './topics.ts';\nexport type Headers = IncomingHttpHeaders;",
  'src/modules/films/topics.ts':
    "import { assert } from '#platform/assert.ts';\nimport { Title } from './routes/film-schemas.ts';\nexport const filmsTopic = [assert, Title];",
  'src/modules/films/routes/film-schemas.ts':
    "import { Type } from 'typebox';\nimport { Uuid } from '#platform/schemas.ts';\nexport const Title = Type.String(Uuid);",
  'src/modules/films/index.ts':
    "import { seatsTopic } from '#modules/seats/contract.ts';\nimport { list } from './storage.ts';\nexport const films = [list, seatsTopic];",
  'src/modules/films/storage.ts': 'export const list = `SELECT urr.now()`;',
  'src/modules/films/storage.unit.test.ts':
    "import { it } from 'vitest';\nimport { list } from './storage.ts';\nimport { aFilm } from '#test/kit/a-film.ts';\nit('lists', () => list + aFilm);",
  'edge/names.ts': "export const cookie = 'urr-access';",
  'edge/decide/decide.ts': "import { cookie } from '../names.ts';\nexport const decide = () => cookie;",
  'edge/decide/decide.unit.test.ts':
    "import { decide } from './decide.ts';\nimport { edgeCases } from './cases.ts';\nimport { names } from '#platform/http/names.ts';\ndecide(edgeCases, names);",
  'edge/decide/cases.ts': "export const edgeCases = ['urr-vwr-token'];",
  'test/kit/a-film.ts': 'export const aFilm = 1;',
  'tools/check.ts': "import '#app/start.ts';",
  'web/src/main.tsx': "import { useState } from 'react';\nuseState();",
};

function broken(files: Record<string, string>): string[] {
  const tree = new Map(Object.entries({ ...sound, ...files }));
  return findAll(rules, tree).map(({ rule, file, line, message }) => `${rule} ${file}:${line ?? ''} ${message}`);
}

/** Puts a line on top of a file of the sound project. */
function above(path: keyof typeof sound, line: string): Record<string, string> {
  return { [path]: `${line}\n${sound[path]}` };
}

const hold = 'src/modules/seats/domain/hold.ts';
const storage = 'src/modules/films/storage.ts';
const index = 'src/modules/seats/index.ts';
const contract = 'src/modules/seats/contract.ts';
const topics = 'src/modules/films/topics.ts';
const decide = 'edge/decide/decide.ts';

/** rule → what breaks it → the file and line that must be named. */
const breaches: Record<string, [files: Record<string, string>, place: string][]> = {
  'domain-is-pure': [
    [above(hold, "import 'node:fs';"), `${hold}:1`],
    [above(hold, "import { connect } from 'node:net';"), `${hold}:1`],
    [above(hold, "import 'fastify';"), `${hold}:1`],
    [above(hold, "import type { films } from '#modules/films/index.ts';"), `${hold}:1`],
    [above(hold, "export const later = () => import('#platform/postgres/database.ts');"), `${hold}:1`],
  ],
  'contracts-are-data': [
    [above(contract, "import '#modules/films/contract.ts';"), `${contract}:1`],
    [above(contract, "import type { filmsTopic } from '#modules/films/contract.ts';"), `${contract}:1`],
    [above(topics, "export * from '#modules/seats/contract.ts';"), `${topics}:1`],
    [above(topics, "import './storage.ts';"), `${topics}:1`],
    [above(topics, "import 'node:fs';"), `${topics}:1`],
    [above(topics, "import '#platform/postgres/database.ts';"), `${topics}:1`],
    [above(contract, "import type { Database } from '#platform/postgres/database.ts';"), `${contract}:1`],
    [
      above('src/modules/films/routes/film-schemas.ts', "import 'fastify';"),
      'src/modules/films/routes/film-schemas.ts:1',
    ],
  ],
  'modules-meet-at-contracts': [
    [above(index, "import '#modules/films/storage.ts';"), `${index}:1`],
    [above(index, "import { films } from '#modules/films/index.ts';"), `${index}:1`],
    [above(index, "import type { films } from '#modules/films/index.ts';"), `${index}:1`],
    [above(index, "import '#modules/films/topics.ts';"), `${index}:1`],
    [above('src/app/start.ts', "import '#modules/films/topics.ts';"), 'src/app/start.ts:1'],
    [above('src/app/start.ts', "export type List = typeof import('#modules/films/storage.ts');"), 'src/app/start.ts:1'],
  ],
  'platform-knows-no-module': [
    [above('src/platform/assert.ts', "export * from '#modules/films/index.ts';"), 'src/platform/assert.ts:1'],
    [above('src/platform/assert.ts', "import type {} from '#app/start.ts';"), 'src/platform/assert.ts:1'],
  ],
  'modules-know-no-app': [[above(storage, "import '#app/start.ts';"), `${storage}:1`]],
  'only-app-names-adapters': [[above(storage, "import { pool } from '#platform/postgres/pool.ts';"), `${storage}:1`]],
  'scripts-stand-alone': [
    [above('scripts/start.mjs', "import 'fastify';"), 'scripts/start.mjs:1'],
    [above('scripts/lib/node.mjs', "import '../../src/main.ts';"), 'scripts/lib/node.mjs:1'],
  ],
  'web-stands-alone': [
    [above('web/src/main.tsx', "import type {} from '#app/start.ts';"), 'web/src/main.tsx:1'],
    [above('web/src/main.tsx', "import { decide } from '#edge/decide/decide.ts';"), 'web/src/main.tsx:1'],
  ],
  'edge-stands-alone': [
    [above(decide, "import { createHmac } from 'node:crypto';"), `${decide}:1`],
    [above(decide, "import type {} from '#platform/assert.ts';"), `${decide}:1`],
    [above(decide, "import 'typebox';"), `${decide}:1`],
    [above(decide, "import { edgeCases } from './cases.ts';"), `${decide}:1`],
  ],
  'edge-meets-urr-in-one-place': [
    [above(storage, "import { decide } from '#edge/decide/decide.ts';"), `${storage}:1`],
    [above('src/platform/assert.ts', "import type {} from '#edge/decide/decide.ts';"), 'src/platform/assert.ts:1'],
  ],
  'product-uses-no-tools': [
    [above(storage, "import '#test/kit/a-film.ts';"), `${storage}:1`],
    [above(storage, "import './storage.unit.test.ts';"), `${storage}:1`],
    [above('src/app/start.ts', "import '../../tools/check.ts';"), 'src/app/start.ts:1'],
  ],
  'packages-are-declared': [
    [above(storage, "import 'left-pad';"), `${storage}:1`],
    [above(storage, "import 'react';"), `${storage}:1`],
    [above('tools/check.ts', "import '@scope/undeclared/part';"), 'tools/check.ts:1'],
  ],
  'far-imports-are-named': [[above(storage, "import '../../platform/assert.ts';"), `${storage}:1`]],
  'names-are-written-once': [
    [above(storage, "const known = headers['idempotency-key'];"), `${storage}:1`],
    [above(storage, "const inCapitals = 'Idempotency-Key';"), `${storage}:1`],
    [above(storage, "const unheardOf = { 'x-urr-location': '/' };"), `${storage}:1`],
    [above(storage, 'const line = `X-Queue-Ticket: 1`;'), `${storage}:1`],
    [above(storage, 'const cookie = `urr-seen-` + eventId;'), `${storage}:1`],
    [above(storage, "const prose = 'Sets the cookie `urr-seen`.';"), `${storage}:1`],
    [above('web/src/main.tsx', "fetch('/', { headers: { 'x-queue-ticket': '1' } });"), 'web/src/main.tsx:1'],
    [{ 'edge/decide.ts': "export const cookie = 'urr-vwr-token';" }, 'edge/decide.ts:1'],
  ],
  'no-cycles': [
    [above(storage, "import type { films } from './index.ts';"), 'src/modules/films/index.ts:'],
    [above(storage, "import './storage.ts';"), `${storage}:`],
    [above(contract, "import '#modules/films/index.ts';"), 'src/modules/films/index.ts:'],
  ],
  'no-dead-files': [
    [{ 'src/modules/films/unused.ts': 'export {};' }, 'src/modules/films/unused.ts:'],
    [
      {
        'src/modules/films/tested.ts': 'export const only = 1;',
        'src/modules/films/tested.unit.test.ts': "import { only } from './tested.ts';\nonly;",
      },
      'src/modules/films/tested.ts:',
    ],
    [{ 'test/kit/unused.ts': 'export {};' }, 'test/kit/unused.ts:'],
  ],
  'no-dead-exports': [
    [above(storage, 'export function forgotten() {}'), `${storage}:1`],
    [above(index, 'export function forgotten() {}'), `${index}:1`],
  ],
  'domain-reads-no-clock': [
    [above(hold, 'export const a = Date.now();'), `${hold}:1`],
    [above(hold, 'export const a = new Date();'), `${hold}:1`],
    [above(hold, 'export const a = Date();'), `${hold}:1`],
    [above(hold, 'export const a = Math.random();'), `${hold}:1`],
    [above(hold, "export const a = process['env'];"), `${hold}:1`],
    [above(hold, "export const a = fetch('x');"), `${hold}:1`],
    [above(decide, 'export const a = Date.now();'), `${decide}:1`],
  ],
  'app-reads-environment': [
    [above(storage, 'export const port = process.env.PORT;'), `${storage}:1`],
    [above(storage, 'const { PORT } = process.env;'), `${storage}:1`],
    [above(decide, 'export const a = process.env.PORT;'), `${decide}:1`],
  ],
  'program-logs-through-logger': [
    [above(storage, 'console.log(1);'), `${storage}:1`],
    [above(decide, 'console.log(1);'), `${decide}:1`],
  ],
  'every-test-runs': ['it.only', 'describe.skip', 'test.concurrent.only', 'it.todo'].map((call) => [
    above('src/modules/films/storage.unit.test.ts', `${call}('x', () => {});`),
    'src/modules/films/storage.unit.test.ts:1',
  ]),
  'one-database-clock': [
    [{ 'src/modules/films/migrations/0002_x.sql': '\nSELECT now();' }, 'src/modules/films/migrations/0002_x.sql:2'],
    [above(storage, 'const sql = `SELECT CURRENT_TIMESTAMP`;'), `${storage}:1`],
    [above(storage, "const sql = 'WHERE at < clock_timestamp()';"), `${storage}:1`],
  ],
  'kebab-case-names': [
    [{ 'docs/MyNotes.md': '' }, 'docs/MyNotes.md:'],
    [{ 'docs/my_notes.md': '' }, 'docs/my_notes.md:'],
  ],
  'short-files': [[{ 'docs/long.css': 'a {}\n'.repeat(401) }, 'docs/long.css:']],
  'modules-are-whole': [
    [{ 'src/modules/half/migrations/0001_x.sql': '' }, 'src/modules/half/README.md:'],
    [{ 'src/modules/half/README.md': '' }, 'src/modules/half/contract.ts:'],
    [{ 'src/modules/half/README.md': '' }, 'src/modules/half/index.ts:'],
  ],
  'no-machine-names': [
    [{ 'docs/a.md': `see ${['', 'home', 'me', 'project'].join('/')}` }, 'docs/a.md:1'],
    [{ 'docs/a.md': `\nfrom ${['https:', '', 'regis'].join('/')}try.example.com/x` }, 'docs/a.md:2'],
  ],
  'nothing-unfinished': [[above(storage, `// ${'TO'}DO: later`), `${storage}:1`]],
  'lockfile-names-no-host': [
    [{ 'package-lock.json': '{\n"resolved": "https://example.com/fastify.tgz" }' }, 'package-lock.json:2'],
  ],
  'papers-name-real-files': [
    [{ 'docs/a.md': 'see\n`src/app/begin.ts`' }, 'docs/a.md:2'],
    [{ 'docs/a.md': '[the start](../src/app/begin.ts#now)' }, 'docs/a.md:1'],
  ],
  'platform-knows-no-business': [
    [above('src/platform/postgres/pool.ts', 'export interface SeatPool {}'), 'src/platform/postgres/pool.ts:1'],
    [
      { 'src/platform/redis/scripts/take.lua': '-- Takes a seat.\nreturn reservations' },
      'src/platform/redis/scripts/take.lua:2',
    ],
    [{ 'src/platform/tokens/sealed-ticket.ts': 'export {};' }, 'src/platform/tokens/sealed-ticket.ts:1'],
  ],
};

describe('the rules of the project', () => {
  it('find nothing in a project that keeps them', () => {
    expect(broken({})).toEqual([]);
  });

  it('each have a breach below', () => {
    expect(Object.keys(breaches).sort()).toEqual(rules.map((rule) => rule.name).sort());
  });

  for (const [rule, cases] of Object.entries(breaches)) {
    it.each(cases)(`${rule} fails when broken (%#)`, (files, place) => {
      expect(broken(files)).toContainEqual(expect.stringContaining(`${rule} ${place} `));
    });
  }
});

describe('what is allowed', () => {
  it('business words in the contracts of routes, in examples and in tests', () => {
    const files = {
      ...above('src/platform/assert.ts', "import './http/entry.ts';"),
      'src/platform/http/entry.ts': 'const buyer = 1;',
      ...above('src/platform/postgres/pool.ts', '/** E.g. of seats. */'),
      'src/platform/assert.unit.test.ts': "import './assert.ts';\nconst seat = 1;",
    };
    expect(broken(files)).toEqual([]);
  });

  it('handing the environment on to a child process', () => {
    expect(broken(above(storage, 'const env = { ...process.env, LC_ALL: "C" };'))).toEqual([]);
  });

  it('a file that a string names: a worker, a child process', () => {
    const files = {
      ...above(storage, "new Worker(new URL('./worker.ts', import.meta.url));"),
      'src/modules/films/worker.ts': 'export {};',
    };
    expect(broken(files)).toEqual([]);
  });

  it('headers of others, and names that are no cookies', () => {
    const files = above(
      storage,
      "const type = ['x-forwarded-for', 'application/x-ndjson', 'max-age', 'content-length'];",
    );
    expect(broken({ ...files, ...above('web/src/main.tsx', "navigator.locks.request('urr-sound');") })).toEqual([]);
  });

  it('something in a contract that no module uses yet', () => {
    expect(broken(above(contract, 'export const later = 1;'))).toEqual([]);
  });

  it('a module of which only the contract is there', () => {
    const files = {
      ...above(storage, "import { later } from '#modules/soon/contract.ts';\nvoid later;"),
      'src/modules/soon/contract.ts': 'export const later = 1;',
    };
    expect(broken(files)).toEqual([]);
  });

  it('the type of an adapter’s answer', () => {
    expect(broken(above(storage, "import type { pool } from '#platform/postgres/pool.ts';"))).toEqual([]);
  });
});
