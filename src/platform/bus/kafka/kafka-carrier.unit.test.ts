import { NetworkError } from '@platformatic/kafka';
import { afterEach, describe, expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { eventually } from '#test/kit/faults.ts';
import { type Lane, laneKey, type OutboxRow } from '../outbox.ts';
import { createKafkaCarrier } from './kafka-carrier.ts';
import type { KafkaCarrierOptions } from './kafka-carrier-options.ts';
import type { TopicLook } from './kafka-catalogue.ts';
import type { KafkaProducer, KafkaRecord, Verdict } from './kafka-producer.ts';
import type { Failure } from './kafka-verdicts.ts';

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closings.splice(0).map((close) => close()));
});

/** One row in each of these lanes, and a Kafka that answers as the test says. */
function aCarrier({
  answer = () => null,
  look = () => ({ id: 'id', partitions: 3 }),
  makeTopic = async () => {},
}: {
  answer?: (lanes: ReadonlySet<string>) => Promise<Failure | null> | Failure | null;
  look?: () => TopicLook;
  makeTopic?: () => Promise<void>;
}) {
  const lanes = ['one', 'two', 'three'].map((topic, partition): Lane => ({ topic, partition, topicId: 'id' }));
  const left = new Map(lanes.map(({ topic, partition }, id) => [id, aRow({ id, topic, partition })]));
  const stuck: string[] = [];
  async function query(text: string, values: readonly unknown[] = []) {
    let rows: unknown[] = [];
    if (text.includes('SELECT o.id')) {
      const topics = values[0] as string[];
      rows = [...left.values()].filter(({ topic }) => topics.includes(topic));
    } else if (text.includes('SET published_at')) for (const id of values[0] as number[]) left.delete(id);
    else if (text.includes('SET topic_id')) rows = [{ topic_id: 'id' }];
    else throw new Error(`no answer to ${text}`);
    return { rows, rowCount: rows.length };
  }
  const producer: KafkaProducer = {
    async produce(records: readonly KafkaRecord[]) {
      const keys = new Set(records.map(laneKey));
      const failure = await answer(keys);
      return new Map([...keys].map((key): [string, Verdict] => [key, { sent: failure === null ? 1 : 0, failure }]));
    },
    close: async () => {},
  };
  const options: KafkaCarrierOptions = {
    control: { query: query as Queryable['query'] },
    catalogue: { look: async (topics) => new Map(topics.map((topic) => [topic, look()])) },
    declared: new Set(),
    makeTopic,
    createProducer: () => producer,
    logger: silentLogger,
    observe: { topicStuck: (topic, reason) => void stuck.push(`${topic}: ${reason}`) },
    failpoint: async () => {},
  };
  const carrier = createKafkaCarrier(options);
  closings.push(() => carrier.close());
  return { carrier, lanes, stuck, waiting: () => [...left.values()].map(({ topic }) => topic) };
}

function aRow(row: { id: number; topic: string; partition: number }): OutboxRow {
  return { ...row, key: 'key', value: '{}', raw: null, headers: null, bytes: 2, held: false };
}

const withinMs = 20_000;
const unanswered: Failure = { kind: 'unanswered', reason: 'no answer' };

describe('lanes that Kafka is sent', () => {
  test('one whose requests are never answered does not keep the others', async () => {
    const { carrier, lanes, waiting } = aCarrier({ answer: (keys) => (keys.has('two 1') ? unanswered : null) });
    await eventually(
      async () => {
        await carrier.carry(lanes);
        return waiting().join() === 'two';
      },
      { withinMs, what: 'the rows of the other lanes to be marked' },
    );
  });

  test('a partition is given away only when a lane of it that is tried alone has nothing under way', async () => {
    const alone = Promise.withResolvers<void>();
    const held = Promise.withResolvers<Failure | null>();
    const { carrier, lanes } = aCarrier({
      answer(keys) {
        if (keys.size > 1) return { kind: 'stuck', reason: 'not now' };
        alone.resolve();
        return held.promise;
      },
    });
    await carrier.carry(lanes);
    await alone.promise;
    let released = false;
    const release = carrier.release?.(1).then(() => {
      released = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const early = released;
    held.resolve(null);
    await release;
    expect(early).toBe(false);
    expect(released).toBe(true);
  });
});

describe('a lane whose topic cannot be made', () => {
  const refusing = (error: Error) => aCarrier({ look: () => null, makeTopic: () => Promise.reject(error) });

  test('is told with the reason, whatever it is', async () => {
    const { carrier, lanes, stuck } = refusing(new Error('a policy forbids it'));
    await carrier.carry(lanes);
    await eventually(() => stuck.length >= 3, { withinMs, what: 'the topics to be told' });
    expect(stuck).toEqual(['one', 'two', 'three'].map((topic) => `${topic}: a policy forbids it`));
  });

  test.each([
    ['the broker is away', platformErrors.fault('BUS_UNAVAILABLE', { cause: new NetworkError('gone') })],
    ['the broker closes the connection', new NetworkError('gone')],
    ['the database is away', platformErrors.fault('DATABASE_UNAVAILABLE')],
  ])('is not told while %s: that is no fault of the topic', async (_, error) => {
    let tries = 0;
    const { carrier, lanes, stuck } = aCarrier({
      look: () => null,
      makeTopic() {
        tries += 1;
        return Promise.reject(error);
      },
    });
    await carrier.carry(lanes);
    await eventually(() => tries >= 6, { withinMs, what: 'each lane to be tried twice' });
    expect(stuck).toEqual([]);
  });
});
