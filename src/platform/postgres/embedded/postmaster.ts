import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Logger } from '../../telemetry/logger.ts';
import { endWithUs } from './death-watch.ts';
import type { Runner } from './runner.ts';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export class PortTaken extends Error {}
export class StillInUse extends Error {}

interface PostmasterOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly postgres: string;
  readonly runner: Runner;
  readonly logger: Logger;
  readonly settings: Readonly<Record<string, string>>;
  readonly onExit?: (reason: string) => void;
}

const readyWithinMs = 60_000;
const stopWithinMs = 15_000;
const lastLinesMax = 20;

/** Commits stay durable: `fsync` and `synchronous_commit` keep their defaults (the bus' relay alone does not wait, ADR 36). The rest fits one small machine. */
const baseSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  // The path of a socket may have 107 bytes only, which a deep folder exceeds.
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  // Containers often have a tiny /dev/shm, and no query of ours is worth several processes.
  max_parallel_workers_per_gather: '0',
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
};

/** Resolves when the server accepts connections. */
export async function launchPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { dataDir, port, logger } = options;
  const settings = { ...baseSettings, ...options.settings, port: String(port) };
  const args = ['-D', dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const child = options.runner.spawn(options.postgres, args, {
    cwd: '/',
    // A group of its own: Ctrl-C in the terminal goes to us, and we stop in order, the database last.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LC_ALL: 'C' },
  });
  const stopWatch = child.pid === undefined ? () => {} : endWithUs(child.pid, 'INT');
  const exited = new Promise<string>((done) => {
    child.once('error', (error) => done(error.message));
    child.once('exit', (code, signal) => done(signal ?? `exit code ${code}`));
  });
  void exited.then(stopWatch);

  await untilReady(child, exited, logger);
  const { pid } = child;
  if (pid === undefined) throw new Error('PostgreSQL has no process number');

  let expected = false;
  void exited.then((reason) => {
    if (!expected) options.onExit?.(reason);
  });
  const end = async (signal: NodeJS.Signals) => {
    expected = true;
    child.kill(signal);
    await exited;
  };
  return {
    pid,
    port,
    kill: end,
    async stop() {
      const impatient = setTimeout(() => child.kill('SIGQUIT'), stopWithinMs);
      const last = setTimeout(() => child.kill('SIGKILL'), stopWithinMs * 2);
      await end('SIGINT').finally(() => {
        clearTimeout(impatient);
        clearTimeout(last);
      });
    },
  };
}

async function untilReady(child: ChildProcess, exited: Promise<string>, logger: Logger): Promise<void> {
  const lastLines: string[] = [];
  const ready = new Promise<true>((done) => {
    if (!child.stderr) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      lastLines.push(line);
      if (lastLines.length > lastLinesMax) lastLines.shift();
      if (line.includes('database system is ready to accept connections')) done(true);
      if (/\b(PANIC|FATAL):/.test(line)) logger.debug({ line }, 'PostgreSQL');
    });
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
  const outcome = await Promise.race([ready, exited]);
  clearTimeout(timer);
  if (outcome === true) return;
  const said = lastLines.join('\n');
  if (/could not bind .*: Address already in use/.test(said)) throw new PortTaken(said);
  if (/pre-existing shared memory block|lock file ".*" already exists/.test(said)) throw new StillInUse(said);
  throw new Error(`The embedded PostgreSQL did not start (${outcome}):\n${said}`);
}
