import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { testEnv } from './app.ts';
import { atEnd } from './at-end.ts';
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
const startScript = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));
/** A busy machine starts several programs at a time, each with hundreds of files. */
const startMaxMs = 240_000;
const addressPattern = /http:\/\/localhost:(\d+)/;

/** `urr serve …` as a process of its own, ready to serve. Ended when the test file has run, whatever happened. */
export async function startUrrProcess(options: {
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** False: nobody reads its standard error, as when a pager has stalled. */
  isLogRead?: boolean;
}): Promise<UrrProcess> {
  return ready(spawnNode([mainFile, 'serve', ...(options.args ?? [])], options.env), options.isLogRead);
}

/** `urr serve …` on a port that is known beforehand, before it says that it is ready. */
export function spawnUrr(options: { args: readonly string[]; env: Readonly<Record<string, string>>; port: number }): {
  readonly url: string;
  output(): string;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  stop(): Promise<number | null>;
  signal(signal: NodeJS.Signals): void;
} {
  const env = { ...options.env, URR_PORT: String(options.port) };
  const child = spawnNode([mainFile, 'serve', ...options.args], env);
  atEnd(async () => void child.kill('SIGKILL'));
  // Not its exit: what it said last may still be on the way.
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    url: `http://127.0.0.1:${options.port}`,
    output: collect(child),
    ended,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    signal: (signal) => void child.kill(signal),
  };
}

/** What `npm start` runs: set-up, everything embedded, demonstration data. */
export async function startLikeNpm(env: Readonly<Record<string, string>>): Promise<UrrProcess> {
  return ready(spawnNode([startScript], env));
}

async function ready(child: ChildProcess, isLogRead = true): Promise<UrrProcess> {
  const output = collect(child, isLogRead ? [child.stdout, child.stderr] : [child.stdout]);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    forget(child.pid ?? 0);
  };
  atEnd(() => end('SIGKILL'));
  const said = () => addressPattern.exec(output())?.[1];
  await eventually(() => child.exitCode !== null || said() !== undefined, {
    withinMs: startMaxMs,
    what: `${child.spawnargs.slice(1).join(' ')} to be ready`,
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; it said: ${output()}`);
  });
  const port = said();
  if (port === undefined) throw new Error(`it ended with code ${child.exitCode}: ${output()}`);
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/ready`)).ok, { withinMs: 60_000, what: `${url}/ready` });
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
  const child = spawnNode([mainFile, ...args], env);
  atEnd(async () => void child.kill('SIGKILL'));
  const output = collect(child);
  await once(child, 'close');
  return { code: child.exitCode, output: output() };
}

/** Runs a command whose reader has gone before it says the first word, as `urr … | head` may have. Its words go to standard error only. */
export async function runUrrUnread(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const unread = 'exec 3> >(:); wait $!; exec "$@" >&3 3>&-';
  const child = spawn('bash', ['-c', unread, 'bash', process.execPath, mainFile, ...args], {
    env: { PATH: process.env.PATH ?? '', ...testEnv, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  atEnd(async () => void child.kill('SIGKILL'));
  const output = collect(child);
  await once(child, 'close');
  return { code: child.exitCode, output: output() };
}

/** Runs a line of a guide as a shell does, where `urr` is this program. */
export async function runInShell(
  line: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const urr = `urr() { '${process.execPath}' '${mainFile}' "$@"; }`;
  const child = spawn('bash', ['-c', `${urr}\n${line}`], {
    env: { PATH: process.env.PATH ?? '', ...testEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(async () => void child.kill('SIGKILL'));
  const output = collect(child);
  await once(child, 'close');
  return { code: child.exitCode, output: output() };
}

function spawnNode(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  // A clean environment: nothing of the machine's own settings decides what a test sees.
  const child = spawn(process.execPath, [...args], {
    env: { PATH: process.env.PATH ?? '', ...testEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) record({ pid: child.pid, name: 'urr', dir: args[0] ?? '' });
  return child;
}

function collect(child: ChildProcess, streams = [child.stdout, child.stderr]): () => string {
  let text = '';
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}
