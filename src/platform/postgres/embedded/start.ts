import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import { findBinaries } from './binaries.ts';
import { createCluster, databaseName, passwordFile, userName } from './cluster.ts';
import { findRunning, takeOver } from './data-folder.ts';
import { namingFullDisk } from './disk-full.ts';
import { launchPostmaster, PortTaken, type Postmaster, StillInUse } from './postmaster.ts';
import { chooseRunner } from './runner.ts';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** Default: the port of the last run on this folder when it is free, else any free one. */
  readonly port?: number;
  readonly logger: Logger;
  /** Told when the server ends and neither `stop` nor `kill` asked for it. */
  readonly onExit?: (reason: string) => void;
  /** Server settings on top of ours, such as `{ fsync: 'off' }` for tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends all sessions, writes a checkpoint and waits for the process to be gone. */
  stop(): Promise<void>;
  /** Sends the signal and waits for the process to be gone. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

const portFile = 'urr-port';
const launchTriesMax = 30;
const launchRetryMs = 100;

/**
 * A real PostgreSQL as a child process: 127.0.0.1 only, password required, data in one folder that survives kill -9
 * of either process at any moment. An orphan of an earlier run is stopped first; a folder that a living process
 * uses is refused with `DataFolderBusy`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { logger } = options;
  const folder = await takeOver(options.dataDir, logger);
  const dataDir = folder.path;
  try {
    const binaries = await findBinaries();
    const runner = await chooseRunner({ dataDir, binaries });
    await createCluster({ dataDir, binaries, runner, logger, durable: options.settings?.fsync !== 'off' });
    const onExit = (reason: string) => {
      folder.release();
      options.onExit?.(reason);
    };
    const postmaster = await launch(dataDir, binaries.postgres, runner, { ...options, onExit });
    // Only a convenience, and not worth a database that does not start: the disk may be full.
    await writeFile(join(dataDir, portFile), String(postmaster.port)).catch((error: unknown) =>
      logger.warn({ err: error }, 'the port of the embedded PostgreSQL was not noted; the next start may take another'),
    );
    logger.debug({ port: postmaster.port, pid: postmaster.pid }, 'embedded PostgreSQL is ready');
    return {
      url: await connectionUrl(dataDir, postmaster.port),
      port: postmaster.port,
      pid: postmaster.pid,
      stop: () => postmaster.stop().finally(folder.release),
      kill: (signal) => postmaster.kill(signal).finally(folder.release),
    };
  } catch (error) {
    folder.release();
    throw await namingFullDisk(dataDir, error);
  }
}

/** The server that another living process of ours runs on this folder, for commands that only want to connect. */
export async function findEmbeddedPostgres(dataDir: string): Promise<{ url: string; pid: number } | null> {
  const running = await findRunning(dataDir);
  return running && { url: await connectionUrl(running.path, running.port), pid: running.pid };
}

async function connectionUrl(dataDir: string, port: number): Promise<string> {
  const password = (await readFile(join(dataDir, passwordFile), 'utf8')).trim();
  return `postgres://${userName}:${password}@127.0.0.1:${port}/${databaseName}`;
}

async function launch(
  dataDir: string,
  postgres: string,
  runner: Awaited<ReturnType<typeof chooseRunner>>,
  options: EmbeddedPostgresOptions,
): Promise<Postmaster> {
  const { logger, settings = {}, onExit } = options;
  let port = options.port ?? (await rememberedPort(dataDir)) ?? (await freePort());
  for (let tried = 1; ; tried++) {
    try {
      return await launchPostmaster({ dataDir, port, postgres, runner, logger, settings, ...(onExit && { onExit }) });
    } catch (error) {
      if (tried >= launchTriesMax) throw error;
      if (error instanceof PortTaken && options.port === undefined) port = await freePort();
      // The sessions of a killed server need a moment to notice; until then they hold its shared memory.
      else if (error instanceof StillInUse) await new Promise((done) => setTimeout(done, launchRetryMs));
      else throw error;
    }
  }
}

async function rememberedPort(dataDir: string): Promise<number | undefined> {
  const text = await readFile(join(dataDir, portFile), 'utf8').catch(() => '');
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? done(address.port) : fail(new Error('no free port')),
      );
    });
  });
}
