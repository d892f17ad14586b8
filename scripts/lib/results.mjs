import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { root } from './paths.mjs';

/**
 * What vitest wrote down: how many passed, and the name of everything that failed. A run that ended before it could write
 * anything has no results.
 */
export async function readResults(file) {
  const results = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => null);
  if (results === null) return { passed: 0, failed: [] };
  return { passed: results.numPassedTests, failed: results.testResults.flatMap(failuresOf) };
}

/** A file that does not even load, or whose hooks fail, may have no test that failed. */
function failuresOf({ name, status, assertionResults }) {
  const file = relative(root, name);
  const tests = assertionResults.filter((test) => test.status === 'failed');
  if (tests.length > 0) return tests.map(({ fullName }) => `${file} > ${fullName}`);
  return status === 'failed' ? [file] : [];
}
