import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('./forgotten.fixture.ts', import.meta.url));
const run = (how: string) => spawnSync(process.execPath, [program, how], { encoding: 'utf8' });

test('promises that fail and that nobody waits for are logged and counted, and the process goes on', () => {
  const { status, stdout, stderr } = run('promises');
  expect({ status, count: stdout.includes('alive after 2') }).toEqual({ status: 0, count: true });
  const log = stdout + stderr;
  expect(log).toContain('a promise failed that nobody waits for');
  expect(log).toContain('"reason":"forgotten"');
});

test('an exception that nobody catches still ends the process', () => {
  const { status, stdout } = run('exception');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
});
