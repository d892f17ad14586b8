import { createServer } from 'node:net';
import { CreateQueueCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { systemRandom } from '#platform/random.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { anSqsQueue, type SqsQueue } from '#test/kit/engines/sqs.ts';
import { eventually } from '#test/kit/faults.ts';
import type { AdmissionNotice } from '../deps.ts';
import type { NoticeLimits } from './notice-buffer.ts';
import { createSqsNotices } from './sqs-notices.ts';

const quickLimits: Partial<NoticeLimits> = { backOffMs: { first: 20, max: 100 }, flushMs: 300 };
const soon = { withinMs: 60_000, what: 'the notices to arrive' };

function aSender(queue: Pick<SqsQueue, 'endpoint' | 'queueUrl'>, limits: Partial<NoticeLimits> = {}) {
  const metrics = createMetrics();
  const logged: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void logged.push(line) } });
  const notices = createSqsNotices({
    ...{ queueUrl: queue.queueUrl, endpoint: queue.endpoint },
    ...{ clock: systemClock, random: systemRandom, logger, metrics, limits: { ...quickLimits, ...limits } },
  });
  atEnd(() => notices.stop());
  return {
    notices,
    logged: () => logged.map((line) => (JSON.parse(line) as { msg: string }).msg),
    async counted(outcome: string) {
      const { values } = (await metrics.registry.getSingleMetric('urr_queue_notices_total')?.get()) ?? { values: [] };
      return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
    },
  };
}

function aNotice(eventId: string, userId: string): AdmissionNotice {
  return { eventId, userId, entryToken: `token-of-${userId}`, atMs: Date.now() };
}

async function usersOf(queue: SqsQueue, eventId: string): Promise<string[]> {
  const messages = await queue.messages();
  return messages
    .filter(({ group }) => group === eventId)
    .map(({ body }) => (JSON.parse(body) as { userId: string }).userId);
}

const users = (count: number, prefix = 'user') => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

test('each admission is one message, in order within its event', async () => {
  const queue = await anSqsQueue();
  const { notices, counted } = aSender(queue);
  const people = users(45);
  for (const userId of people) {
    notices.admitted(aNotice('event-a', userId));
    notices.admitted(aNotice('event-b', userId));
  }
  await eventually(async () => (await queue.messages()).length === 90, soon);
  expect(await usersOf(queue, 'event-a')).toEqual(people);
  expect(await usersOf(queue, 'event-b')).toEqual(people);
  const [first] = await queue.messages();
  expect(JSON.parse(first?.body ?? '')).toEqual({
    action: 'admitted',
    eventId: first?.group,
    userId: 'user-0',
    entryToken: 'token-of-user-0',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
  await eventually(async () => (await counted('sent')) === 90, soon);
});

test('a user is told once per event, no matter who says it and how often', async () => {
  const queue = await anSqsQueue();
  const [one, other] = [aSender(queue), aSender(queue)];
  one.notices.admitted(aNotice('event', 'ann'));
  one.notices.admitted(aNotice('event', 'ann'));
  other.notices.admitted(aNotice('event', 'ann'));
  other.notices.admitted(aNotice('other-event', 'ann'));
  await eventually(async () => (await one.counted('sent')) === 2 && (await other.counted('sent')) === 2, soon);
  expect(await usersOf(queue, 'event')).toEqual(['ann']);
  expect(await usersOf(queue, 'other-event')).toEqual(['ann']);
});

test('with SQS away telling costs nothing, and when it is back all arrive in order', async () => {
  const queue = await anSqsQueue();
  const { notices, logged, counted } = aSender(queue);
  notices.admitted(aNotice('event', 'before'));
  await eventually(async () => (await counted('sent')) === 1, soon);

  await queue.stop();
  const people = users(35);
  for (const userId of people) notices.admitted(aNotice('event', userId));
  await eventually(() => logged().length > 0, soon);
  expect(await counted('sent')).toBe(1);

  await queue.start();
  await eventually(async () => (await counted('sent')) === 36, soon);
  expect(await usersOf(queue, 'event')).toEqual(people);
  expect(logged()).toEqual([
    'admission notices cannot be sent; they are kept for a while',
    'admission notices are sent again',
  ]);
});

test('the buffer is bounded: the oldest are dropped and counted, the newest arrive', async () => {
  const queue = await anSqsQueue({ started: false });
  const { notices, counted } = aSender(queue, { bufferMax: 20 });
  const people = users(1_000);
  for (const userId of people) notices.admitted(aNotice('event', userId));
  expect(await counted('full')).toBe(980);
  await queue.start();
  await eventually(async () => (await counted('sent')) === 20, soon);
  expect(await usersOf(queue, 'event')).toEqual(people.slice(-20));
});

test('a queue that is not there is an outage too, and ends when somebody makes it', async () => {
  const queue = await anSqsQueue();
  const { notices, counted, logged } = aSender({ ...queue, queueUrl: queue.queueUrl.replace('admissions', 'unknown') });
  notices.admitted(aNotice('event', 'ann'));
  await eventually(() => logged().length > 0, soon);
  await queue.client.send(new CreateQueueCommand({ QueueName: 'unknown.fifo', Attributes: { FifoQueue: 'true' } }));
  await eventually(async () => (await counted('sent')) === 1, soon);
});

test('an SQS that takes the connection and never answers keeps nobody from stopping', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  atEnd(async () => silent.close());
  const address = silent.address();
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const { notices, counted, logged } = aSender({ endpoint, queueUrl: `${endpoint}/000000000000/silent.fifo` });
  for (const userId of users(25)) notices.admitted(aNotice('event', userId));
  const connected = () => new Promise<boolean>((done) => silent.getConnections((_, count) => done(count > 0)));
  await eventually(connected, { withinMs: 60_000, what: 'the notices to be on their way' });
  await notices.stop();
  expect(await counted('stopped')).toBe(25);
  // Had it waited for the end of the call, that would have been an outage, and said so.
  expect(logged()).toEqual(['admission notices were not sent before the stop']);
  notices.admitted(aNotice('event', 'late'));
  expect(await counted('stopped')).toBe(26);
});

test('what is in the buffer at the stop is still sent', async () => {
  const queue = await anSqsQueue();
  const { notices } = aSender(queue, { flushMs: 10_000 });
  const people = users(33);
  for (const userId of people) notices.admitted(aNotice('event', userId));
  await notices.stop();
  expect(await usersOf(queue, 'event')).toEqual(people);
});
