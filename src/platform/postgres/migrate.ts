import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Database, Session } from './database.ts';

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
const lockWaitMs = 120_000;
const filePattern = /^\d{4}_[a-z0-9_]+\.sql$/;

export class MigrationProblem extends Error {}

/**
 * Brings the schemas up to date: one transaction per file, under an advisory lock, so that ten processes started at
 * once migrate once. Returns what ran (or, with dryRun, what would run).
 */
export async function migrate(
  database: Database,
  sets: readonly MigrationSet[],
  options: { dryRun?: boolean } = {},
): Promise<Migration[]> {
  const session = await database.session('migrate');
  try {
    await session.query(`SET lock_timeout = ${lockWaitMs}`);
    await session.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    await session.query(`SET lock_timeout = 0`);
    const pending = await findPending(session, sets);
    if (!options.dryRun) for (const migration of pending) await apply(session, migration);
    return pending;
  } finally {
    await session.close();
  }
}

/** For `/ready` and `urr doctor`: what has not run yet, without touching anything. */
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

async function apply(session: Session, migration: Migration): Promise<void> {
  await session.query('BEGIN');
  try {
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
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw new MigrationProblem(`${migration.schema}/${migration.name} failed: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
