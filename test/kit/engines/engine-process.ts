import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endWithUs } from '#platform/postgres/embedded/death-watch.ts';
import { eventually } from '../faults.ts';
import { forget, record } from './pid-record.ts';

export interface EngineProcess {
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal, waits, and falls back to SIGKILL. */
  end(signal: NodeJS.Signals): Promise<void>;
  readonly running: boolean;
}

export interface EngineCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Its working folder; must appear in its command line, by which a left-over process is recognised. */
  readonly dir: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Throws until the engine answers. */
  readonly ready: () => Promise<unknown>;
}

const readyWithinMs = 120_000;
const endWithinMs = 15_000;

/** Starts the engine, waits until it answers, and makes sure that it does not outlive us. */
export async function startProcess(options: EngineCommand): Promise<EngineProcess> {
  const logFile = join(options.dir, `${options.name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(options.command, options.args, {
    cwd: options.dir,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended: string | null = null;
  const exited = new Promise<void>((done) => {
    child.once('error', (error) => {
      ended = error.message;
      done();
    });
    child.once('exit', (code, signal) => {
      ended = signal ?? `exit code ${code}`;
      done();
    });
  });
  const { pid } = child;
  if (pid !== undefined) {
    const stopWatch = endWithUs(pid, 'KILL');
    record({ pid, name: options.name, dir: options.dir });
    void exited.then(stopWatch).then(() => forget(pid));
    child.unref();
  }
  const process_: EngineProcess = {
    pid: pid ?? -1,
    get running() {
      return ended === null;
    },
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (ended !== null) return;
      child.kill('SIGCONT');
      child.kill(signal);
      const impatient = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
      child.ref();
      await exited;
      clearTimeout(impatient);
    },
  };
  try {
    await eventually(
      async () => {
        if (ended === null) await options.ready();
      },
      { withinMs: readyWithinMs, what: `${options.name} to answer` },
    );
    if (ended !== null) throw new Error(`${options.name} ended: ${ended}`);
  } catch (error) {
    await process_.end('SIGKILL');
    const said = (await readFile(logFile, 'utf8').catch(() => '')).slice(-2_000);
    throw new Error(`${options.name} did not start. Its log ends with:\n${said}`, { cause: error });
  }
  return process_;
}

/** The four acts of an engine that is one process and can be started again with the same command. */
export async function createEngine(command: EngineCommand) {
  let current = await startProcess(command);
  return {
    stop: () => current.end('SIGTERM'),
    kill: () => current.end('SIGKILL'),
    async pause() {
      current.signal('SIGSTOP');
    },
    async resume() {
      current.signal('SIGCONT');
    },
    async restart() {
      await current.end('SIGTERM');
      current = await startProcess(command);
    },
  };
}
