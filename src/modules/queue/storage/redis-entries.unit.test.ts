import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { assert } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Redis } from '#platform/redis/port.ts';
import { createEntries, entryLimits } from './redis-entries.ts';

const firstUser = 3;

/** A server that answers when it is told to, with everybody placed at the end. */
function aServer() {
  const sent: { users: string[]; args: readonly unknown[]; answer(): void; fail(error: Error): void }[] = [];
  let position = 0;
  const placed: string[] = [];
  const unused = async () => expect.unreachable('enter only runs its script');
  const redis: Redis = {
    kind: 'standalone',
    connection: () => 'one',
    reconnect: () => {},
    command: unused,
    ping: unused,
    close: unused,
    runScript(_script, _keys, args) {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const users = args
        .slice(firstUser)
        .filter((_, n) => n % 2 === 0)
        .map(String);
      const answer = () => resolve([1, 0, users.map(() => `placed\n${++position}\n${position}`).join('\n')]);
      sent.push({ users, args, answer, fail: reject });
      return promise;
    },
  };
  const enter = createEntries({
    redis,
    onPlaced: async (eventId) => void placed.push(eventId),
  });
  const call = (userId: string, more: { eventId?: string; nowMs?: number } = {}) =>
    enter({ eventId: 'event', userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 1_000, ...more });
  const batch = (n: number) => {
    const found = sent[n];
    assert(found !== undefined, `${sent.length} batches were sent`);
    return found;
  };
  return { call, batch, placed, sizes: () => sent.map(({ users }) => users.length) };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `user ${n}`);

test('a lone call goes out in the turn in which it was made', async () => {
  const server = aServer();
  const entered = server.call('ann');
  await nextTurn();
  expect(server.sizes()).toEqual([1]);
  server.batch(0).answer();
  expect(await entered).toEqual({ status: 'waiting', order: 1, position: 1, epoch: 1, fresh: true });
  expect(server.placed).toEqual(['event']);
});

test('a crowd of one turn goes out in full batches, and everybody gets the own place', async () => {
  const server = aServer();
  const users = names(2 * entryLimits.batchMax + 1);
  const entered = Promise.all(users.map((user) => server.call(user)));
  await nextTurn();
  expect(server.sizes()).toEqual([entryLimits.batchMax, entryLimits.batchMax, 1]);
  expect([0, 1, 2].flatMap((n) => server.batch(n).users)).toEqual(users);
  for (const n of [0, 1, 2]) server.batch(n).answer();
  expect((await entered).map((result) => 'position' in result && result.position)).toEqual(users.map((_, n) => n + 1));
});

test('events do not wait for each other, nor do calls share another one’s time', async () => {
  const server = aServer();
  const entered = [
    server.call('ann', { eventId: 'one' }),
    server.call('ben', { eventId: 'two' }),
    server.call('cat', { eventId: 'one', nowMs: 5 }),
    server.call('dan', { eventId: 'one', nowMs: 5 }),
    server.call('eve', { eventId: 'one', nowMs: 6 }),
  ];
  await nextTurn();
  const facts = [0, 1, 2, 3].map((n) => [server.batch(n).args[0], server.batch(n).args[2], server.batch(n).users]);
  expect(facts).toEqual([
    ['one', -1, ['ann']],
    ['one', 5, ['cat', 'dan']],
    ['one', 6, ['eve']],
    ['two', -1, ['ben']],
  ]);
  for (const n of [0, 1, 2, 3]) server.batch(n).answer();
  await Promise.all(entered);
});

test('a batch that fails fails each of its calls; an unreachable store also those behind it, who were not sent', async () => {
  const server = aServer();
  const outcome = (entered: Promise<unknown>) => entered.then(() => 'entered', String);
  const ahead = names(2).map((user) => outcome(server.call(user)));
  await nextTurn();
  const behind = outcome(server.call('ann'));
  server.batch(0).fail(platformErrors.fault('STORE_UNAVAILABLE'));
  const refused = await Promise.all([...ahead, behind]);
  expect(new Set(refused).size).toBe(1);
  expect(refused[0]).not.toBe('entered');
  expect(server.sizes()).toEqual([2]);

  const wrong = outcome(server.call('ben'));
  await nextTurn();
  const afterWrong = outcome(server.call('cat'));
  server.batch(1).fail(new Error('WRONGTYPE'));
  expect(await wrong).toBe('Error: WRONGTYPE');
  await nextTurn();
  server.batch(2).answer();
  expect(await afterWrong).toBe('entered');
});

test('answers that do not fit the calls fail them all', async () => {
  const server = aServer();
  const entered = server.call('ann');
  await nextTurn();
  server.batch(0).users.push('somebody who did not ask');
  server.batch(0).answer();
  await expect(entered).rejects.toThrow('answered for more than 1 users');
});
