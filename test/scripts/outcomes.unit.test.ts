import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FileBegin, FileOutcome, RunOutcome, TestOutcome } from '#test/kit/outcome-log.ts';

const outcomesFile = new URL('../../scripts/lib/outcomes.mjs', import.meta.url);
// Plain JavaScript, which has no types of its own.
const { readOutcomes } = (await import(outcomesFile.href)) as {
  readOutcomes(file: string): Promise<{
    readonly passed: number;
    readonly failed: readonly string[];
    readonly cutOff: boolean;
    readonly errors: readonly string[];
    readonly underWay: readonly string[];
    readonly projects: readonly unknown[];
  }>;
};

async function aLog(
  lines: readonly (TestOutcome | FileBegin | FileOutcome | RunOutcome)[],
  tail = '',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-outcomes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'outcomes.jsonl');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join('') + tail);
  return file;
}

const begins = (file: string): FileBegin => ({ kind: 'file begins', project: 'int', file });
const outcome = (name: string, state: 'passed' | 'failed'): TestOutcome => ({ kind: 'test', name, state });
const ends = (file: string, facts: Partial<FileOutcome> = {}): FileOutcome => ({
  kind: 'file',
  project: 'int',
  file,
  failures: [],
  beganAt: 0,
  endedAt: 0,
  inTestsMs: 0,
  ...facts,
});

const seen = [
  begins('a.int.test.ts'),
  begins('b.int.test.ts'),
  outcome('a.int.test.ts > works', 'passed'),
  { ...outcome('a.int.test.ts > breaks', 'failed'), errors: ['Error: so'] },
  ends('a.int.test.ts', { failures: ['a.int.test.ts > breaks'], beganAt: 1_000, endedAt: 5_000, inTestsMs: 3_000 }),
  begins('c.int.test.ts'),
  ends('c.int.test.ts', { failures: ['c.int.test.ts'], beganAt: 5_000, endedAt: 6_000, inTestsMs: 0 }),
];

test('a run that was cut off names what had failed until then, each once, and what was under way', async () => {
  expect(await readOutcomes(await aLog(seen, '{"kind":"test","name":"b.int.te'))).toMatchObject({
    passed: 1,
    failed: ['a.int.test.ts > breaks', 'c.int.test.ts'],
    cutOff: true,
    errors: ['a.int.test.ts > breaks\nError: so\n'],
    underWay: ['b.int.test.ts'],
  });
});

test('what a run that came to its end sums up is what counts', async () => {
  const run: RunOutcome = { kind: 'run', passed: 2, failures: ['a.int.test.ts > breaks', 'outside of all tests'] };
  expect(await readOutcomes(await aLog([...seen, run]))).toMatchObject({
    passed: 2,
    failed: ['a.int.test.ts > breaks', 'outside of all tests'],
    cutOff: false,
    underWay: [],
  });
});

test('each project has the time from its first file to its last, and that of all its files together', async () => {
  const quick = ends('d.unit.test.ts', { project: 'unit', beganAt: 0, endedAt: 500, inTestsMs: 20 });
  expect((await readOutcomes(await aLog([quick, ...seen]))).projects).toEqual([
    { name: 'unit', files: 1, wallMs: 500, workMs: 500, inTestsMs: 20 },
    { name: 'int', files: 2, wallMs: 5_000, workMs: 5_000, inTestsMs: 3_000 },
  ]);
});

test('a run that ended before it wrote anything was cut off, with nothing to name', async () => {
  expect(await readOutcomes('/nowhere/outcomes.jsonl')).toEqual({
    passed: 0,
    failed: [],
    cutOff: true,
    errors: [],
    underWay: [],
    projects: [],
  });
});
