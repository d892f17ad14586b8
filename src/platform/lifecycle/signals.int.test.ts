import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';

const program = fileURLToPath(new URL('./signals.fixture.ts', import.meta.url));
const withinMs = 30_000;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

async function start(stopsWithinMs: number) {
  const child = spawn(process.execPath, [program, String(stopsWithinMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const ended = once(child, 'exit');
  const says = (word: string) => eventually(() => output.includes(word), { withinMs, what: `"${word}"` });
  await says('running');
  return { child, says, exitCode: async () => (await ended)[0] };
}

test('one Ctrl-C that arrives several times, from the terminal and from a parent, is one request to stop', async () => {
  const { child, exitCode } = await start(300);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) child.kill(signal);
  expect(await exitCode()).toBe(0);
});

test('a person who asks again after a moment does not want to wait', async () => {
  const { child, says, exitCode } = await start(60_000);
  child.kill('SIGINT');
  await says('stopping');
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  child.kill('SIGINT');
  expect(await exitCode()).toBe(1);
});
