import { systemClock } from '#platform/clock.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { createHttpMetrics } from '#platform/telemetry/http-metrics.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';

export interface BareOrder {
  readonly databaseUrl: string;
  readonly poolMax: number;
}

interface Body {
  readonly eventId: string;
  readonly seatNo: number;
  readonly userId: string;
}

const logSampleEvery = 100;

/** One route, one function call: see bare.sql. */
process.once('message', async ({ databaseUrl, poolMax }: BareOrder) => {
  const logger = createLogger({ level: 'error' });
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const app = createHttpServer({ logger, ids, metrics: createHttpMetrics(createMetrics()), logSampleEvery });
  // Patient, so that a busy machine makes it slow and not wrong.
  const database = createDatabase({
    url: databaseUrl,
    poolMax,
    statementTimeoutMs: 30_000,
    connectTimeoutMs: 30_000,
    logger,
  });
  app.post('/buy', async (request, reply) => {
    // Only the benchmark calls it.
    const { eventId, seatNo, userId } = request.body as Body;
    const { rows } = await database.query<{ ticket: string }>(
      'SELECT bench.buy_unchecked($1, $2, $3, 165000, 3000) AS ticket',
      [eventId, seatNo, userId],
      { prepare: true },
    );
    return reply.code(201).send({ ticketId: rows[0]?.ticket });
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});

process.once('disconnect', () => process.exit());
