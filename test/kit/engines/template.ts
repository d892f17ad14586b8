import pg from 'pg';
import { migrationSets } from '#app/migrations.ts';
import { migrate } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';

const templateName = 'urr_template';
/** A guard against hanging for ever: setting up is no test of speed. */
const connectMaxMs = 120_000;

/** Migrates once; every test file then gets a copy, which takes a tenth of a second. */
export async function prepareTemplate(serverUrl: string): Promise<string> {
  await onServer(serverUrl, `CREATE DATABASE ${templateName}`);
  const database = createDatabase({
    url: databaseUrl(serverUrl, templateName),
    poolMax: 2,
    connectTimeoutMs: connectMaxMs,
    statementTimeoutMs: 60_000,
  });
  try {
    await migrate(database, migrationSets);
  } finally {
    await database.close();
  }
  return templateName;
}

export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl, connectionTimeoutMillis: connectMaxMs });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
