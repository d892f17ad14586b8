import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { createKafkaBus } from '#platform/bus/kafka/kafka-bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { consumersOf, topicsWith } from './cast.ts';

/** One process of the chaos run: a relay, the consumers of all groups, or both, as its orders in the environment say. */
const { CHAOS_DATABASE_URL: url = '', CHAOS_BROKERS: brokers = '', CHAOS_RUNS: runs = '' } = process.env;
const topics = topicsWith(Number(process.env.CHAOS_PARTITIONS));
const logger = createLogger({ level: 'info' });
const options = {
  database: createDatabase({ url, poolMax: 12, logger }),
  topics: Object.values(topics),
  clock: systemClock,
  ids: createIds({ clock: systemClock, random: systemRandom }),
  logger,
  relay: runs.includes('relay'),
};
const bus =
  brokers === ''
    ? createEmbeddedBus(options)
    : createKafkaBus({
        ...options,
        brokers: brokers.split(','),
        clientId: 'chaos',
        replication: 1,
        sessionTimeoutMs: 6_000,
      });

// Without the run there is nobody to work for.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => {
  bus.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'the bus could not be stopped');
      process.exit(1);
    },
  );
});
await bus.start();
if (runs.includes('consumers')) for (const consumer of consumersOf(topics)) await bus.consume(consumer);
process.send?.('running');
