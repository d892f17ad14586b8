import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { commandOf, isGone } from '../../lifecycle/processes.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { type FolderLock, lastLockedBy, tryFolderLock } from './folder-lock.ts';

/** Another living process uses this folder. */
export class DataFolderBusy extends Error {
  readonly ownerPid: number | null;

  constructor(dataDir: string, ownerPid: number | null) {
    const owner = ownerPid === null ? 'another process' : `process ${ownerPid}`;
    super(`The data folder ${dataDir} is in use by ${owner}. Stop it first, or set URR_DATA_DIR to another folder.`);
    this.ownerPid = ownerPid;
  }
}

/** A data folder that is ours until it is released, or this process ends. */
export interface OwnedFolder {
  /** Without symbolic links: one folder, one path. */
  readonly path: string;
  release(): void;
}

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
}

const ownerLeavesWithinMs = 8_000;
/** In this order. SIGINT ends sessions and writes a checkpoint; SIGQUIT leaves recovery to the next start. */
const stopSteps = [
  { signal: 'SIGINT', withinMs: 5_000 },
  { signal: 'SIGQUIT', withinMs: 3_000 },
  { signal: 'SIGKILL', withinMs: 3_000 },
] as const;
const pollMs = 25;

/** Nobody else uses the folder, and no server runs on it, from here until the release. Taken before anything in it is looked at or made. */
export async function takeOver(dataDir: string, logger: Logger): Promise<OwnedFolder> {
  const path = await realFolder(dataDir);
  await mkdir(dirname(path), { recursive: true });
  const lock = await waitForLock(path, logger);
  try {
    const orphan = await findServer(path);
    if (orphan !== null) {
      logger.warn({ pid: orphan.pid }, 'stopping the embedded PostgreSQL that an earlier run left behind');
      await stopOrphan(orphan.pid);
    }
    await disownPidFile(path);
  } catch (error) {
    lock.release();
    throw error;
  }
  return { path, release: () => lock.release() };
}

/** The server that a living process runs on this folder; an orphan is none. */
export async function findRunning(dataDir: string): Promise<(RunningServer & { readonly path: string }) | null> {
  const path = await realFolder(dataDir);
  const server = await findServer(path);
  if (server === null) return null;
  const lock = tryFolderLock(lockFile(path));
  lock?.release();
  return lock === null ? { ...server, path } : null;
}

const lockFile = (path: string) => `${path}.lock`;

/** Also of a folder that is not there yet, below one that is. */
async function realFolder(dataDir: string): Promise<string> {
  const missing: string[] = [];
  for (let folder = resolve(dataDir); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && folder !== dirname(folder)) return null;
      throw error;
    });
    if (real !== null) return join(real, ...missing);
    missing.unshift(basename(folder));
  }
}

/** By the server's own pid file, which is trusted only after a look at the process itself. */
async function findServer(path: string): Promise<RunningServer | null> {
  const lines = (await readFile(join(path, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0 || isGone(pid)) return null;
  const command = await commandOf(pid);
  return command.includes('postgres') && command.includes(path) ? { pid, port } : null;
}

/**
 * A pid file left behind may name a number that somebody else has now, and the server would refuse to start. The file
 * must not be removed: by it the server finds sessions of its predecessor that are still writing. It passes over the
 * number of its own parent, so that is what we put there.
 */
async function disownPidFile(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postmaster.pid');
  const [first, ...rest] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
  if (first && rest.length > 1) await writeFile(path, [process.pid, ...rest].join('\n'));
  else await rm(path, { force: true });
}

/** A process that is stopping lets go in a moment, and "start again" right after a kill must simply work. */
async function waitForLock(path: string, logger: Logger): Promise<FolderLock> {
  const deadline = performance.now() + ownerLeavesWithinMs;
  for (let told = false; ; told = true) {
    const lock = tryFolderLock(lockFile(path));
    if (lock !== null) return lock;
    const pid = await lastLockedBy(lockFile(path));
    if (pid === process.pid || performance.now() > deadline) throw new DataFolderBusy(path, pid);
    if (!told) logger.info({ pid }, 'waiting for another process to let go of the data folder');
    await pause(pollMs * 4);
  }
}

async function stopOrphan(pid: number): Promise<void> {
  for (const { signal, withinMs } of stopSteps) {
    try {
      process.kill(pid, signal);
      process.kill(pid, 'SIGCONT');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    for (const deadline = performance.now() + withinMs; performance.now() < deadline; ) {
      if (isGone(pid)) return;
      await pause(pollMs);
    }
  }
  throw new Error(`process ${pid}, a PostgreSQL left behind by an earlier run, does not end`);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
