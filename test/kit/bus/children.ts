import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { forget, record } from '#test/kit/engines/pid-record.ts';

/** Two processes like those of production, one that only relays and one that only consumes: so each can be frozen apart. */
export const childRuns = {
  first: 'relay and consumers',
  second: 'relay and consumers',
  relay: 'relay',
  consumer: 'consumers',
} as const;
export type ChildName = keyof typeof childRuns;
export const childNames = Object.keys(childRuns) as ChildName[];

export interface Children {
  /** Ends the process if there is one, and starts it anew. */
  start(name: ChildName): Promise<void>;
  /** Processes that are started from now on declare so many. */
  declarePartitions(partitions: number): void;
  freeze(name: ChildName): void;
  thaw(name: ChildName): void;
  kill(name: ChildName): Promise<void>;
  /** As an orchestrator does: SIGTERM, and SIGKILL when that takes too long. */
  stop(name: ChildName): Promise<void>;
  killAll(): Promise<void>;
  /** Processes that ended without being told to. */
  readonly deaths: readonly string[];
  logOf(name: ChildName): Promise<string>;
}

const childFile = fileURLToPath(new URL('./child.ts', import.meta.url));
const startTriesMax = 120;
const stopMaxMs = 15_000;

export function createChildren(options: {
  dir: string;
  env: Readonly<Record<string, string>>;
  partitions: number;
}): Children {
  const running = new Map<ChildName, ChildProcess>();
  const expected = new Set<ChildProcess>();
  const deaths: string[] = [];
  let { partitions } = options;
  const logFile = (name: ChildName) => join(options.dir, `${name}.log`);

  async function end(name: ChildName, signal: NodeJS.Signals): Promise<void> {
    const child = running.get(name);
    if (child === undefined) return;
    running.delete(name);
    expected.add(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    child.kill('SIGCONT');
    const impatient = setTimeout(() => child.kill('SIGKILL'), stopMaxMs);
    await ended;
    clearTimeout(impatient);
  }

  /** Says whether it came to run: one that starts while an engine is away may end, and is started again, as an orchestrator does. */
  async function tryToStart(name: ChildName): Promise<boolean> {
    const log = openSync(logFile(name), 'a');
    const child = fork(childFile, {
      env: {
        PATH: process.env.PATH ?? '',
        ...options.env,
        CHAOS_RUNS: childRuns[name],
        CHAOS_PARTITIONS: String(partitions),
      },
      execArgv: [],
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    running.set(name, child);
    const { pid } = child;
    if (pid !== undefined) record({ pid, name: 'chaos child', dir: childFile });
    const ready = Promise.withResolvers<boolean>();
    let ran = false;
    child.once('message', () => {
      ran = true;
      ready.resolve(true);
    });
    child.once('exit', (code, signal) => {
      if (pid !== undefined) forget(pid);
      if (ran && !expected.has(child)) deaths.push(`${name} ended by itself: ${signal ?? `code ${code}`}`);
      ready.resolve(false);
    });
    return ready.promise;
  }

  return {
    deaths,
    async start(name) {
      await end(name, 'SIGKILL');
      for (let tried = 1; tried <= startTriesMax; tried++) {
        if (await tryToStart(name)) return;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      throw new Error(`the process ${name} did not start`);
    },
    declarePartitions(next) {
      partitions = next;
    },
    freeze: (name) => void running.get(name)?.kill('SIGSTOP'),
    thaw: (name) => void running.get(name)?.kill('SIGCONT'),
    kill: (name) => end(name, 'SIGKILL'),
    stop: (name) => end(name, 'SIGTERM'),
    async killAll() {
      await Promise.all(childNames.map((name) => end(name, 'SIGKILL')));
    },
    logOf: (name) => readFile(logFile(name), 'utf8').catch(() => ''),
  };
}
