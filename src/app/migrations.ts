import { type MigrationSet, platformMigrations } from '#platform/postgres/migrate.ts';
import { moduleDescriptions } from './modules.ts';

/** Every schema, in the order they are brought up to date. */
export const migrationSets: readonly MigrationSet[] = [
  platformMigrations,
  ...moduleDescriptions.flatMap((module) =>
    module.migrations === null ? [] : [{ schema: module.name, folder: module.migrations }],
  ),
];
