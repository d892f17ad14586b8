import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import type { Order } from '../domain/order.ts';
import type { QueueJournal, QueueStore } from '../ports.ts';
import { createRedisStore } from '../storage/redis-store.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess, type QueueProcess } from '../testing/queue-processes.ts';
import { type RedisUnderTest, redisStores } from '../testing/redis-stores.ts';

const threshold = 100;
const recoveringMs = 1_500;
const config = { threshold, recoveringMs, admissionIntervalMs: 50 };
const shoppers = Array.from({ length: threshold }, () => randomUUID());
const waiters = Array.from({ length: 50 }, () => randomUUID());
const everybody = [...shoppers, ...waiters];

describeWith('redis', 'queues on Redis that lost its data', () => {
  let subject: RedisUnderTest;
  let journal: QueueJournal;
  beforeAll(async () => {
    subject = await redisStores.create();
    ({ journal } = await aJournal());
  });
  afterAll(() => subject?.close?.());

  const start = (store: QueueStore) => aQueueProcess({ store, journal, clock: systemClock, config });

  /** A hundred shop, fifty wait; ten shoppers leave, and the first ten who wait take their slots. */
  async function aSale(process: QueueProcess, beforeTheyLeave: () => Promise<void> = async () => {}) {
    const eventId = randomUUID();
    const tickets = new Map<string, Order>();
    for (const user of everybody) {
      const result = await process.enter(eventId, user);
      if (result.status === 'active') tickets.set(user, result.slot.order);
      if (result.status === 'waiting') tickets.set(user, result.order);
    }
    await journaled(process, eventId);
    await beforeTheyLeave();
    for (const userId of shoppers.slice(0, 10)) await subject.store.leave({ eventId, userId });
    await eventually(
      async () => {
        await process.tick();
        return (await activeUsers(subject.store, eventId)).includes(waiters[9] ?? '');
      },
      { withinMs: 10_000, what: 'ten more slots' },
    );
    await journaled(process, eventId);
    return { eventId, tickets, shopping: [...shoppers.slice(10), ...waiters.slice(0, 10)] };
  }

  async function journaled(process: QueueProcess, eventId: string): Promise<void> {
    await eventually(
      async () => {
        await process.tick();
        const read = await subject.store.changes({ eventId, limit: 1 });
        return read.status === 'ok' && read.backlog === 0;
      },
      { withinMs: 10_000, what: 'the journal to have everything' },
    );
  }

  async function activeUsers(store: QueueStore, eventId: string): Promise<string[]> {
    const traces = await Promise.all(everybody.map((userId) => store.trace({ eventId, userId })));
    return everybody.filter((_, n) => {
      const trace = traces[n];
      return trace?.status === 'ok' && trace.place === 'active';
    });
  }

  /** Everybody comes back with the old ticket, at two processes, before, during and after recovery. */
  async function expectNoSecondSlot(store: QueueStore, sale: Awaited<ReturnType<typeof aSale>>) {
    const { eventId, tickets, shopping } = sale;
    const processes = [start(store), start(store)];
    const comeBack = () =>
      Promise.all(everybody.map((user, n) => processes[n % 2]?.enter(eventId, user, tickets.get(user))));
    await comeBack();
    expect(await activeUsers(store, eventId)).toEqual(shopping);
    let most = 0;
    await eventually(
      async () => {
        for (const process of processes) await process.tick();
        const snapshot = await store.snapshot({ eventId });
        if (snapshot.status === 'lost') throw new Error('lost');
        most = Math.max(most, snapshot.active);
        return !snapshot.recovering;
      },
      { withinMs: 20_000, what: 'the end of recovery' },
    );
    for (const process of processes) await process.tick();
    await comeBack();
    expect(most).toBe(threshold);
    expect(await activeUsers(store, eventId)).toEqual(shopping);
    // Whoever waited is at the old place; whoever was done is behind them all.
    const waiting = await Promise.all(waiters.slice(10).map((userId) => store.trace({ eventId, userId })));
    expect(waiting.map((trace) => trace.status === 'ok' && trace.position)).toEqual(
      waiters.slice(10).map((_, n) => n + 1),
    );
  }

  it('gives nobody a second slot after FLUSHALL, and no more than the threshold shop', async () => {
    const { store } = subject;
    const sale = await aSale(start(store));
    await subject.wipe();
    await expectNoSecondSlot(store, sale);
  });

  it('gives nobody a second slot after a fail-over to a copy that missed the last admissions', async () => {
    const follow = ['--replicaof', '127.0.0.1', String(subject.engine.port)];
    const replica = await startRedis({ dir: await aFolder('stale'), args: ['--appendonly', 'no', ...follow] });
    const redis = createRedis({ url: replica.url, commandTimeoutMs: 5_000, logger: silentLogger });
    atEnd(async () => {
      await redis.close();
      await replica.stop();
    });
    const copy = createRedisStore({ redis });
    let current: QueueStore = subject.store;
    // The client of a process follows the fail-over; which server answers is all that changes.
    const followed = new Proxy(subject.store, { get: (_, name) => Reflect.get(current, name) });
    const process = start(followed);
    const sale = await aSale(process, async () => {
      await eventually(async () => Number(await subject.redis.command('WAIT', 1, 1_000)) === 1, {
        withinMs: 30_000,
        what: 'the copy to follow',
      });
      await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
    });
    current = copy;
    expect(await activeUsers(copy, sale.eventId)).toEqual(shoppers);
    await process.tick();
    await expectNoSecondSlot(followed, sale);
  });
});
