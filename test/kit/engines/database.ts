import { randomBytes } from 'node:crypto';
import { atEnd } from '../at-end.ts';
import { sharedEngine } from './shared.ts';
import { databaseUrl, onServer } from './template.ts';

export interface TestDatabase {
  readonly url: string;
  readonly name: string;
}

/**
 * A migrated, empty database for this test file, dropped when the file has run. `const { url } = await aDatabase()`,
 * at the top of the file, in a `describe` or in a `beforeAll`.
 */
export async function aDatabase(): Promise<TestDatabase> {
  const server = await sharedEngine('postgres');
  return create(server.url, `TEMPLATE ${server.template}`);
}

/** The same without any schema, for tests of the migrations themselves. */
export async function anEmptyDatabase(): Promise<TestDatabase> {
  const server = await sharedEngine('postgres');
  return create(server.url, 'TEMPLATE template0');
}

async function create(serverUrl: string, template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name} ${template}`);
  atEnd(() => onServer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return { name, url: databaseUrl(serverUrl, name) };
}
