import { type MigrationSet, platformMigrations } from '#platform/postgres/migrate.ts';

/** Every schema, in the order they are brought up to date. */
export const migrationSets: readonly MigrationSet[] = [
  platformMigrations,
  { schema: 'auth', folder: new URL('../modules/auth/migrations/', import.meta.url) },
  { schema: 'catalog', folder: new URL('../modules/catalog/migrations/', import.meta.url) },
];
