import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { laneKey } from '../outbox.ts';
import type { KafkaProducer, KafkaRecord, Verdict } from './kafka-producer.ts';
import { createKafkaSender } from './kafka-sender.ts';
import type { Failure } from './kafka-verdicts.ts';

const refused: Failure = { kind: 'refused', reason: 'too large' };
const record = (value: string): KafkaRecord => ({ topic: 'topic', partition: 0, key: 'key', value, headers: null });

const timeoutMs = 50;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A broker that answers each request when the test says so. */
function aSlowBroker() {
  const requests: string[][] = [];
  let answer = (_failure: Failure | null) => {};
  const producer: KafkaProducer = {
    async produce(records) {
      requests.push(records.map(({ value }) => String(value)));
      const { promise, resolve } = Promise.withResolvers<Failure | null>();
      answer = resolve;
      const failure = await promise;
      const sent = failure === null ? records.length : 0;
      return new Map(records.map((one): [string, Verdict] => [laneKey(one), { sent, failure }]));
    },
    close: async () => {},
  };
  const sender = createKafkaSender({ brokers: [], clientId: 'test', timeoutMs }, producer);
  return {
    requests,
    send: (value: string) =>
      sender.send([record(value)]).then(
        () => 'sent',
        (error: { code: string }) => error.code,
      ),
    async answer(failure: Failure | null = null) {
      answer(failure);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const away = 'BUS_UNAVAILABLE';

test('a call that waited until its caller was told of a failure is not sent any more', async () => {
  const broker = aSlowBroker();
  const calls = ['first', 'late', 'late too'].map(broker.send);
  vi.advanceTimersByTime(timeoutMs);
  expect(await Promise.all(calls)).toEqual([away, away, away]);
  const fresh = broker.send('fresh');
  await broker.answer();
  await broker.answer();
  expect(await fresh).toBe('sent');
  expect(broker.requests).toEqual([['first'], ['fresh']]);
});

test('nor is it sent again alone, when what it shared a request with was refused', async () => {
  const broker = aSlowBroker();
  const calls = ['first', 'one', 'other'].map(broker.send);
  await broker.answer();
  vi.advanceTimersByTime(timeoutMs);
  expect(await Promise.all(calls)).toEqual(['sent', away, away]);
  const fresh = broker.send('fresh');
  await broker.answer(refused);
  await broker.answer();
  expect(broker.requests).toEqual([['first'], ['one', 'other'], ['fresh']]);
  expect(await fresh).toBe('sent');
});
