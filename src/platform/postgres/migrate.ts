import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { withBlockers } from './blockers.ts';
import type { Database, Session } from './database.ts';
import { sqlState } from './failure.ts';

/** One schema and the folder of its `0001_name.sql` files. Forward only; a file that has run is never edited. */
export interface MigrationSet {
  readonly schema: string;
  readonly folder: URL;
}

export interface Migration {
  readonly schema: string;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

export const platformMigrations: MigrationSet = { schema: 'urr', folder: new URL('./migrations/', import.meta.url) };

/** Any number; all processes that migrate agree on it. */
const migrationLock = 7_277_001;
const lockNotAvailable = '55P03';
const namedMax = 5;
const filePattern = /^\d{4}_[a-z0-9_]+\.sql$/;

interface MigrationWaits {
  /** For another process that migrates. */
  readonly turnMs: number;
  /** For a lock on a table. Short: whatever wants the table next waits behind the migration. */
  readonly lockMs: number;
  /** How often a file is tried when a table stays locked. */
  readonly triesMax: number;
  /** After the first try; it doubles. */
  readonly pauseMs: number;
}

const waitsDefault: MigrationWaits = { turnMs: 120_000, lockMs: 3_000, triesMax: 5, pauseMs: 500 };

export class MigrationProblem extends Error {}

/**
 * Brings the schemas up to date: one transaction per file, under an advisory lock, so that ten processes started at
 * once migrate once. Returns what ran (or, with dryRun, what would run). Waits for nobody without a limit, and says
 * who was in the way.
 */
export async function migrate(
  database: Database,
  sets: readonly MigrationSet[],
  options: { dryRun?: boolean; waits?: Partial<MigrationWaits> } = {},
): Promise<Migration[]> {
  const waits = { ...waitsDefault, ...options.waits };
  const session = await database.session('migrate');
  try {
    const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    await withBlockers(database, pid, (blockers) => takeTurn(session, waits, blockers));
    const pending = await findPending(session, sets);
    if (options.dryRun) return pending;
    for (const migration of pending)
      await withBlockers(database, pid, (blockers) => applyWhenFree(session, migration, waits, blockers));
    return pending;
  } finally {
    await session.close();
  }
}

async function takeTurn(session: Session, { turnMs, lockMs }: MigrationWaits, blockers: () => string): Promise<void> {
  await session.query(`SET lock_timeout = ${turnMs}`);
  try {
    await session.query('SELECT pg_advisory_lock($1)', [migrationLock]);
  } catch (error) {
    if (sqlState(error) !== lockNotAvailable) throw error;
    throw new MigrationProblem(
      `another process has been migrating for ${turnMs / 1_000} s; nothing was done here. ${blockers()}`,
      { cause: error },
    );
  }
  await session.query(`SET lock_timeout = ${lockMs}`);
}

/** For `/ready` and `urr doctor`, without touching anything. Null: the schemas are those of this version. */
export async function schemaProblem(database: Database, sets: readonly MigrationSet[]): Promise<string | null> {
  const pending = await findPending(database, sets);
  if (pending.length > 0) return `${pending.length} migrations have not run; run urr migrate`;
  const unknown = await findUnknown(database, sets);
  if (unknown.length === 0) return null;
  const named = unknown.slice(0, namedMax).join(', ');
  const more = unknown.length > namedMax ? ` and ${unknown.length - namedMax} more` : '';
  return `the database is of a newer version: ${named}${more} ran here, which this one does not have. Run the newer version, or restore a backup from before`;
}

async function findUnknown(on: Pick<Session, 'query'>, sets: readonly MigrationSet[]): Promise<string[]> {
  const known = (await Promise.all(sets.map(readSet))).flat().map(({ schema, name }) => `${schema}/${name}`);
  const names = new Set(known);
  return [...(await readApplied(on)).keys()].filter((name) => !names.has(name)).sort();
}

/** What has not run yet, without touching anything. */
export async function pendingMigrations(database: Database, sets: readonly MigrationSet[]): Promise<Migration[]> {
  return findPending(database, sets);
}

async function findPending(on: Pick<Session, 'query'>, sets: readonly MigrationSet[]): Promise<Migration[]> {
  const applied = await readApplied(on);
  const pending: Migration[] = [];
  for (const set of sets) {
    for (const migration of await readSet(set)) {
      const checksum = applied.get(`${migration.schema}/${migration.name}`);
      if (checksum === undefined) pending.push(migration);
      else if (checksum !== migration.checksum) {
        throw new MigrationProblem(
          `${migration.schema}/${migration.name} was changed after it ran here. Restore the file and put the change into a new one.`,
        );
      }
    }
  }
  return pending;
}

async function readApplied(on: Pick<Session, 'query'>): Promise<Map<string, string>> {
  const table = await on.query<{ found: string | null }>(`SELECT to_regclass('urr.migrations')::text AS found`);
  if (table.rows[0]?.found == null) return new Map();
  const { rows } = await on.query<{ schema: string; name: string; checksum: string }>(
    'SELECT schema, name, checksum FROM urr.migrations',
  );
  return new Map(rows.map((row) => [`${row.schema}/${row.name}`, row.checksum]));
}

async function readSet(set: MigrationSet): Promise<Migration[]> {
  const names = (await readdir(set.folder)).filter((name) => name.endsWith('.sql')).sort();
  const twice = names.find((name, index) => index > 0 && numberOf(name) === numberOf(names[index - 1] ?? ''));
  if (twice !== undefined)
    throw new MigrationProblem(
      `${set.schema}/${twice}: another migration has this number. Give the newer one the next.`,
    );
  return Promise.all(
    names.map(async (name) => {
      if (!filePattern.test(name))
        throw new MigrationProblem(`${set.schema}/${name}: migrations are named 0001_like_this.sql`);
      const sql = await readFile(new URL(name, set.folder), 'utf8');
      return {
        schema: set.schema,
        name,
        sql,
        checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex'),
      };
    }),
  );
}

function numberOf(name: string): string {
  return name.slice(0, 4);
}

/** A table that is in use is tried again: a transaction on it is mostly over soon. */
async function applyWhenFree(
  session: Session,
  migration: Migration,
  { triesMax, lockMs, pauseMs }: MigrationWaits,
  blockers: () => string,
): Promise<void> {
  const name = `${migration.schema}/${migration.name}`;
  for (let tried = 1; ; tried++) {
    try {
      await apply(session, migration);
      return;
    } catch (error) {
      await session.query('ROLLBACK').catch(() => {});
      if (sqlState(error) !== lockNotAvailable)
        throw new MigrationProblem(`${name} failed: ${(error as Error).message}`, { cause: error });
      if (tried >= triesMax)
        throw new MigrationProblem(
          `${name} needs a lock that another session holds. It was tried ${tried} times, for ${lockMs / 1_000} s each, and is undone. ${blockers()} Let that session finish, or end it with pg_terminate_backend, and migrate again.`,
          { cause: error },
        );
    }
    await delay(pauseMs * 2 ** (tried - 1));
  }
}

async function apply(session: Session, migration: Migration): Promise<void> {
  await session.query('BEGIN');
  await session.query('CREATE SCHEMA IF NOT EXISTS urr');
  await session.query(
    'CREATE TABLE IF NOT EXISTS urr.migrations (schema text, name text, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(), PRIMARY KEY (schema, name))',
  );
  await session.query(`CREATE SCHEMA IF NOT EXISTS "${migration.schema}"`);
  await session.query(migration.sql);
  await session.query('INSERT INTO urr.migrations (schema, name, checksum) VALUES ($1, $2, $3)', [
    migration.schema,
    migration.name,
    migration.checksum,
  ]);
  await session.query('COMMIT');
}
