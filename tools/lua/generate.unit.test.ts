import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { generateScripts, readContract } from './generate.ts';

const header = (changes: Record<string, string | null> = {}) => {
  const lines: Record<string, string | null> = {
    name: '-- name: countUp',
    purpose: '-- purpose: Counts up.',
    keys: '-- keys:\n--   counter: string, the count',
    args: '-- args:\n--   by: integer, how far\n--   ttlMs: integer, how long it is kept',
    returns: '-- returns: integer',
    cost: '-- cost: O(1)',
    flags: '-- flags: write',
    ...changes,
  };
  return Object.values(lines)
    .filter((line) => line !== null)
    .join('\n');
};
const body = `
local n = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return n
`;
const read = (source: string) => readContract('count-up.lua', source);

describe('a Lua contract', () => {
  it('is read from the header', () => {
    const contract = read(`${header({ purpose: '-- purpose: Counts up,\n--   and keeps it.' })}\n${body}`);
    expect(contract).toMatchObject({
      name: 'countUp',
      purpose: 'Counts up, and keeps it.',
      cost: 'O(1)',
      readOnly: false,
    });
    expect(contract.keys.map((key) => key.name)).toEqual(['counter']);
    expect(contract.args).toEqual([
      { name: 'by', rest: false, type: 'integer', note: 'how far' },
      { name: 'ttlMs', rest: false, type: 'integer', note: 'how long it is kept' },
    ]);
  });

  it.each([
    ['a missing field', header({ cost: null }), 'the header has no "cost:"'],
    ['an unknown field', header({ extra: '-- speed: high' }), 'unknown field "speed"'],
    ['a field said twice', header({ extra: '-- cost: O(2)' }), 'says "cost:" twice'],
    ['a name that is no identifier', header({ name: '-- name: count-up' }), 'not in camelCase'],
    [
      'an unknown type',
      header({ args: '-- args:\n--   by: float\n--   ttlMs: integer' }),
      'arg by has the type "float"',
    ],
    ['an unknown flag', header({ flags: '-- flags: fast' }), 'flags "fast" should be write or read-only'],
    ['an unreadable return type', header({ returns: '-- returns: a number' }), 'returns "a number" is not a type'],
    ['no keys and no word about it', header({ keys: '-- keys:' }), 'write "keys: none"'],
    ['one name for two', header({ args: '-- args:\n--   by: integer\n--   by: integer' }), 'args names by twice'],
    [
      'an open list before the end',
      header({ args: '-- args:\n--   by...: integer\n--   ttlMs: integer' }),
      'only the last',
    ],
  ])('is refused with %s', (_name, text, message) => {
    expect(() => read(`${text}\n${body}`)).toThrow(message);
    expect(() => read(`${text}\n${body}`)).toThrow('count-up.lua');
  });

  it.each([
    [
      'a key beyond the header',
      body.replace('return n', "redis.call('DEL', KEYS[2])\nreturn n"),
      'reads KEYS[2], but the header names 1',
    ],
    [
      'an argument beyond the header',
      body.replace('return n', 'return ARGV[3]'),
      'reads ARGV[3], but the header names 2',
    ],
    ['an argument counted from zero', body.replace('ARGV[2]', 'ARGV[0]'), 'ARGV[0], but Lua counts from 1'],
    [
      'an argument that is never read',
      body.replace('ARGV[2]', '1000'),
      'names ttlMs, but the body never reads ARGV[2]',
    ],
    ['a list where the header has none', body.replace('return n', 'return #ARGV'), 'reads ARGV as a list'],
    ['nothing returned', body.replace('return n', ''), 'returns a value by its header'],
  ])('is refused when the body has %s', (_name, changed, message) => {
    expect(() => read(`${header()}\n${changed}`)).toThrow(message);
  });

  it('is refused when a read-only script writes', () => {
    expect(() => read(`${header({ flags: '-- flags: read-only' })}\n${body}`)).toThrow(
      'read-only, but the body calls INCRBY',
    );
  });

  it('takes what stands in a comment for a comment', () => {
    expect(() => read(`${header()}\n${body}\n-- not KEYS[9] nor #ARGV`)).not.toThrow();
  });

  it('names every problem at once', () => {
    expect(() => read(`${header({ cost: null, flags: null })}\n${body}`)).toThrow(/cost[\s\S]*flags/);
  });
});

describe('the generator', () => {
  let root = '';
  const write = (path: string, text: string) => {
    root ||= mkdtempSync(join(tmpdir(), 'urr-lua-'));
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  afterEach(() => {
    if (root !== '') rmSync(root, { recursive: true });
    root = '';
  });

  it('writes one file per folder, the same on every run', () => {
    write('src/modules/shop/scripts/b.lua', `${header({ name: '-- name: second' })}\n${body}`);
    write('src/modules/shop/scripts/a.lua', `${header()}\n${body}`);
    write('src/platform/kit/scripts/c.lua', `${header()}\n${body}`);
    const files = generateScripts(root);
    expect(files.map((file) => file.path)).toEqual([
      'src/modules/shop/scripts/scripts.generated.ts',
      'src/platform/kit/scripts/scripts.generated.ts',
    ]);
    expect(files[0]?.text).toMatch(/function countUp[\s\S]*function second/);
    expect(generateScripts(root)).toEqual(files);
  });

  it('refuses two scripts of one name in one folder', () => {
    write('src/modules/shop/scripts/a.lua', `${header()}\n${body}`);
    write('src/modules/shop/scripts/b.lua', `${header()}\n${body}`);
    expect(() => generateScripts(root)).toThrow('the name countUp is taken by a.lua');
  });

  it.each([
    ['string | nil', 'Promise<string | null>'],
    ['string[]', 'Promise<string[]>'],
    ['[id: string, score: number][]', 'Promise<{ id: string; score: number }[]>'],
    ['[won: boolean, by: string | nil]', 'Promise<{ won: boolean; by: string | null }>'],
    ['nothing', 'Promise<void>'],
  ])('types an answer of %s', (returns, type) => {
    write('src/modules/shop/scripts/a.lua', `${header({ returns: `-- returns: ${returns}` })}\n${body}`);
    expect(generateScripts(root)[0]?.text).toContain(type);
  });

  it('spreads an open list of keys and arguments', () => {
    const open = header({ keys: '-- keys:\n--   seats...: one seat each', args: '-- args:\n--   holders...: string' });
    write(
      'src/modules/shop/scripts/a.lua',
      `${open}\nfor i = 1, #KEYS do redis.call('SET', KEYS[i], ARGV[i]) end return 1`,
    );
    expect(generateScripts(root)[0]?.text).toContain('[...keys.seats], [...args.holders]');
  });

  it('has been run: the generated files of the project are current', () => {
    const project = fileURLToPath(new URL('../..', import.meta.url));
    for (const { path, text } of generateScripts(project)) expect(readFileSync(join(project, path), 'utf8')).toBe(text);
  });
});
