import { afterAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { createDatabase } from '#platform/postgres/pool.ts';
import { systemRandom } from '#platform/random.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { connectTimeoutMs } from './conformance/harness.ts';
import { aGroup, aTopic, range, recorder } from './conformance/records.ts';
import { createDeadLetter } from './dead-letter.ts';
import { openLetters } from './letter-source.ts';
import { createLettersAdmin } from './letters-admin.ts';
import { createMessages } from './message.ts';
import type { Claim } from './shares.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 6, connectTimeoutMs });
afterAll(() => database.close());
const count = 200;

for (const onPoison of ['pass', 'park-key'] as const) {
  test(`two processes that both believe to be the one that tries letters have one effect of each (${onPoison})`, async () => {
    await database.query(
      'CREATE TABLE IF NOT EXISTS urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
    );
    const topic = aTopic();
    const group = aGroup();
    const ids = createIds({ clock: systemClock, random: systemRandom });
    const messages = createMessages({ topics: [topic], clock: systemClock, ids });
    const open = (share: (claim: Claim) => void) =>
      openLetters({
        consumer: recorder(topic, group, { onPoison, batchSizeMax: 7, retryAfterMin: [0] }),
        control: {
          share(claim) {
            share(claim);
            return { held: new Set([0]), leave: () => claim.lost(0) };
          },
        },
        copyAs: 'json',
        wakeRelays: () => {},
        database,
        messages,
        clock: systemClock,
        logger: silentLogger,
        observe: {},
        failpoint: async () => {},
      });
    const claims: Claim[] = [];
    const sources = [1, 2].map(() => open((claim) => claims.push(claim)));
    const letters = range(1, count).map((n) => {
      const [outgoing] = messages.encode(topic, [{ type: 'COUNTED', key: `key-${n % 5}`, data: { n } }]);
      const message = { topic: topic.name, partition: 0, offset: n, key: `key-${n % 5}`, headers: {} };
      const whole = { ...message, value: outgoing?.value ?? '' };
      return createDeadLetter({ message: whole, group, error: new Error('once'), attempts: 1, clock: systemClock });
    });
    await database.transaction(async (tx) => sources[0]?.box?.write(tx, letters));

    for (const claim of claims) claim.gained(0);
    const admin = createLettersAdmin(database);
    await eventually(async () => (await admin.letters({ group, limit: 1 })).length === 0, {
      withinMs: 90_000,
      what: 'no letters',
    });
    for (const source of sources) await source.stop();
    const { rows } = await database.query<{ n: number }>(
      'SELECT n FROM urr.test_effects WHERE consumer_group = $1 ORDER BY id',
      [group],
    );
    expect(rows.map(({ n }) => n).sort((one, other) => one - other)).toEqual(range(1, count));
    if (onPoison === 'pass') return;
    for (const key of range(0, 4)) {
      const ofKey = rows.map(({ n }) => n).filter((n) => n % 5 === key);
      expect(ofKey).toEqual(ofKey.toSorted((one, other) => one - other));
    }
  });
}
