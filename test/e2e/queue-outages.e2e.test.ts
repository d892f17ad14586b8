import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { type KafkaEngine, startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { anSqsQueue, type SqsQueue } from '#test/kit/engines/sqs.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { type Answered, createQueueCaller, orderIn, type QueueCaller } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';

/** Engines and processes of this file's own: they are stopped while a crowd waits. */
let redis: RedisEngine;
let kafka: KafkaEngine;
let sqs: SqsQueue;
let catalog: TestApp;
let queue: TestApp;
let front: TestApp;
let env: Record<string, string>;

const threshold = 5;

async function startAll(): Promise<() => Promise<void>> {
  [redis, kafka] = await Promise.all([
    aFolder('redis').then((dir) => startRedis({ dir })),
    aFolder('kafka').then((dir) => startKafka({ dir })),
  ]);
  sqs = await anSqsQueue();
  env = {
    URR_SQS_QUEUE_URL: sqs.queueUrl,
    URR_SQS_ENDPOINT: sqs.endpoint,
    URR_DATABASE_URL: (await aDatabase()).url,
    URR_REDIS_URL: redis.url,
    URR_KAFKA_BROKERS: kafka.brokers,
    URR_QUEUE_THRESHOLD: String(threshold),
    URR_QUEUE_ADMISSION_INTERVAL_MS: '200',
    // Nobody here sleeps, however long an engine takes to come back.
    URR_QUEUE_ABSENT_SECONDS: '600',
    URR_RATE_POLL_PER_MINUTE: '1000000',
  };
  catalog = await startTestApp({ roles: ['catalog', 'auth'], env });
  const peers = { ...env, URR_CATALOG_URL: catalog.url, URR_AUTH_URL: catalog.url };
  queue = await startTestApp({ roles: ['queue', 'queue-hot'], env: peers });
  front = await startTestApp({ roles: ['gateway'], env: { ...peers, URR_QUEUE_URL: queue.url } });
  return async () => {
    for (const app of [front, queue, catalog]) await app.stop();
    await Promise.all([redis.stop(), kafka.stop()]);
  };
}

interface Person extends SomebodySignedIn {
  ticket: string;
  readonly order: number;
}

interface Shopper extends SomebodySignedIn {
  readonly ticket: string;
  readonly token: string;
}

interface Rush {
  readonly eventId: string;
  readonly caller: QueueCaller;
  /** In slots. */
  readonly shoppers: Shopper[];
  readonly waiting: Person[];
  status(person: Person): Promise<Answered>;
}

/** An event with its slots taken and a line behind them. */
async function aRush(changes: Record<string, unknown> = {}): Promise<Rush> {
  const eventId = await eventually(() => aShowOnSale(front.url, changes), { withinMs: 60_000, what: 'a show' });
  const caller = createQueueCaller(eventId, () => front.url);
  const shoppers: Shopper[] = [];
  const waiting: Person[] = [];
  for (let n = 0; n < threshold + 20; n++) {
    const who = aSignedIn();
    // A busy process may say that it is away; entering may be repeated.
    const asked = async () => {
      const answered = await caller.check(who);
      return answered.http === 503 ? false : answered;
    };
    const { answer, text } = await eventually(asked, { withinMs: 60_000, what: 'somebody to enter' });
    if (answer?.status === 'active')
      shoppers.push({ ...who, ticket: answer.ticket ?? '', token: answer.entryToken ?? '' });
    else if (answer?.ticket) waiting.push({ ...who, ticket: answer.ticket, order: orderIn(answer.ticket) });
    else throw new Error(text);
  }
  return { eventId, caller, shoppers, waiting, status: (person) => caller.status(person, person.ticket) };
}

/** Two shoppers are done; the first two of the line follow, the others stay where they are. */
async function expectToGoOn({ caller, shoppers, waiting, status }: Rush): Promise<void> {
  for (const who of shoppers.splice(0, 2)) expect((await caller.leave(who)).http).toBe(200);
  for (const person of waiting.splice(0, 2)) {
    const token = await eventually(async () => (await status(person)).answer?.entryToken ?? false, {
      withinMs: 60_000,
      what: 'the next in line to be admitted',
    });
    shoppers.push({ ...person, token });
  }
  for (const [n, person] of waiting.entries()) {
    // What is shown of the line is read every now and then: on a slow machine it may be from before.
    const answer = await eventually(
      async () => {
        const { http, answer: told } = await status(person);
        expect({ http, ...told }).toMatchObject({ http: 200, status: 'waiting', position: n + 1, stale: false });
        return told;
      },
      { withinMs: 60_000, what: `place ${n + 1}` },
    );
    expect(orderIn(answer?.ticket ?? '')).toBe(person.order);
  }
}

const isWhole = () =>
  eventually(async () => (await fetch(`${queue.url}/ready`)).ok, { withinMs: 60_000, what: 'the queue to be ready' });

describeWith(['redis', 'kafka'], 'something goes away during a rush', () => {
  beforeAll(startAll);

  test.each([{ hot: false }, { hot: true }])(
    'Kafka and SQS stopped (hot: $hot): only buffered entry says so',
    async ({ hot }) => {
      const rush = await aRush({ hot });
      const buffered = aSignedIn();
      expect((await rush.caller.enter(buffered)).http).toBe(202);
      await eventually(async () => (await rush.caller.status(buffered, null)).answer?.status === 'waiting', {
        withinMs: 60_000,
        what: 'the buffered entry to be placed',
      });
      await whileStopped(kafka, async () => {
        await expectToGoOn(rush);
        const { http, retryAfter } = await rush.caller.enter(aSignedIn());
        expect(http).toBe(503);
        expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
        // The other way in is open.
        expect((await rush.caller.check(aSignedIn())).answer?.status).toBe('waiting');
        await expectToGoOn(rush);
      });
      await isWhole();
      const late = aSignedIn();
      await eventually(async () => (await rush.caller.enter(late)).http === 202, {
        withinMs: 60_000,
        what: 'buffered entry to work again',
      });
      await eventually(async () => (await rush.caller.status(late, null)).answer?.status === 'waiting', {
        withinMs: 60_000,
        what: 'the entry to be placed after the outage',
      });
    },
  );

  test('Redis stopped or hanging: polls are answered from the last snapshot, entries are told to come again', async () => {
    const rush = await aRush();
    for (const during of [whileStopped, whilePaused]) {
      await during(redis, async () => {
        const [first] = rush.waiting;
        if (first === undefined) throw new Error('nobody waits');
        await eventually(async () => (await rush.status(first)).answer?.stale === true, {
          withinMs: 60_000,
          what: 'polls to say that they are stale',
        });
        for (const person of rush.waiting) {
          const { http, answer } = await rush.status(person);
          expect({ http, ...answer }).toMatchObject({ http: 200, status: 'waiting', stale: true, nextPoll: 10 });
          expect(answer?.ticket).toBe(person.ticket);
        }
        for (const { ticket, token } of rush.shoppers) {
          const headers = { 'x-queue-ticket': ticket, cookie: `urr-entry-token-${rush.eventId}=${token}` };
          const shopping = await fetch(`${front.url}/api/queue/status/${rush.eventId}`, { headers });
          expect(await shopping.json()).toMatchObject({ status: 'active', entryToken: token, stale: true });
        }
        for (const answered of [await rush.caller.check(aSignedIn()), await rush.caller.check(first, first.ticket)]) {
          expect(answered.http).toBe(503);
          expect(Number(answered.retryAfter)).toBeGreaterThanOrEqual(1);
        }
      });
      await isWhole();
      await eventually(
        async () => {
          const answers = await Promise.all(rush.waiting.map((person) => rush.status(person)));
          return answers.every(({ answer }) => answer?.status === 'waiting' && !answer.stale);
        },
        { withinMs: 60_000, what: 'fresh answers again' },
      );
      await expectToGoOn(rush);
    }
  });

  // The last one: catalog does not come back.
  test('catalog stopped: the queue goes on', async () => {
    const rush = await aRush();
    await catalog.stop();
    await expectToGoOn(rush);
    expect((await rush.caller.check(aSignedIn())).answer?.status).toBe('waiting');
    // Also in a process that starts without it.
    const other = await startTestApp({
      roles: ['queue', 'queue-hot'],
      env: {
        ...env,
        URR_CATALOG_URL: catalog.url,
        URR_AUTH_URL: catalog.url,
      },
    });
    const [first] = rush.waiting;
    if (first === undefined) throw new Error('nobody waits');
    const elsewhere = createQueueCaller(rush.eventId, () => other.url);
    expect((await elsewhere.status(first, first.ticket)).answer).toMatchObject({ status: 'waiting', position: 1 });
  });
});
