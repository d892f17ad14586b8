import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const resultsFile = new URL('../../scripts/lib/results.mjs', import.meta.url);
// Plain JavaScript, which has no types of its own.
const { readResults } = (await import(resultsFile.href)) as {
  readResults(file: string): Promise<{ passed: number; failed: string[] }>;
};

async function aFile(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'urr-results-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'results.json');
  await writeFile(file, content);
  return file;
}

const tests = (...statuses: string[]) =>
  statuses.map((status, n) => ({ status, fullName: `a suite test ${n}`, failureMessages: [] }));

test('everything that failed is named, also a file without a single test', async () => {
  const file = await aFile(
    JSON.stringify({
      numPassedTests: 2,
      testResults: [
        { name: join(root, 'src/good.unit.test.ts'), status: 'passed', assertionResults: tests('passed') },
        { name: join(root, 'src/bad.unit.test.ts'), status: 'failed', assertionResults: tests('passed', 'failed') },
        { name: join(root, 'src/broken.unit.test.ts'), status: 'failed', assertionResults: [] },
      ],
    }),
  );
  expect(await readResults(file)).toEqual({
    passed: 2,
    failed: ['src/bad.unit.test.ts > a suite test 1', 'src/broken.unit.test.ts'],
  });
});

test('a run that ended before it wrote anything has no results', async () => {
  expect(await readResults(join(root, 'nowhere.json'))).toEqual({ passed: 0, failed: [] });
  expect(await readResults(await aFile('{"numPassedTests":'))).toEqual({ passed: 0, failed: [] });
});
