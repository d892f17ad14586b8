import { type MigrationSet, platformMigrations } from '#platform/postgres/migrate.ts';
import { moduleDescriptions } from './modules.ts';

/** Every schema, in the order they are brought up to date. */
export const migrationSets: readonly MigrationSet[] = [
  platformMigrations,
  ...moduleDescriptions.flatMap((module) =>
    module.migrations === null ? [] : [{ schema: schemaOf(module.name), folder: module.migrations }],
  ),
];

/** As SQL writes it without quotes. */
function schemaOf(moduleName: string): string {
  return moduleName.replaceAll('-', '_');
}
