import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { aDeclaration, aGroup, aTopic } from './conformance/records.ts';
import { createEmbeddedBus } from './embedded/embedded-bus.ts';
import { defineConsumer } from './port.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 5 });
afterAll(() => database.close());

test('a connection that breaks makes no letter, whatever the handler throws instead', async () => {
  const topic = aTopic();
  const group = aGroup();
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const bus = createEmbeddedBus({ database, topics: [topic], clock: systemClock, ids });
  let calls = 0;
  let done = false;
  await bus.start();
  await bus.consume(
    defineConsumer({
      declaration: aDeclaration(topic, group, { retry: { times: 0, backoffMs: 1 } }),
      async handle(_, { tx }) {
        calls += 1;
        if (calls === 1)
          await tx.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {
            throw new Error('mine, without a cause');
          });
        done = true;
      },
    }),
  );
  try {
    await bus.publishNow(topic, [{ type: 'COUNTED', key: 'key', data: { n: 1 } }]);
    const letters = () => bus.letters({ group, limit: 10 });
    await eventually(async () => done || (await letters()).length > 0, { withinMs: 60_000, what: 'an outcome' });
    expect({ calls, letters: await letters() }).toEqual({ calls: 2, letters: [] });
  } finally {
    await bus.stop();
  }
});
