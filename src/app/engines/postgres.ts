import { join } from 'node:path';
import type { Database } from '#platform/postgres/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/postgres/embedded/start.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { latencyBucketsSeconds, type Metrics } from '#platform/telemetry/metrics.ts';
import type { UrrConfig } from '../config.ts';

export interface OpenDatabase {
  readonly database: Database;
  close(): Promise<void>;
}

const closeLimitMs = 5_000;

/** The database that the configuration names, or one of our own in the data folder. */
export async function openPostgres(options: {
  config: UrrConfig;
  logger: Logger;
  metrics: Metrics;
}): Promise<OpenDatabase> {
  const { config, logger, metrics } = options;
  const embedded = config.databaseUrl === null ? await keepEmbeddedRunning(config, logger) : null;
  const seconds = metrics.histogram(
    'urr_postgres_statement_seconds',
    'How long statements took, with the wait for a connection.',
    ['outcome'],
    latencyBucketsSeconds,
  );
  const ok = seconds.labels('ok');
  const failed = seconds.labels('error');
  const database = createDatabase({
    url: config.databaseUrl ?? embedded?.url ?? '',
    poolMax: config.databasePoolMax,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    logger,
    observe: (duration, outcome) => (outcome === 'ok' ? ok : failed).observe(duration),
  });
  return {
    database,
    async close() {
      const tooLong = () => new Error(`connections were still in use after ${closeLimitMs} ms`);
      await withTimeout(database.close(), closeLimitMs, tooLong).catch((error: Error) =>
        logger.warn({ err: error }, 'the database was not closed cleanly'),
      );
      await embedded?.stop();
    },
  };
}

const restartBackoffMs = [100, 500, 1_000, 2_000, 5_000];

/** Starts the embedded server, and starts it again on the same port when it dies. */
async function keepEmbeddedRunning(config: UrrConfig, logger: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = join(config.dataDir, 'postgres');
  let stopping = false;
  let restart: Promise<void> | null = null;
  let server: EmbeddedPostgres;

  const start = (port?: number) =>
    startEmbeddedPostgres({
      dataDir,
      logger,
      ...(port !== undefined && { port }),
      onExit: (reason) => {
        logger.error({ reason }, 'the embedded PostgreSQL ended; starting it again');
        restart = startAgain();
      },
    });

  async function startAgain(): Promise<void> {
    for (let tried = 0; !stopping; tried++) {
      const waitMs = restartBackoffMs[Math.min(tried, restartBackoffMs.length - 1)] ?? 0;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (stopping) return;
      try {
        server = await start(server.port);
        return;
      } catch (error) {
        logger.error({ err: error }, 'the embedded PostgreSQL could not be started; trying again');
      }
    }
  }

  server = await start();
  return {
    url: server.url,
    async stop() {
      stopping = true;
      await restart;
      await server.stop();
    },
  };
}
