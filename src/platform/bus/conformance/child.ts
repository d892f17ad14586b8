import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { createEmbeddedBus } from '../embedded/embedded-bus.ts';
import { createKafkaBus } from '../kafka/kafka-bus.ts';
import type { BusOptions } from '../options.ts';
import { aTopic, recorder } from './records.ts';

/**
 * A process that runs one relay and one consumer and kills itself, as kill -9 would, when it comes by a failpoint for
 * the nth time. Started by the conformance suite with its orders in the environment.
 */
const { URR_DATABASE_URL: url = '', URR_KAFKA_BROKERS: brokers = '' } = process.env;
const {
  CHILD_TOPIC: topicName = '',
  CHILD_GROUP: group = '',
  CHILD_FAILPOINT: failpoint,
  CHILD_AT: at = '1',
} = process.env;

const topic = aTopic(topicName);
let passed = 0;
const options: BusOptions = {
  database: createDatabase({ url, poolMax: 5 }),
  topics: [topic],
  clock: systemClock,
  ids: createIds({ clock: systemClock, random: systemRandom }),
  async failpoint(point) {
    if (point !== failpoint) return;
    passed += 1;
    if (passed < Number(at)) return;
    process.kill(process.pid, 'SIGKILL');
    // The signal is on its way; nothing after this point may run.
    await new Promise(() => {});
  },
};
const bus =
  brokers === ''
    ? createEmbeddedBus(options)
    : createKafkaBus({
        ...options,
        brokers: brokers.split(','),
        clientId: 'child',
        replication: 1,
        sessionTimeoutMs: 6_000,
      });
await bus.start();
if (group !== '') await bus.consume(recorder(topic, group, { mode: 'single' }));
process.send?.('running');
