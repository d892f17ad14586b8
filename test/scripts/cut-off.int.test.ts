import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const startMaxMs = 120_000;

/** What may end a run before its time: somebody at the keyboard or a CI that gives up, and a system without memory. */
const ends = [
  { by: 'SIGINT', cut: (run: ChildProcess) => run.kill('SIGINT') },
  { by: 'SIGTERM', cut: (run: ChildProcess) => run.kill('SIGTERM') },
  { by: 'a kill of vitest', cut: (_run: ChildProcess, vitestPid: number) => process.kill(vitestPid, 'SIGKILL') },
];

test.concurrent.for(ends)(
  'a run that is cut off by $by names what had failed until then',
  async ({ cut }, { onTestFinished }) => {
    const folder = await aFolder('cut-off');
    const run = spawn(
      process.execPath,
      ['scripts/test.mjs', '--config', 'test/scripts/cut-off/vitest.config.ts', '--project', 'unit'],
      { cwd: root, env: { ...process.env, TMPDIR: folder }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void run.kill('SIGKILL'));
    let said = '';
    run.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    // Not its exit: what it said last may still be on the way.
    const ended = once(run, 'close');
    const vitestPid = await eventually(() => pidOnceSeen(folder), { withinMs: startMaxMs, what: 'the run to hang' });
    cut(run, vitestPid);
    expect(await ended).toEqual([1, null]);
    expect(said).toContain('AssertionError: expected 1 to be 2');
    expect(said).toContain('FAILED test/scripts/cut-off/done.fixture.ts > breaks\n');
    expect(said).toContain('FAILED test/scripts/cut-off/hangs.fixture.ts > breaks before\n');
    expect(said).toMatch(
      /FAILED vitest, which was cut off .* while it ran test\/scripts\/cut-off\/hangs\.fixture\.ts\n/,
    );
    expect(said).toMatch(/1 passed, 3 failed\n$/);
    expect(readdirSync(folder)).toEqual([]);
  },
);

/** Throws until the run has come to the test that hangs, and has written down what failed before. */
function pidOnceSeen(folder: string): number {
  const [scratch = ''] = readdirSync(folder);
  const outcomes = readFileSync(join(folder, scratch, 'outcomes.jsonl'), 'utf8');
  expect(outcomes.match(/"state":"failed"/g)).toHaveLength(2);
  expect(outcomes).toContain('"kind":"file","project":"unit"');
  const pid = Number(readFileSync(join(folder, scratch, 'vitest.pid'), 'utf8'));
  // The file may be there and empty yet. A kill of 0 would end the run that this test is part of.
  if (!(Number.isSafeInteger(pid) && pid > 1)) throw new Error(`vitest.pid says ${pid}`);
  return pid;
}
