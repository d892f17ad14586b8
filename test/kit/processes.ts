import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { testEnv } from './app.ts';
import { forget, record } from './engines/pid-record.ts';
import { eventually } from './faults.ts';

export interface UrrProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything it has printed so far, both streams. */
  output(): string;
  /** SIGTERM, and waits for the end. Resolves with the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
}

const mainFile = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const addressPattern = /http:\/\/localhost:(\d+)/;

/** `urr serve …` as a process of its own, ready to serve. Ended when the test file has run, whatever happened. */
export async function startUrrProcess(options: {
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
}): Promise<UrrProcess> {
  const child = spawnUrr(['serve', ...(options.args ?? [])], options.env);
  const output = collect(child);
  const port = await eventually(
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}: ${output()}`);
      return addressPattern.exec(output())?.[1] ?? false;
    },
    { withinMs: 60_000, what: `urr serve ${options.args?.join(' ') ?? ''} to be ready` },
  );
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/ready`)).ok, { withinMs: 60_000, what: `${url}/ready` });
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    forget(child.pid ?? 0);
  };
  afterAll(() => end('SIGKILL'));
  return {
    url,
    pid: child.pid ?? 0,
    output,
    async stop() {
      await end('SIGTERM');
      return child.exitCode;
    },
    kill: () => end('SIGKILL'),
  };
}

/** Runs a command to its end. */
export async function runUrr(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const child = spawnUrr(args, env);
  const output = collect(child);
  await once(child, 'close');
  return { code: child.exitCode, output: output() };
}

function spawnUrr(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  // A clean environment: nothing of the machine's own settings decides what a test sees.
  const child = spawn(process.execPath, [mainFile, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...testEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) record({ pid: child.pid, name: `urr ${args.join(' ')}`, dir: mainFile });
  return child;
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}
