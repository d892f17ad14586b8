import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import {
  type CallbackWithPromise,
  type Consumer as KafkaClient,
  type Message as KafkaMessage,
  NetworkError,
  ProtocolError,
} from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { aDeclaration, aGroup, aTopic, range, recorder } from '../conformance/records.ts';
import { createMessages } from '../message.ts';
import { defineConsumer } from '../port.ts';
import { startKafkaConsumer } from './kafka-consumer.ts';

const withinMs = 20_000;

/** A consumer whose every try to reach its topic fails like this. */
async function failing(error: Error) {
  const { logger, lines } = aLog();
  const outages: string[] = [];
  let tries = 0;
  const consumer = startKafkaConsumer({
    consumer: recorder(aTopic(), aGroup()),
    kafka: { brokers: [], clientId: 'test' },
    prepare() {
      tries += 1;
      return Promise.reject(error);
    },
    logger,
    observe: { failed: (_: unknown, kind: string) => void outages.push(kind) },
  } as unknown as Parameters<typeof startKafkaConsumer>[0]);
  await eventually(() => tries >= 2, { withinMs, what: 'a second try' });
  await consumer.stop();
  return { outages, lines: lines() };
}

test.each([
  ['does not answer', platformErrors.fault('BUS_UNAVAILABLE')],
  ['cannot be connected to', platformErrors.fault('BUS_UNAVAILABLE', { cause: new NetworkError('refused') })],
])('a broker that %s counts as an outage at each try', async (_, error) => {
  const { outages, lines } = await failing(error);
  expect(outages.length).toBeGreaterThan(0);
  expect(new Set(outages)).toEqual(new Set(['outage']));
  expect(lines).toEqual(['a consumer lost the broker and connects again']);
});

test('a broker that answers, but not as it should, is not said to be lost', async () => {
  const cause = new ProtocolError('TOPIC_AUTHORIZATION_FAILED');
  const { outages, lines } = await failing(platformErrors.fault('BUS_UNAVAILABLE', { cause }));
  expect(outages).toEqual([]);
  expect(lines).toEqual(['a consumer cannot go on and joins its group anew']);
});

/** The calls of the library's client that a membership makes, and the stream that it reads. */
class PlayedClient extends EventEmitter {
  closed = false;
  readonly stream = new Readable({ objectMode: true, read() {} });
  readonly committed: bigint[] = [];
  readonly #topic: { name: string; id: string };

  constructor(topic: { name: string; id: string }) {
    super();
    this.#topic = topic;
  }

  metadata() {
    const { name, id } = this.#topic;
    return Promise.resolve({ topics: new Map([[name, { id, partitionsCount: 1 }]]) });
  }
  consume() {
    return Promise.resolve(this.stream);
  }
  fetch(_options: unknown, callback: CallbackWithPromise<unknown>) {
    const error = new ProtocolError('OFFSET_OUT_OF_RANGE');
    const response = { responses: [{ partitions: [{ partitionIndex: 0, errorCode: 1 }] }] };
    callback(Object.assign(error, { response }), undefined);
  }
  listOffsets() {
    return Promise.resolve(new Map([[this.#topic.name, [0n]]]));
  }
  listCommittedOffsets() {
    return Promise.resolve(new Map());
  }
  commit({ offsets }: { offsets: { offset: bigint }[] }) {
    this.committed.push(...offsets.map(({ offset }) => offset));
    return Promise.resolve();
  }
  close() {
    this.closed = true;
    this.stream.destroy();
    return Promise.resolve();
  }
}

/** A consumer of a topic with one partition. Its group has no inbox: what is handed over twice is handled twice. */
async function aMember({ recordedTopicId = 'first' } = {}) {
  const topic = aTopic(undefined, 1);
  const messages = createMessages({
    topics: [topic],
    clock: systemClock,
    ids: createIds({ clock: systemClock, random: systemRandom }),
  });
  const { logger, lines } = aLog('info');
  const handled: number[] = [];
  const clients: PlayedClient[] = [];
  const broker = { topicId: 'first', recordedTopicId };
  const member = startKafkaConsumer({
    consumer: defineConsumer({
      declaration: aDeclaration(topic, aGroup(), { commit: 'auto', deadLetter: null }),
      handle: async (events) => void handled.push(...events.map(({ data }) => data.n)),
    }),
    kafka: { brokers: [], clientId: 'test' },
    prepare: async () => {},
    createClient() {
      const client = new PlayedClient({ name: topic.name, id: broker.topicId });
      clients.push(client);
      return client as unknown as KafkaClient;
    },
    letters: null,
    messages,
    database: {
      query: async () => ({ rows: [{ topic_id: broker.recordedTopicId }] }),
      transaction: (work: (tx: unknown) => Promise<unknown>) => work({}),
    },
    clock: systemClock,
    logger,
    observe: {},
    failpoint: async () => {},
  } as unknown as Parameters<typeof startKafkaConsumer>[0]);
  const hasHandled = (numbers: readonly number[]) =>
    eventually(() => handled.length >= numbers.length, { withinMs, what: `the messages ${numbers.join()}` });
  return {
    broker,
    handled,
    lines,
    hasHandled,
    stop: member.stop,
    /** The client of this membership, when it has joined. */
    async membership(number: number): Promise<PlayedClient> {
      await eventually(() => (clients[number - 1]?.stream.listenerCount('readable') ?? 0) > 0, {
        withinMs,
        what: `membership ${number}`,
      });
      return clients[number - 1] as PlayedClient;
    },
    /** The message at this offset says its number. */
    message(offset: number, n = offset): Partial<KafkaMessage> {
      const [encoded] = messages.encode(topic, [{ type: 'COUNTED', key: 'key', data: { n } }]);
      const value = Buffer.from(encoded?.value ?? '');
      return {
        topic: topic.name,
        partition: 0,
        offset: BigInt(offset),
        key: Buffer.from('key'),
        value,
        headerEntries: [],
      };
    },
  };
}

test('what a rebalance brings again is handled once', async () => {
  const member = await aMember();
  const { stream } = await member.membership(1);
  // After a rebalance the library fetches again from the last committed offset.
  for (const offset of [...range(0, 4), ...range(2, 6)]) stream.push(member.message(offset));
  await member.hasHandled(range(0, 6));
  await member.stop();
  expect(member.handled).toEqual(range(0, 6));
});

test('when the log of a partition has become shorter, its new messages at old offsets are handled', async () => {
  const member = await aMember();
  const first = await member.membership(1);
  for (const offset of range(0, 9)) first.stream.push(member.message(offset));
  await member.hasHandled(range(0, 9));
  // As the stream of the library does. It then goes on at the earliest offset by itself.
  const asked = [{ topicId: 'first', partitions: [{ partition: 0, fetchOffset: 10n }] }];
  first.fetch({ topics: asked }, () => undefined);
  for (const offset of range(0, 4)) first.stream.push(member.message(offset, 100 + offset));
  const second = await member.membership(2);
  for (const offset of range(0, 4)) second.stream.push(member.message(offset, 100 + offset));
  await member.hasHandled([...range(0, 9), ...range(100, 104)]);
  await member.stop();
  expect(member.handled).toEqual([...range(0, 9), ...range(100, 104)]);
  expect(member.lines()).toContain('a consumer joins its group anew');
});

test('a member that has read the old topic sets its group back, though another has recorded the new topic', async () => {
  const member = await aMember();
  const first = await member.membership(1);
  first.stream.push(member.message(0));
  await member.hasHandled([0]);
  await eventually(() => first.committed.length > 0, { withinMs, what: 'the offset to be committed' });
  expect(first.committed).toEqual([1n]);
  // The other member has set the group back already. What this one has committed since then came on top of that.
  member.broker.topicId = 'second';
  member.broker.recordedTopicId = 'second';
  first.stream.destroy();
  const second = await member.membership(2);
  await member.stop();
  expect(second.committed).toEqual([0n]);
});

test('a member that joins again and finds the same topic leaves the offsets of its group alone', async () => {
  const member = await aMember();
  (await member.membership(1)).stream.destroy();
  const second = await member.membership(2);
  await member.stop();
  expect(second.committed).toEqual([]);
});
