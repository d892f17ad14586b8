import { expect, test } from 'vitest';
import { roleNames } from '#app/roles.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { startKafka } from '#test/kit/engines/kafka.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { createQueueCaller } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';

/** Entries of a hot event lie on the bus until the role that takes them is there: time enough to leave. */
async function leaveBeforeTheConsumer(busEnv: Record<string, string>): Promise<void> {
  const redis = await startRedis({ dir: await aFolder('withdrawn-redis'), args: ['--appendonly', 'no'] });
  atEnd(() => redis.stop());
  const env = {
    ...busEnv,
    URR_DATABASE_URL: (await aDatabase()).url,
    URR_REDIS_URL: redis.url,
    URR_QUEUE_THRESHOLD: '1',
    URR_RATE_POLL_PER_MINUTE: '1000000',
  };
  const app = await startTestApp({ roles: roleNames.filter((role) => role !== 'queue-hot'), env });
  const eventId = await aShowOnSale(app.url, { hot: true });
  const caller = createQueueCaller(eventId, () => app.url);
  expect((await caller.check(aSignedIn())).answer?.status).toBe('active');

  const enter = async (who: SomebodySignedIn) => {
    const { http, answer, text } = await caller.enter(who);
    if (http !== 202) throw new Error(text);
    return answer?.ticket ?? '';
  };
  const [ann, ben, cy, last] = [aSignedIn(), aSignedIn(), aSignedIn(), aSignedIn()];
  for (const who of [ann, ben, cy]) await caller.leave(who, await enter(who));
  await enter(ben);
  expect((await caller.check(cy)).answer).toMatchObject({ status: 'waiting', position: 1 });
  await enter(last);

  const hot = await startTestApp({ roles: ['queue-hot'], env: { ...env, URR_CATALOG_URL: app.url } });
  // The last on the topic has a place, so all before it were decided.
  await eventually(async () => (await caller.status(last, null)).answer?.status === 'waiting', {
    withinMs: 60_000,
    what: 'the entries to be consumed',
  });
  const places = await Promise.all([ann, ben, cy, last].map((who) => caller.status(who, null)));
  expect(places.map(({ answer }) => [answer?.status, answer?.position])).toEqual([
    ['none', null],
    ['waiting', 2],
    ['waiting', 1],
    ['waiting', 3],
  ]);
  await hot.stop();
  await app.stop();
}

describeWith('redis', 'entries withdrawn from the embedded log', () => {
  test('anyone who left gets no place; anyone who came back since does', () => leaveBeforeTheConsumer({}));
});

describeWith(['redis', 'kafka'], 'entries withdrawn from Kafka', () => {
  test('anyone who left gets no place; anyone who came back since does', async () => {
    const kafka = await startKafka({ dir: await aFolder('withdrawn-kafka') });
    atEnd(() => kafka.stop());
    await leaveBeforeTheConsumer({ URR_KAFKA_BROKERS: kafka.brokers });
  });
});
