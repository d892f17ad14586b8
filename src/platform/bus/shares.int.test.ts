import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { eventually } from '#test/kit/faults.ts';
import { createShares } from './shares.ts';

const { url } = await aDatabase();
const database = createDatabase({ url, poolMax: 2 });
afterAll(() => database.close());

function claimOf(name: string, partitions = 3) {
  return { name, partitions: () => partitions, gained: () => {}, lost: async () => {} };
}

test('a member that leaves while it is being announced takes no share with it', async () => {
  const name = `test:${randomUUID()}`;
  const session = await database.session('shares one');
  const shares = createShares({ logger: silentLogger });
  const share = shares.add(claimOf(name));
  const balanced = shares.balance(session);
  await share.leave();
  await balanced;

  const other = await database.session('shares two');
  const others = createShares({ logger: silentLogger });
  const stays = others.add(claimOf(name));
  await others.balance(other);
  expect([...stays.held]).toEqual([0, 1, 2]);
  await session.close();
  await other.close();
});

test('two members share, and what a lost connection held is free for the other', async () => {
  const name = `test:${randomUUID()}`;
  const sessions = await Promise.all(['one', 'two'].map((label) => database.session(`shares ${label}`)));
  const [first, second] = sessions;
  if (first === undefined || second === undefined) throw new Error('two sessions were opened');
  const one = createShares({ logger: silentLogger });
  const two = createShares({ logger: silentLogger });
  const ofOne = one.add(claimOf(name));
  const ofTwo = two.add(claimOf(name));
  await one.balance(first);
  expect(ofOne.held.size).toBe(3);
  await two.balance(second);
  await one.balance(first);
  // Given back in the background: one more statement on the same connection comes after it.
  await first.query('SELECT 1');
  await two.balance(second);
  expect(ofOne.held.size + ofTwo.held.size).toBe(3);
  expect(ofTwo.held.size).toBeGreaterThan(0);
  await first.close();
  one.forget();
  expect(ofOne.held.size).toBe(0);
  // The server ends the session of a closed connection in its own time.
  await eventually(
    async () => {
      await two.balance(second);
      return ofTwo.held.size === 3;
    },
    { withinMs: 60_000, what: 'the second to have them all' },
  );
  await second.close();
});

test('members that know three and six partitions hold all six between them', async () => {
  const name = `test:${randomUUID()}`;
  const older = await database.session('shares older');
  const newer = await database.session('shares newer');
  const one = createShares({ logger: silentLogger });
  const two = createShares({ logger: silentLogger });
  const ofOlder = one.add(claimOf(name, 3));
  const ofNewer = two.add(claimOf(name, 6));
  for (let look = 0; look < 4; look++) {
    await two.balance(newer);
    await newer.query('SELECT 1');
    await one.balance(older);
    await older.query('SELECT 1');
  }
  expect([...ofOlder.held, ...ofNewer.held].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(ofOlder.held.size).toBe(3);
  // The new version goes away again, and the old one serves what was published in its partitions.
  await ofNewer.leave();
  await one.balance(older);
  expect([...ofOlder.held].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  await older.close();
  await newer.close();
});

test('a partition is not taken again before its reader here has stopped', async () => {
  const before = await database.session('shares before');
  const after = await database.session('shares after');
  const shares = createShares({ logger: silentLogger });
  const gained: number[] = [];
  const stopped = Promise.withResolvers<void>();
  const share = shares.add({
    name: `test:${randomUUID()}`,
    partitions: () => 1,
    gained: (partition) => gained.push(partition),
    lost: () => stopped.promise,
  });
  await shares.balance(before);
  expect(gained).toEqual([0]);
  // The connection is gone, and the reader still works on what it has in hand.
  shares.forget();
  await before.close();
  const open = () => database.query(`SELECT 1 FROM pg_stat_activity WHERE application_name = 'urr shares before'`);
  await eventually(async () => (await open()).rowCount === 0, { withinMs: 60_000, what: 'the end of the session' });
  await shares.balance(after);
  expect({ gained, held: [...share.held] }).toEqual({ gained: [0], held: [] });
  stopped.resolve();
  await eventually(
    async () => {
      await shares.balance(after);
      return share.held.size === 1;
    },
    { withinMs: 60_000, what: 'the partition to be taken again' },
  );
  expect(gained).toEqual([0, 0]);
  await after.close();
});
