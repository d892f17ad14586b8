import type { FastifyInstance } from 'fastify';
import { rewriteUrl } from '#modules/gateway/index.ts';
import { bookingFeeOf } from '#modules/ticketing/domain/fees.ts';
import { holdTimes } from '#modules/ticketing/domain/reservation.ts';
import { newReservationNumber } from '#modules/ticketing/domain/reservation-number.ts';
import { ticketingTopicPartitions } from '#modules/ticketing/topics.ts';
import { systemClock } from '#platform/clock.ts';
import { createInternalSignature, trustInternalSignature } from '#platform/http/internal-signature.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { fingerprintOf } from '#platform/idempotency.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { createHttpMetrics } from '#platform/telemetry/http-metrics.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import { holdInThreePhases } from './three-phases.ts';

/**
 * What the child is told. `unchecked`: one function call writes the rows of a hold. `redis`: one round trip to Redis, then a refusal.
 * `three-phases`, `three-phases-waiting`: see three-phases.ts. All with the program's own server.
 */
export interface BareOrder {
  readonly kind: 'unchecked' | 'redis' | 'three-phases' | 'three-phases-waiting';
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly poolMax: number;
  /** Of a section; seats are counted through in layout order. */
  readonly shape: { readonly rows: number; readonly seats: number };
  /** What refusals say: as many bytes as ticketing's own. */
  readonly refusal: string;
}

interface Body {
  readonly eventId: string;
  readonly seatIds: readonly [string];
}

const logSampleEvery = 100;
const priceKrw = 165_000;
const statement =
  'SELECT fence, at, ends_at FROM bench.hold_unchecked($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)';

process.once('message', async (order: BareOrder) => {
  const logger = createLogger({ level: 'error' });
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const metrics = createHttpMetrics(createMetrics());
  const app: FastifyInstance = createHttpServer({ logger, ids, metrics, logSampleEvery, rewriteUrl });
  const signature = createInternalSignature({
    secrets: [testSecrets.URR_INTERNAL_SECRET],
    clock: systemClock,
    roles: ['ticketing'],
  });
  trustInternalSignature(app, { signature });
  const database = createDatabase({
    url: order.databaseUrl,
    poolMax: order.poolMax,
    statementTimeoutMs: 30_000,
    // Patient, so that a busy machine makes it slow and not wrong.
    connectTimeoutMs: 30_000,
    logger,
  });
  const redis = createRedis({ url: order.redisUrl, commandTimeoutMs: 5_000, logger });

  async function holdUnchecked(userId: string, body: Body) {
    const { eventId } = body;
    const [seatId] = body.seatIds;
    const [section = '', row = '', label = ''] = seatId.split('-');
    const { rows: rowCount, seats } = order.shape;
    const seatNo = ((Number(section.slice(1)) - 1) * rowCount + Number(row) - 1) * seats + Number(label) - 1;
    const id = ids.next();
    const number = newReservationNumber(systemRandom);
    const feeKrw = bookingFeeOf(priceKrw, 'general');
    const line = JSON.stringify({ seatNo, seatId, grade: 'VIP', priceKrw, feeKrw });
    const [slotId, key, totalKrw] = [ids.next(), ids.next(), priceKrw + feeKrw];
    const { rows } = await database.query<{ fence: number; at: Date; ends_at: Date }>(
      statement,
      [
        ...[eventId, seatNo, userId, id, number, slotId, line, feeKrw, totalKrw, key, fingerprintOf(body)],
        ...[holdTimes.holdMs, ticketingTopicPartitions],
      ],
      { prepare: true },
    );
    const [held] = rows;
    return {
      ...{ id, reservationNumber: number, eventId, status: 'pending', paymentStatus: 'none' },
      ...{ seats: [{ seatId, section, row, label, grade: 'VIP', priceKrw }], items: [], feeKrw, totalKrw },
      ...{ expiresAt: held?.ends_at, fence: held?.fence, createdAt: held?.at },
    };
  }

  app.post('/api/seats/reserve', async (request, reply) => {
    const userId = request.user?.userId;
    if (userId === undefined) return reply.code(401).send();
    // Only the benchmark calls it, with what it has signed.
    const body = request.body as Body;
    if (order.kind === 'unchecked') return reply.code(201).send(await holdUnchecked(userId, body));
    const { eventId } = body;
    const [seatId] = body.seatIds;
    if (order.kind === 'redis') await redis.command('GET', `bench:taken:${eventId}:${seatId}`);
    else {
      const waits = order.kind === 'three-phases-waiting';
      const wanted = { eventId, seatId, userId, token: ids.next() };
      if (await holdInThreePhases({ database, redis, waits }, wanted)) return reply.code(201).send(wanted);
    }
    return reply.code(409).header('content-type', 'application/problem+json; charset=utf-8').send(order.refusal);
  });
  process.send?.(await app.listen({ host: '127.0.0.1', port: 0 }));
});

process.once('disconnect', () => process.exit());
