import { Admin } from '@platformatic/kafka';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { migrate, platformMigrations } from '#platform/postgres/migrate.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { sharedEngine } from '#test/kit/engines/shared.ts';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { connectTimeoutMs } from '../conformance/harness.ts';
import { aGroup, aTopic, type Counted, range, recorder, type TestTopic } from '../conformance/records.ts';
import type { ConsumerDeclaration } from '../port.ts';
import { createKafkaBus } from './kafka-bus.ts';
import { connectionOptions, kafkaGroup } from './kafka-options.ts';

const withinMs = 90_000;

describeWith('kafka', 'a topic that is not what it was', async () => {
  const { url } = await aDatabase();
  const database = createDatabase({ url, poolMax: 8, connectTimeoutMs });
  const { brokers } = await sharedEngine('kafka');
  const connection = { brokers: brokers.split(','), clientId: 'test' };
  const admin = new Admin(connectionOptions(connection));
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    await migrate(database, [platformMigrations]);
    await database.query(
      'CREATE TABLE IF NOT EXISTS urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
    );
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });
  afterAll(async () => {
    await admin.close();
    await database.close();
  });

  async function aBus(topic: TestTopic, group = aGroup()) {
    const log = aLog();
    const replaced: string[] = [];
    const bus = createKafkaBus({
      ...connection,
      database,
      topics: [topic],
      clock: systemClock,
      ids: createIds({ clock: systemClock, random: systemRandom }),
      logger: log.logger,
      observe: { topicReplaced: (name) => replaced.push(name) },
      replication: 1,
      sessionTimeoutMs: 6_000,
      relay: false,
    });
    await bus.start();
    stops.push(() => bus.stop());
    type Declared = Partial<ConsumerDeclaration> & { before?: (event: Counted) => Promise<void> };
    return {
      group,
      replaced,
      log,
      consume: (declared: Declared = {}) => bus.consume(recorder(topic, group, declared)),
      async publish(numbers: readonly number[]) {
        const events = numbers.map((n) => ({ type: 'COUNTED' as const, key: `key-${n % 3}`, data: { n } }));
        // A topic that was made a moment ago has no leader yet.
        await eventually(() => bus.publishNow(topic, events), { withinMs, what: 'the broker to take the events' });
      },
      async numbers() {
        const { rows } = await database.query<{ n: number }>(
          'SELECT n FROM urr.test_effects WHERE consumer_group = $1 ORDER BY id',
          [group],
        );
        return rows.map(({ n }) => n);
      },
    };
  }

  async function remake(topic: TestTopic, partitions = topic.partitions): Promise<void> {
    await admin.deleteTopics({ topics: [topic.name] });
    await eventually(
      async () => {
        await admin
          .createTopics({ topics: [topic.name], partitions, replicas: 1 })
          // A consumer that lost it makes it again, too.
          .catch((error: unknown) => {
            if (!String(error instanceof Error ? (error.cause ?? error.message) : error).includes('exists'))
              throw error;
          });
      },
      { withinMs, what: 'the topic to be there again' },
    );
  }

  async function has(bus: { numbers(): Promise<number[]> }, numbers: readonly number[]): Promise<void> {
    await eventually(
      async () => {
        const found = new Set(await bus.numbers());
        return numbers.every((n) => found.has(n));
      },
      { withinMs, what: `the effects of ${numbers[0]} to ${numbers.at(-1)}` },
    );
  }

  for (const [state, partitions] of [
    ['an idle consumer', 1],
    ['an idle consumer, with more partitions', 3],
  ] as const) {
    test(`a topic made again under ${state} is read from its beginning, and that is said`, async () => {
      const topic = aTopic(undefined, 1);
      const bus = await aBus(topic);
      await bus.consume();
      for (let round = 0; round < 3; round++) {
        const first = round * 30 + 1;
        await bus.publish(range(first, first + 9));
        await has(bus, range(first, first + 9));
        await remake(topic, partitions);
        await bus.publish(range(first + 10, first + 29));
        await has(bus, range(first + 10, first + 29));
      }
      expect(await bus.numbers()).toHaveLength(90);
      expect(bus.replaced.length).toBeGreaterThan(0);
      expect(bus.log.lines()).toContain('a topic was deleted and made again; this group reads it from its beginning');
    });
  }

  test('a topic made again under a busy consumer with a full buffer loses none of its new messages', async () => {
    const topic = aTopic(undefined, 1);
    const bus = await aBus(topic);
    const slow = Promise.withResolvers<void>();
    const inHand = Promise.withResolvers<void>();
    await bus.consume({
      mode: 'single',
      before: async ({ data }) => {
        if (data.n !== 20) return;
        inHand.resolve();
        await slow.promise;
      },
    });
    await bus.publish(range(1, 300));
    await inHand.promise;
    await remake(topic);
    await bus.publish(range(301, 600));
    slow.resolve();
    await has(bus, range(301, 600));
    const numbers = await bus.numbers();
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const key of [0, 1, 2]) {
      const ofKey = numbers.filter((n) => n % 3 === key && n > 300);
      expect(ofKey).toEqual([...ofKey].sort((one, other) => one - other));
    }
  });

  test('a topic made again under two members of a group, one of them busy, loses none of its new messages', async () => {
    const topic = aTopic();
    const one = await aBus(topic);
    const other = await aBus(topic, one.group);
    const slow = Promise.withResolvers<void>();
    const before = ({ data }: Counted) => (data.n === 20 ? slow.promise : Promise.resolve());
    // Apart: an event that shares its transaction with the slow one would have its effect only when the handler's 20 s are over.
    const declared = { mode: 'single', batchSizeMax: 1, before } as const;
    await one.consume(declared);
    await other.consume(declared);
    await one.publish(range(1, 200));
    await has(one, range(1, 10));
    await remake(topic);
    await one.publish(range(201, 300));
    slow.resolve();
    await other.publish(range(301, 400));
    await has(one, range(201, 400));
    const numbers = await one.numbers();
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(one.replaced.length + other.replaced.length).toBeGreaterThan(0);
  });

  test('an offset of the old topic that was committed after the new one was made does not skip its messages', async () => {
    const topic = aTopic(undefined, 1);
    const bus = await aBus(topic);
    const stop = await bus.consume();
    await bus.publish(range(1, 10));
    await has(bus, range(1, 10));
    await stop();
    await remake(topic);
    await bus.publish(range(11, 30));
    const groupId = kafkaGroup({ group: bus.group, topic: topic.name });
    await admin.alterConsumerGroupOffsets({
      groupId,
      topics: [{ name: topic.name, partitionOffsets: [{ partition: 0, offset: 10n }] }],
    });
    await bus.consume();
    await has(bus, range(11, 30));
    expect(bus.replaced).toEqual([topic.name]);
  });

  test('messages that were deleted before the group had them are said to be gone', async () => {
    const topic = aTopic(undefined, 1);
    const bus = await aBus(topic);
    const stop = await bus.consume();
    await bus.publish(range(1, 5));
    await has(bus, range(1, 5));
    await stop();
    await bus.publish(range(6, 20));
    await admin.deleteRecords({ topics: [{ name: topic.name, partitions: [{ partition: 0, offset: 10n }] }] });
    await bus.consume();
    await has(bus, range(11, 20));
    expect(bus.log.lines()).toContain(
      'an offset of a group is not in its topic; it reads from the earliest message that is there',
    );
    expect(bus.replaced).toEqual([]);
  });

  test('a dead-letter topic with fewer partitions than its topic grows', async () => {
    const topic = aTopic();
    await admin.createTopics({ topics: [`${topic.name}-dead`], partitions: 1, replicas: 1 });
    const bus = await aBus(topic);
    await bus.consume();
    await bus.publish(range(1, 5));
    await has(bus, range(1, 5));
    const { topics } = await admin.metadata({ topics: [`${topic.name}-dead`], forceUpdate: true });
    expect(topics.get(`${topic.name}-dead`)?.partitionsCount).toBe(3);
  });
});
