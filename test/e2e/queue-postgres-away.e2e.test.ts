import { beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#test/kit/app.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { type PostgresEngine, startPostgres } from '#test/kit/engines/postgres.ts';
import { type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { createQueueCaller } from '#test/kit/queue/caller.ts';
import { afterRuns } from '#test/kit/queue/seen.ts';
import { aShowOnSale, aSignedIn, type SomebodySignedIn } from '#test/kit/queue/show.ts';

interface Person extends SomebodySignedIn {
  readonly ticket: string;
}

let postgres: PostgresEngine;
let redis: RedisEngine;
let app: TestApp;

const threshold = 3;
const line = 8;

/** Events whose admission pauses; those of the test before are among them. */
async function pausedEvents(): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith('urr_queue_journal_away'));
  return Number(line?.split(' ').at(-1));
}

describeWith('redis', 'the journal goes away during a rush', () => {
  beforeAll(async () => {
    postgres = await startPostgres({ dir: await aFolder('postgres-away') });
    redis = await startRedis({ dir: await aFolder('redis') });
    const env = {
      URR_DATABASE_URL: postgres.url,
      URR_REDIS_URL: redis.url,
      URR_QUEUE_THRESHOLD: String(threshold),
      URR_QUEUE_ADMISSION_INTERVAL_MS: '200',
      // Nobody here sleeps, however long the test takes.
      URR_QUEUE_ABSENT_SECONDS: '600',
      URR_RATE_POLL_PER_MINUTE: '1000000',
    };
    app = await startTestApp({ env });
    return async () => {
      await app.stop();
      await Promise.all([redis.stop(), postgres.stop()]);
    };
  });

  test.each([
    { how: 'stopped', during: whileStopped },
    { how: 'hanging', during: whilePaused },
  ])(
    'PostgreSQL $how: people come, wait and leave, nobody is let in, and the line goes on when it is back',
    async ({ during }) => {
      const eventId = await eventually(() => aShowOnSale(app.url), { withinMs: 60_000, what: 'a show' });
      const caller = createQueueCaller(eventId, () => app.url);
      const enter = async (): Promise<Person> => {
        const who = aSignedIn();
        const { answer, text } = await caller.check(who);
        if (!answer?.ticket) throw new Error(text);
        return { ...who, ticket: answer.ticket };
      };
      const shoppers: Person[] = [];
      const waiting: Person[] = [];
      for (let n = 0; n < threshold; n++) shoppers.push(await enter());
      for (let n = 0; n < line; n++) waiting.push(await enter());
      const positions = async () => {
        const answers = await Promise.all(waiting.map((person) => caller.status(person, person.ticket)));
        return answers.map(({ answer }) => (answer?.status === 'waiting' ? answer.position : answer?.status));
      };
      const everybodyWaits = () => waiting.map((_, n) => n + 1);

      await during(postgres, async () => {
        // One of the shoppers is done, which the journal has to hear of before anybody follows.
        const [done] = shoppers;
        if (done !== undefined) expect((await caller.leave(done)).answer).toMatchObject({ left: 'slot' });
        await eventually(async () => (await pausedEvents()) > 0, {
          withinMs: 60_000,
          what: 'admission to say that it pauses',
        });
        waiting.push(await enter());
        const seen = await positions();
        await afterRuns([app.url], 'queue-snapshots', 5);
        expect(await positions()).toEqual(seen);
        // Anyone who was let in before the outage was noticed is the first in line, and nobody else is.
        expect(seen.slice(1)).toEqual(seen[0] === 'active' ? everybodyWaits().slice(0, -1) : everybodyWaits().slice(1));
      });

      await eventually(async () => (await pausedEvents()) === 0, { withinMs: 60_000, what: 'admission to go on' });
      await eventually(async () => (await positions())[0] === 'active', {
        withinMs: 60_000,
        what: 'the first in line to be let in',
      });
      expect((await positions()).slice(1)).toEqual(everybodyWaits().slice(0, -1));
    },
  );
});
