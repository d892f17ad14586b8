import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import type { Engine } from './engine.ts';
import { forget, record } from './pid-record.ts';
import { freePort } from './ports.ts';

export interface PostgresEngine extends Engine {
  readonly url: string;
  readonly port: number;
}

/** The embedded server without its patience for power failures; a killed server still loses nothing. */
export async function startPostgres(options: { dir: string; port?: number }): Promise<PostgresEngine> {
  const dataDir = join(options.dir, 'data');
  const launch = async (port: number) => {
    const server = await startEmbeddedPostgres({
      dataDir,
      logger: silentLogger,
      settings: { fsync: 'off', full_page_writes: 'off' },
      port,
    });
    record({ pid: server.pid, name: 'postgres', dir: dataDir });
    return server;
  };
  let current: EmbeddedPostgres | null = await launch(options.port ?? (await freePort()));
  const { url, port } = current;

  const end = async (how: (server: EmbeddedPostgres) => Promise<void>) => {
    if (!current) return;
    const server = current;
    current = null;
    await signalAll(server.pid, 'SIGCONT');
    await how(server);
    forget(server.pid);
  };
  return {
    url,
    port,
    stop: () => end((server) => server.stop()),
    kill: () => end((server) => server.kill('SIGKILL')),
    async pause() {
      if (current) await signalAll(current.pid, 'SIGSTOP');
    },
    async resume() {
      if (current) await signalAll(current.pid, 'SIGCONT');
    },
    async restart() {
      await end((server) => server.stop());
      current = await launch(port);
    },
  };
}

/** Each session is a process of its own, in a group of its own. The parent comes first, so that none is added meanwhile. */
async function signalAll(postmaster: number, signal: NodeJS.Signals): Promise<void> {
  signalIfAlive(postmaster, signal);
  for (const pid of await childrenOf(postmaster)) signalIfAlive(pid, signal);
}

function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const children = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return status.includes(`PPid:\t${parent}\n`) ? Number(pid) : null;
    }),
  );
  return children.filter((pid) => pid !== null);
}
