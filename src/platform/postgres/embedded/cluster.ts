import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../../telemetry/logger.ts';
import type { Binaries } from './binaries.ts';
import type { Runner } from './runner.ts';

export const userName = 'urr';
export const databaseName = 'urr';
/** Inside the data folder, so that data and password are made, moved and removed together. */
export const passwordFile = 'urr-password';

const stepLimitMs = 60_000;
/** Tries and the pause after the first, which grows by as much with each: five seconds in all. */
const whileWritten = { maxRetries: 10, retryDelay: 100 };

interface ClusterOptions {
  readonly dataDir: string;
  readonly binaries: Binaries;
  readonly runner: Runner;
  readonly logger: Logger;
  /** Whether it must outlive a power failure. */
  readonly durable: boolean;
}

/**
 * Makes the data folder if there is none. The work happens in a folder beside it that is renamed when complete:
 * a start that is killed on the way leaves nothing that looks like a database.
 */
export async function createCluster({ dataDir, binaries, runner, logger, durable }: ClusterOptions): Promise<void> {
  const existing = await stat(join(dataDir, 'PG_VERSION')).catch(() => null);
  if (existing) {
    // A folder that root copied or restored belongs to root, and the server insists on owning it.
    if (process.getuid?.() === 0 && existing.uid === 0) await runner.giveAll(dataDir);
    return;
  }
  await refuseForeignFiles(dataDir);
  await mkdir(dirname(dataDir), { recursive: true });
  await removeAbandoned(dataDir, logger);
  const draft = `${dataDir}.init-${process.pid}-${randomBytes(4).toString('hex')}`;
  const passwordDraft = `${draft}.password`;
  logger.info({ dataDir }, 'preparing a new embedded database');
  try {
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordDraft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    await runner.give(draft);
    await runner.give(passwordDraft);
    await initialise({ draft, passwordDraft, binaries, runner, durable });
    await rename(passwordDraft, join(draft, passwordFile));
    await rename(draft, dataDir);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordDraft, { force: true });
  }
}

async function initialise(options: {
  draft: string;
  passwordDraft: string;
  binaries: Binaries;
  runner: Runner;
  durable: boolean;
}): Promise<void> {
  const { draft, passwordDraft, binaries, runner, durable } = options;
  const base = { cwd: '/', env: { ...process.env, LC_ALL: 'C' } };
  const initdb = runner.spawn(
    binaries.initdb,
    [
      `--pgdata=${draft}`,
      `--username=${userName}`,
      `--pwfile=${passwordDraft}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The server's own C.UTF-8 knows upper and lower case of every script and sorts alike on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      '--data-checksums',
      ...(durable ? [] : ['--no-sync']),
      '--no-instructions',
    ],
    { ...base, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  await succeed(initdb, 'initdb');
  const alone = (database: string, statement: string) => {
    const single = runner.spawn(binaries.postgres, ['--single', '-D', draft, database], {
      ...base,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // It may end before it has read anything.
    single.stdin?.on('error', () => {});
    single.stdin?.end(`${statement}\n`);
    return succeed(single, 'postgres --single');
  };
  const said = await alone('postgres', `CREATE DATABASE ${databaseName}`);
  // A server alone ends well although its statement failed. That the database can be opened is the proof.
  await alone(databaseName, 'SELECT 1').catch((error: unknown) => {
    throw new Error(`the database was not made:\n${said}`, { cause: error });
  });
}

async function refuseForeignFiles(dataDir: string): Promise<void> {
  const files = await readdir(dataDir).catch(() => []);
  if (files.length === 0) return;
  throw new Error(`${dataDir} holds files but no database (no PG_VERSION). Choose another folder or remove this one.`);
}

/**
 * Drafts of killed runs: this process owns the folder. The `initdb` of a killed start may still be writing into its draft;
 * one that cannot be removed is left to the next start, and is no reason not to start now.
 */
async function removeAbandoned(dataDir: string, logger: Logger): Promise<void> {
  const prefix = `${basename(dataDir)}.init-`;
  for (const name of await readdir(dirname(dataDir))) {
    if (!name.startsWith(prefix)) continue;
    const path = join(dirname(dataDir), name);
    await rm(path, { recursive: true, force: true, ...whileWritten }).catch((error: unknown) =>
      logger.warn({ err: error, path }, 'what is left of an earlier start could not be removed'),
    );
  }
}

/** With what it said. */
function succeed(child: ChildProcess, what: string): Promise<string> {
  let output = '';
  const collect = (chunk: Buffer) => {
    output = (output + chunk).slice(-4_000);
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const timer = setTimeout(() => child.kill('SIGKILL'), stepLimitMs);
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) done(output.trim());
      else fail(new Error(`${what} failed (${signal ?? `exit code ${code}`}):\n${output.trim()}`));
    });
  });
}
