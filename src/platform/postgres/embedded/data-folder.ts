import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { commandOf, isGone, parentOf } from '../../lifecycle/processes.ts';
import type { Logger } from '../../telemetry/logger.ts';

/** Another living process runs the server on this folder. */
export class DataFolderBusy extends Error {
  readonly ownerPid: number;

  constructor(dataDir: string, ownerPid: number) {
    super(
      `The data folder ${dataDir} is in use by process ${ownerPid}. Stop it first, or set URR_DATA_DIR to another folder.`,
    );
    this.ownerPid = ownerPid;
  }
}

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** The process that started it and lives; null for an orphan. */
  readonly ownerPid: number | null;
}

const ownerFile = 'urr-owner';
const ownerLeavesWithinMs = 8_000;
/** In this order. SIGINT ends sessions and writes a checkpoint; SIGQUIT leaves recovery to the next start. */
const stopSteps = [
  { signal: 'SIGINT', withinMs: 5_000 },
  { signal: 'SIGQUIT', withinMs: 3_000 },
  { signal: 'SIGKILL', withinMs: 3_000 },
] as const;
const pollMs = 25;

/** Afterwards no server runs on the folder. */
export async function takeOver(dataDir: string, logger: Logger): Promise<void> {
  const running = await waitForOwner(dataDir, logger);
  if (running) {
    logger.warn({ pid: running.pid }, 'stopping the embedded PostgreSQL that an earlier run left behind');
    await stopOrphan(running.pid);
  }
  await disownPidFile(dataDir);
}

/** Says who uses the folder by the server's own pid file, which is trusted only after a look at the process itself. */
export async function findRunning(dataDir: string): Promise<RunningServer | null> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 0 || isGone(pid)) return null;
  const command = await commandOf(pid);
  if (!command.includes('postgres') || !command.includes(resolve(dataDir))) return null;
  const owner = Number(await readFile(join(dataDir, ownerFile), 'utf8').catch(() => ''));
  // The kernel gives a child whose parent died to another process, so this cannot be fooled by a reused number.
  const owned = owner > 0 && (await parentOf(pid)) === owner;
  return { pid, port, ownerPid: owned ? owner : null };
}

export async function claim(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, ownerFile), String(process.pid));
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
async function waitForOwner(dataDir: string, logger: Logger): Promise<RunningServer | null> {
  const deadline = Date.now() + ownerLeavesWithinMs;
  for (let told = false; ; told = true) {
    const running = await findRunning(dataDir);
    if (!running || running.ownerPid === null) return running;
    if (running.ownerPid === process.pid || Date.now() > deadline) throw new DataFolderBusy(dataDir, running.ownerPid);
    if (!told) logger.info({ pid: running.ownerPid }, 'waiting for another process to let go of the data folder');
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
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; ) {
      if (isGone(pid)) return;
      await pause(pollMs);
    }
  }
  throw new Error(`process ${pid}, a PostgreSQL left behind by an earlier run, does not end`);
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
