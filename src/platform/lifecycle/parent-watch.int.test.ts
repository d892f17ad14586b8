import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { isGone } from './processes.ts';

const program = fileURLToPath(new URL('./parent-watch.fixture.ts', import.meta.url));
const launcher = new URL('../../../scripts/lib/launch.mjs', import.meta.url).href;
const withinMs = 20_000;

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (!isGone(pid)) process.kill(pid, 'SIGKILL');
});

describe('a program started by the wrapper', () => {
  test('stops when the wrapper is killed', async () => {
    const run = await startWrapped();
    run.parent.kill('SIGKILL');
    await run.says('the process that started us has ended');
  });

  test('is told when the wrapper is told, and its exit code is passed on', async () => {
    const run = await startWrapped();
    run.parent.kill('SIGTERM');
    await run.says('SIGTERM');
    expect(await exitCode(run.parent)).toBe(7);
  });
});

describe.runIf(process.platform === 'linux')('a program started by npm through a shell', () => {
  test('stops when npm is killed, although the shell lives on', async () => {
    const run = await startThroughShell({ argv0: 'npm start', env: { ...process.env, npm_lifecycle_event: 'start' } });
    run.parent.kill('SIGKILL');
    await run.says('npm, which started us, has ended');
  });

  test('lives on when it was started by anything else that goes away', async () => {
    const run = await startThroughShell({ argv0: 'deploy', env: { ...process.env, npm_lifecycle_event: undefined } });
    run.parent.kill('SIGKILL');
    await exitCode(run.parent);
    await new Promise((done) => setTimeout(done, 1_500));
    expect(isGone(run.pid)).toBe(false);
  });
});

function startWrapped() {
  const code = `import { runChild } from '${launcher}'; process.exitCode = await runChild(process.execPath, process.argv.slice(1));`;
  return start((diary) => [process.execPath, ['--input-type=module', '-e', code, '--', program, diary], {}]);
}

function startThroughShell(options: SpawnOptions) {
  // The trailing command keeps each shell from becoming the program that it is asked to run.
  const inner = (diary: string) => `"${process.execPath}" "${program}" "${diary}"; true`;
  return start((diary) => ['bash', ['-c', `sh -c '${inner(diary)}'; true`], options]);
}

async function start(command: (diary: string) => [string, string[], SpawnOptions]) {
  const diary = join(await aFolder('parent-watch'), 'diary');
  const [name, args, options] = command(diary);
  const parent = spawn(name, args, { stdio: 'ignore', ...options });
  const read = async () => readFile(diary, 'utf8').catch(() => '');
  const pid = await eventually(async () => Number(/running (\d+)/.exec(await read())?.[1] ?? Number.NaN) || false, {
    withinMs,
    what: 'the program to run',
  });
  started.push(pid, ...(parent.pid ? [parent.pid] : []));
  const says = async (words: string) => {
    await eventually(async () => (await read()).includes(words), { withinMs, what: `the program to say "${words}"` });
    await eventually(() => isGone(pid), { withinMs, what: 'the program to end' });
  };
  return { parent, pid, says };
}

function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((done) => child.once('exit', done));
}
