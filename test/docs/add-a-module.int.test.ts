import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { guideBlocks, withAdditions } from '#test/kit/docs/guide-blocks.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { boundaryRules } from '../../tools/boundaries/index.ts';
import { checkTypes } from '../../tools/check/types.ts';
import { houseRules } from '../../tools/rules/index.ts';
import { findAll } from '../../tools/source/rule.ts';
import { readTree } from '../../tools/source/tree.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const { files, additions } = guideBlocks(readFileSync(join(project, 'docs/guides/add-a-module.md'), 'utf8'));
const touched = [...files.keys(), ...additions.keys()];
let copy: string;

/** What somebody has who copied the blocks of the guide into the project. */
beforeAll(async () => {
  copy = await aFolder('guide');
  for (const part of ['src', 'edge', 'test/kit', 'web/src/api', 'deploy/grafana', 'package.json']) {
    // The types are checked with the settings of the project alone, which those of a folder would inherit.
    const filter = (from: string) => basename(from) !== 'tsconfig.json';
    cpSync(join(project, part), join(copy, part), { recursive: true, filter });
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  for (const [path, text] of files) write(path, text);
  for (const [path, lines] of additions) write(path, withAdditions(readFileSync(join(copy, path), 'utf8'), lines));
});

test('the guide to a new module shows every part of one', () => {
  expect(touched).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/contract\.ts$/),
      expect.stringMatching(/migrations\/0001_\w+\.sql$/),
      expect.stringMatching(/consumers\//),
      expect.stringMatching(/\.http\.test\.ts$/),
      expect.stringMatching(/README\.md$/),
      'src/app/roles.ts',
    ]),
  );
});

test('the module of the guide has no mistake in its types', async () => {
  const tsconfig = JSON.parse(readFileSync(join(project, 'tsconfig.json'), 'utf8')) as { compilerOptions: object };
  const roots = ['src/app/start.ts', ...touched.filter((path) => path.endsWith('.test.ts'))];
  write('tsconfig.json', JSON.stringify({ ...tsconfig, include: [], files: roots }));
  expect((await checkTypes(copy)).problems).toEqual([]);
});

test('the metrics of the guide are on the dashboard', () => {
  const dashboard = JSON.parse(readFileSync(join(copy, 'deploy/grafana/urr.json'), 'utf8')) as object;
  const made = [...files.values()].flatMap((text) => text.match(/\burr_\w+/g) ?? []);
  expect(made).not.toEqual([]);
  expect(made.filter((name) => !JSON.stringify(dashboard).includes(name))).toEqual([]);
});

test('the module of the guide keeps every rule of the project', () => {
  const found = findAll([...boundaryRules, ...houseRules], readTree(copy));
  // Of the other files only some are here, which is not their fault.
  expect(found.filter(({ file }) => touched.includes(file))).toEqual([]);
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}
