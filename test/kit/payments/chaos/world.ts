import type { Database } from '#platform/postgres/database.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { atEnd } from '#test/kit/at-end.ts';
import type { Engine } from '#test/kit/engines/engine.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { runUrr } from '#test/kit/processes.ts';
import { aShowOnSale } from '#test/kit/queue/show.ts';
import { hasSeats } from '#test/kit/ticketing/counts.ts';
import { seatIdsOf } from '#test/kit/ticketing/seat-ids.ts';
import type { EngineName } from './plan.ts';
import { createRoles, type Roles } from './roles.ts';

/** Engines and processes of a run's own, and a show that people buy seats of. */
export interface World {
  readonly engines: Readonly<Record<EngineName, Engine>>;
  readonly roles: Roles;
  /** Works whenever PostgreSQL does. */
  readonly database: Database;
  readonly eventId: string;
  readonly seatIds: readonly string[];
}

const wide = Object.fromEntries(
  ['POLL', 'RESERVE', 'CONFIRM', 'WEBHOOK'].map((name) => [`URR_RATE_${name}_PER_MINUTE`, '1000000']),
);
const layout = { sections: 10, rows: 10, seats: 20 };

export async function makeWorld(): Promise<World> {
  const [kafka, redis, postgres] = await Promise.all([
    aFolder('chaos-kafka').then((dir) => startKafka({ dir })),
    aFolder('chaos-redis').then((dir) => startRedis({ dir })),
    aFolder('chaos-postgres').then((dir) => startPostgres({ dir })),
  ]);
  for (const engine of [kafka, redis, postgres]) atEnd(() => engine.stop());
  const { url } = postgres;
  const engines = { URR_DATABASE_URL: url, URR_REDIS_URL: redis.url, URR_KAFKA_BROKERS: kafka.brokers };
  const migrated = await runUrr(['migrate'], engines);
  if (migrated.code !== 0) throw new Error(`the database was not migrated: ${migrated.output}`);
  const database = createDatabase({ url, poolMax: 4, connectTimeoutMs: 30_000, statementTimeoutMs: 60_000 });
  atEnd(() => database.close());
  await keepWhatIsTold(database);
  const roles = await createRoles({ ...wide, ...engines });
  await roles.untilReady();
  const eventId = await eventually(() => aShowOnSale(roles.url, {}, layout), { withinMs: 60_000, what: 'a show' });
  await eventually(() => hasSeats(database, eventId), { withinMs: 60_000, what: 'the seats to be built' });
  return { engines: { kafka, redis, postgres }, roles, database, eventId, seatIds: seatIdsOf(layout) };
}

/** The outbox forgets what was delivered an hour ago, and the clock is put forward by more than that. */
async function keepWhatIsTold(database: Database): Promise<void> {
  await database.query(`CREATE SCHEMA chaos`);
  await database.query(`CREATE TABLE chaos.told (topic text NOT NULL, event_id uuid NOT NULL)`);
  await database.query(`CREATE FUNCTION chaos.keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO chaos.told VALUES (NEW.topic, NEW.event_id); RETURN NULL; END $$`);
  await database.query('CREATE TRIGGER keep AFTER INSERT ON urr.outbox FOR EACH ROW EXECUTE FUNCTION chaos.keep()');
}
