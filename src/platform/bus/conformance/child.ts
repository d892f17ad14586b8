import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { createEmbeddedBus } from '../embedded/embedded-bus.ts';
import { createKafkaBus } from '../kafka/kafka-bus.ts';
import type { BusOptions } from '../options.ts';
import { aTopic, recorder } from './records.ts';
import { tellsWhenIdle } from './under-way.ts';

/**
 * A process that runs one relay and one consumer and kills itself, as kill -9 would, when it comes by a failpoint for
 * the nth time; or freezes itself (SIGSTOP), goes on when it is woken, and says when nothing is left of what it was at.
 * Started by the conformance suite with its orders in the environment.
 */
const { URR_DATABASE_URL: url = '', URR_KAFKA_BROKERS: brokers = '' } = process.env;
const {
  CHILD_TOPIC: topicName = '',
  CHILD_GROUP: group = '',
  CHILD_FAILPOINT: failpoint,
  CHILD_AT: at = '1',
  CHILD_SIGNAL: signal = 'SIGKILL',
  CHILD_RELAY: relay = 'true',
} = process.env;

const topic = aTopic(topicName);
let passed = 0;
let wasWoken = false;
const options: BusOptions = {
  database: tellsWhenIdle(createDatabase({ url, poolMax: 5, connectTimeoutMs: 60_000 }), () => {
    if (wasWoken) process.send?.('idle');
  }),
  topics: [topic],
  relay: relay === 'true',
  clock: systemClock,
  ids: createIds({ clock: systemClock, random: systemRandom }),
  async failpoint(point) {
    if (point !== failpoint) return;
    passed += 1;
    if (passed < Number(at)) return;
    if (signal === 'SIGSTOP') return freezeOnce();
    process.kill(process.pid, 'SIGKILL');
    // The signal is on its way; nothing after this point may run.
    await new Promise(() => {});
  },
};

/** Says so first: the message is out before the process stops. */
async function freezeOnce(): Promise<void> {
  if (passed > Number(at)) return;
  await new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send('frozen', () => resolve());
  });
  process.kill(process.pid, 'SIGSTOP');
  // The signal may take a moment to arrive; nothing may run before it has.
  await new Promise((resolve) => setTimeout(resolve, 50));
  wasWoken = true;
}

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
if (group !== '') {
  // One transaction per event, so that the nth time at a failpoint is the nth event.
  await bus.consume(recorder(topic, group, { mode: 'single', batchSizeMax: 1, handlerTimeoutMs: 2_000 }));
}
process.send?.('running');
