import { NetworkError, ProtocolError } from '@platformatic/kafka';
import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { eventually } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { aGroup, aTopic, recorder } from '../conformance/records.ts';
import { startKafkaConsumer } from './kafka-consumer.ts';

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
  await eventually(() => tries >= 2, { withinMs: 20_000, what: 'a second try' });
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
