import { beforeAll, describe, expect, test } from 'vitest';
import { userEventsTopic } from '#modules/auth/contract.ts';
import { defineConsumer } from '#platform/bus/port.ts';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import type { Engine } from '#test/kit/engines/engine.ts';
import { type KafkaEngine, startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { type PostgresEngine, startPostgres } from '#test/kit/engines/postgres.ts';
import { type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { startLoad } from '#test/kit/load.ts';

/**
 * Engines of this file's own, because they are stopped, killed and paused under load. What is asserted: every answer is
 * clear (503 with Retry-After, never a hang or a 500), everyone who was told 201 exists with exactly one event, and the
 * program is whole again by itself.
 */
let postgres: PostgresEngine;
let redis: RedisEngine;
let kafka: KafkaEngine;
let app: TestApp;
/** Waits for no statement longer than a second: for a database that hangs. On a slow machine it would refuse what is only slow. */
let hasty: TestApp;

async function startAll(): Promise<() => Promise<void>> {
  [postgres, redis, kafka] = await Promise.all([
    aFolder('postgres').then((dir) => startPostgres({ dir })),
    aFolder('redis').then((dir) => startRedis({ dir })),
    aFolder('kafka').then((dir) => startKafka({ dir })),
  ]);
  const env = { URR_DATABASE_URL: postgres.url, URR_REDIS_URL: redis.url, URR_KAFKA_BROKERS: kafka.brokers };
  app = await startTestApp({ env: { ...env, URR_DATABASE_STATEMENT_TIMEOUT_MS: '60000' } });
  hasty = await startTestApp({ env: { ...env, URR_DATABASE_STATEMENT_TIMEOUT_MS: '1000' } });
  await database().query('CREATE TABLE outage_effects (user_id text NOT NULL)');
  await app.urr.engines.bus?.consume(
    defineConsumer({
      declaration: {
        topic: userEventsTopic,
        group: 'outage-test',
        mode: 'single',
        commit: 'manual',
        retry: { times: 3, backoffMs: 20 },
        deadLetter: null,
      },
      async handle(events, { tx }) {
        for (const event of events) await tx.query('INSERT INTO outage_effects VALUES ($1)', [event.data.userId]);
      },
    }),
  );
  return async () => {
    await Promise.all([app.stop(), hasty.stop()]);
    await Promise.all([postgres.stop(), redis.stop(), kafka.stop()]);
  };
}

const call = (path: string, body?: object, { url } = app) =>
  fetch(url + path, {
    signal: AbortSignal.timeout(120_000),
    ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });

/** Registers people one after another and remembers who was told that it worked. */
function startRegistrations(name: string, at = app) {
  const accepted: string[] = [];
  const load = startLoad({
    callers: 4,
    // More than the fastest machine sends during the slowest outage, most of them refused at once.
    requestsMax: 1_000_000,
    async send(number) {
      const email = `${name}-${number}@outage.test`;
      const response = await call('/api/auth/register', { email, password: 'long enough', name: 'Somebody' }, at);
      if (response.status === 201) accepted.push(((await response.clone().json()) as { user: { id: string } }).user.id);
      return response;
    },
  });
  return { accepted, stop: () => load.stop() };
}

const isReady = ({ url } = app) =>
  eventually(async () => (await fetch(`${url}/ready`)).ok, {
    withinMs: 60_000,
    what: 'urr to be ready again by itself',
  });

function database() {
  const { database } = app.urr.engines;
  if (database === null) throw new Error('the database is not open');
  return database;
}

async function countEffects(): Promise<Map<string, number>> {
  const { rows } = await database().query<{ id: string; times: number }>(
    'SELECT user_id AS id, count(*) AS times FROM outage_effects GROUP BY user_id',
  );
  return new Map(rows.map((row) => [row.id, row.times]));
}

async function expectEachOnce(accepted: readonly string[]): Promise<void> {
  const effects = await eventually(
    async () => {
      const counted = await countEffects();
      return accepted.every((id) => counted.has(id)) && counted;
    },
    { withinMs: 60_000, what: 'every event to arrive' },
  );
  expect([...effects].filter(([, times]) => times !== 1)).toEqual([]);
  const { rows } = await database().query<{ id: string }>('SELECT id::text AS id FROM auth.users');
  const stored = new Set(rows.map((row) => row.id));
  expect(accepted.filter((id) => !stored.has(id))).toEqual([]);
}

const outages: { what: string; during: (engine: Engine, work: () => Promise<void>) => Promise<void> }[] = [
  { what: 'stopped', during: whileStopped },
  { what: 'hanging', during: whilePaused },
  {
    what: 'killed',
    async during(engine, work) {
      await engine.kill();
      try {
        await work();
      } finally {
        await engine.restart();
      }
    },
  },
];

describeWith(['redis', 'kafka'], 'an engine goes away under load', () => {
  beforeAll(startAll);

  describe.each(outages)('PostgreSQL $what under load', ({ what, during }) => {
    test('registrations get a clear 503, nothing accepted is lost, and it recovers by itself', async () => {
      const at = what === 'hanging' ? hasty : app;
      const load = startRegistrations(`postgres-${what}`, at);
      await eventually(() => load.accepted.length >= 5, { withinMs: 60_000, what: 'the load to run' });
      await during(postgres, async () => {
        await eventually(
          async () => {
            const response = await call('/api/auth/login', { email: 'a@outage.test', password: 'x' }, at);
            const problem = (await response.json()) as { code: string };
            return (
              response.status === 503 && problem.code === 'DATABASE_UNAVAILABLE' && response.headers.has('retry-after')
            );
          },
          { withinMs: 60_000, what: 'a clear 503' },
        );
        expect((await call('/health', undefined, at)).status).toBe(200);
        expect((await call('/ready', undefined, at)).status).toBe(503);
      });
      await isReady(at);
      await isReady();
      const before = load.accepted.length;
      await eventually(() => load.accepted.length > before, { withinMs: 60_000, what: 'registrations to work again' });
      const report = await load.stop();
      expect(report.unclear).toEqual([]);
      await expectEachOnce(load.accepted);
    });
  });

  describe.each(outages)('Redis $what under load', ({ what, during }) => {
    test('nobody notices: limits are counted in this process meanwhile', async () => {
      const load = startRegistrations(`redis-${what}`);
      await eventually(() => load.accepted.length >= 5, { withinMs: 60_000, what: 'the load to run' });
      await during(redis, async () => {
        const before = load.accepted.length;
        await eventually(() => load.accepted.length >= before + 10, {
          withinMs: 60_000,
          what: 'registrations to go on',
        });
        const ready = await call('/ready');
        expect(ready.status).toBe(503);
        expect(((await ready.json()) as { checks: Record<string, string> }).checks.redis).not.toBe('ok');
      });
      await isReady();
      const report = await load.stop();
      expect([...report.statuses.keys()]).toEqual([201]);
      expect(report.unclear).toEqual([]);
    });
  });

  describe.each(outages)('Kafka $what under load', ({ what, during }) => {
    test('registrations go on, and their events arrive once when the broker is back', async () => {
      const load = startRegistrations(`kafka-${what}`);
      await eventually(() => load.accepted.length >= 5, { withinMs: 60_000, what: 'the load to run' });
      await during(kafka, async () => {
        const before = load.accepted.length;
        await eventually(() => load.accepted.length >= before + 10, {
          withinMs: 60_000,
          what: 'registrations to go on',
        });
        await eventually(async () => (await call('/ready')).status === 503, {
          withinMs: 60_000,
          what: '/ready to say so',
        });
      });
      await isReady();
      const report = await load.stop();
      expect([...report.statuses.keys()]).toEqual([201]);
      expect(report.unclear).toEqual([]);
      await expectEachOnce(load.accepted);
    });
  });
});
