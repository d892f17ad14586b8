import { readFile } from 'node:fs/promises';

/**
 * What the run wrote down line by line (test/kit/outcome-log.ts). The last line of a run that came to its end sums it up;
 * without it the run was cut off, and what it had seen until then counts.
 */
export async function readOutcomes(file) {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').flatMap(parseLine);
  const run = lines.findLast(({ kind }) => kind === 'run');
  const files = lines.filter(({ kind }) => kind === 'file');
  return run === undefined
    ? { ...outcomesSoFar(lines, files), projects: projectsOf(files) }
    : {
        passed: run.passed,
        failed: run.failures,
        cutOff: false,
        errors: [],
        underWay: [],
        projects: projectsOf(files),
      };
}

function outcomesSoFar(lines, files) {
  const tests = lines.filter(({ kind }) => kind === 'test');
  const failed = tests.filter(({ state }) => state === 'failed').map(({ name }) => name);
  const ended = new Set(files.map(({ file }) => file));
  const begun = lines.filter(({ kind }) => kind === 'file begins').map(({ file }) => file);
  return {
    passed: tests.filter(({ state }) => state === 'passed').length,
    failed: [...new Set([...failed, ...files.flatMap(({ failures }) => failures)])],
    cutOff: true,
    errors: tests.flatMap(({ name, errors = [] }) => errors.map((error) => `${name}\n${error}\n`)),
    underWay: begun.filter((file) => !ended.has(file)),
  };
}

/** Projects run side by side, so their wall times overlap; `workMs` adds up what their files took. */
function projectsOf(files) {
  return [...new Set(files.map(({ project }) => project))].map((name) => {
    const own = files.filter(({ project }) => project === name);
    const sum = (msOf) => own.reduce((total, file) => total + msOf(file), 0);
    return {
      name,
      files: own.length,
      wallMs: Math.max(...own.map(({ endedAt }) => endedAt)) - Math.min(...own.map(({ beganAt }) => beganAt)),
      workMs: sum(({ beganAt, endedAt }) => endedAt - beganAt),
      inTestsMs: sum(({ inTestsMs }) => inTestsMs),
    };
  });
}

/** A process that is killed while it writes leaves half a line. */
function parseLine(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
