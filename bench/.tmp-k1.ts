import { aGroup, aTopic, recorder } from '#platform/bus/conformance/records.ts';
import { createKafkaBus } from '#platform/bus/kafka/kafka-bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { startPostgres } from '#test/kit/engines/postgres.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';

const t0 = performance.now();
const log = (m: string) => console.log(((performance.now() - t0) / 1000).toFixed(2), m);
const postgres = await startPostgres({ dir: await aFolder('p') });
const kafka = await startKafka({ dir: await aFolder('k') });
const database = createDatabase({ url: postgres.url, poolMax: 20 });
await migrate(database, [platformMigrations]);
await database.query(
  'CREATE TABLE IF NOT EXISTS urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
);
const topic = aTopic();
const group = aGroup();
const bus = createKafkaBus({
  database,
  topics: [topic],
  clock: systemClock,
  ids: createIds({ clock: systemClock, random: systemRandom }),
  logger: createLogger({ level: 'debug' }),
  brokers: [kafka.brokers],
  clientId: 'x',
  replication: 1,
  sessionTimeoutMs: 6000,
});
await bus.start();
await bus.consume(recorder(topic, group, { before: (e) => log('effect ' + e.data.n) }));
const pub = (n: number) => bus.publishNow(topic, [{ type: 'COUNTED', key: 'k', data: { n } }]);
await pub(1);
log('pub1');
await new Promise((r) => setTimeout(r, 1500));
if (process.argv[2] === 'pause') {
  await kafka.pause();
  log('paused');
  await pub(2).then(
    () => log('ok??'),
    (e) => log('err ' + e.code),
  );
  await pub(2).then(
    () => log('ok??'),
    (e) => log('err ' + e.code),
  );
  await kafka.resume();
  log('resumed');
} else {
  await kafka.stop();
  log('stopped');
  await pub(2).catch((e) => log('err ' + e.code));
  await kafka.restart();
  log('restarted');
}
for (;;) {
  try {
    await pub(3);
    log('pub3 ok');
    break;
  } catch (e) {
    log('pub3 ' + (e as Error).cause);
  }
  await new Promise((r) => setTimeout(r, 100));
}
await new Promise((r) => setTimeout(r, Number(process.argv[3] ?? 30000)));
await bus.stop();
log('bus stopped');
await database.close();
await kafka.stop();
await postgres.stop();
