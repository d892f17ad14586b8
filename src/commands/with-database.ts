import { join } from 'node:path';
import { type LoadedConfig, loadConfig } from '#app/config.ts';
import { openPostgres } from '#app/engines/postgres.ts';
import type { Database } from '#platform/postgres/database.ts';
import { findEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { createLogger, type Logger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import type { CommandInput } from './command.ts';

/**
 * Runs a command on the configured database. Embedded: on the server of the urr that is running on this data folder, or
 * on one started for the command alone.
 */
export async function withDatabase<T>(
  input: Pick<CommandInput, 'env' | 'warn'>,
  work: (context: { database: Database; config: LoadedConfig['config']; logger: Logger }) => Promise<T>,
): Promise<T> {
  const loaded = loadConfig(input.env);
  for (const warning of loaded.warnings) input.warn(`urr: ${warning}`);
  const logger = createLogger({ level: loaded.config.logLevel === 'info' ? 'warn' : loaded.config.logLevel });
  const running =
    loaded.config.databaseUrl === null ? await findEmbeddedPostgres(join(loaded.config.dataDir, 'postgres')) : null;
  const config = running === null ? loaded.config : { ...loaded.config, databaseUrl: running.url };
  const opened = await openPostgres({ config, logger, metrics: createMetrics() });
  try {
    return await work({ database: opened.database, config, logger });
  } finally {
    await opened.close();
  }
}
