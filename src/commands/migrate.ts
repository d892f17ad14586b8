import { migrationSets } from '#app/migrations.ts';
import { MigrationProblem, migrate as runMigrations, schemaProblem } from '#platform/postgres/migrate.ts';
import { type Command, exitCodes } from './command.ts';
import { withDatabase } from './with-database.ts';

export const migrate: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date.',
  usage: 'migrate [--dry-run]',
  help: `
Runs what has not run yet, file by file, each in a transaction, under a lock: any number of processes may call it at
once. \`urr serve\` does the same at start unless URR_MIGRATE_ON_START is false. A table that another session has locked is
tried five times, for 3 s each; then the error names that session, and the file is undone. A database that a newer version
has migrated is an error that names what ran.

  --dry-run   list what would run, and change nothing`,
  options: { 'dry-run': { type: 'boolean' } },
  async run(input) {
    const dryRun = input.values['dry-run'] === true;
    return withDatabase(input, async ({ database }) => {
      const ran = await runMigrations(database, migrationSets, { dryRun });
      for (const migration of ran) input.print(`${dryRun ? 'would run' : 'ran'} ${migration.schema}/${migration.name}`);
      const problem = dryRun && ran.length > 0 ? null : await schemaProblem(database, migrationSets);
      if (problem !== null) throw new MigrationProblem(problem);
      if (ran.length === 0) input.print('the schema is up to date');
      return exitCodes.ok;
    });
  },
};
