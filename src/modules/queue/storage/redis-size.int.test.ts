import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Redis } from '#platform/redis/port.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { breakpointRanks } from '../domain/ranks.ts';
import type { QueueStore } from '../ports.ts';
import { type RedisUnderTest, redisStores } from '../testing/redis-stores.ts';
import { aBegin, ids, present, startMs } from './conformance/harness.ts';
import { entryLimits } from './redis-entries.ts';

const bytesPerWaitingMax = 320;
const crowd = 100_000;
/** Just past a doubling of the tables, where each user weighs most. */
const worstCrowd = 2 ** 17 + 1;
const entriesAtOnce = 2_000;

describeWith('redis', 'queues in Redis, when they are long', () => {
  let subject: RedisUnderTest;
  let store: QueueStore;
  let redis: Redis;
  const eventId = ids.next();
  const crowdIds: string[] = [];

  beforeAll(async () => {
    subject = await redisStores.create();
    ({ store, redis } = subject);
    await store.begin(aBegin(eventId));
    await grow(crowd);
  });
  afterAll(() => subject?.close?.());

  async function grow(size: number): Promise<void> {
    const call = { eventId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000, nowMs: startMs } as const;
    while (crowdIds.length < size) {
      const some = Array.from({ length: Math.min(entriesAtOnce, size - crowdIds.length) }, () => ids.next());
      await Promise.all(some.map((userId) => store.enter({ ...call, userId })));
      crowdIds.push(...some);
    }
  }

  async function bytesPerWaiting(): Promise<number> {
    const keys = (await redis.command('KEYS', `{${eventId}}*`)) as string[];
    let bytes = 0;
    for (const key of keys) bytes += Number(await redis.command('MEMORY', 'USAGE', key, 'SAMPLES', 0));
    return bytes / crowdIds.length;
  }

  /** How many commands the server ran for it, those inside scripts included. */
  async function commandsOf(work: () => Promise<unknown>): Promise<number> {
    await redis.command('CONFIG', 'RESETSTAT');
    await work();
    const stats = String(await redis.command('INFO', 'commandstats'));
    return [...stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
      .filter(([, name]) => name !== 'config|resetstat')
      .reduce((sum, [, , calls]) => sum + Number(calls), 0);
  }

  it('a waiting user takes no more memory than promised, at the worst size too', async () => {
    const usual = await bytesPerWaiting();
    await grow(worstCrowd);
    const worst = await bytesPerWaiting();
    console.log(`bytes per waiting user: ${usual.toFixed(1)} of ${crowd}, ${worst.toFixed(1)} of ${worstCrowd}`);
    expect(usual).toBeLessThanOrEqual(bytesPerWaitingMax);
    expect(worst).toBeLessThanOrEqual(bytesPerWaitingMax);
  });

  it('entering, asking and leaving cost the same however many wait', async () => {
    const userId = ids.next();
    const call = { eventId, userId, lane: 1, roomOn: false, activeTtlMs: 600_000, nowMs: startMs } as const;
    expect(await commandsOf(() => store.enter({ ...call, mode: 'enter' }))).toBeLessThan(20);
    expect(await commandsOf(() => store.enter({ ...call, mode: 'look' }))).toBeLessThan(20);
    expect(await commandsOf(() => store.trace({ eventId, userId, nowMs: startMs }))).toBeLessThan(20);
    expect(await commandsOf(() => store.leave({ eventId, userId, nowMs: startMs }))).toBeLessThan(20);
  });

  it('a rush costs little more commands than one entry for each batch, and no more for each user than they need', async () => {
    const call = { eventId, lane: 1, roomOn: false, activeTtlMs: 600_000, nowMs: startMs } as const;
    const some = Array.from({ length: 2 * entryLimits.batchMax }, () => ids.next());
    const entering = () => Promise.all(some.map((userId) => store.enter({ ...call, userId, mode: 'enter' })));
    expect(await commandsOf(entering)).toBeLessThan(2 * 20);
    const looking = () => Promise.all(some.map((userId) => store.enter({ ...call, userId, mode: 'look' })));
    // One for each rank.
    expect(await commandsOf(looking)).toBeLessThan(2 * 20 + some.length);
  });

  it('a snapshot reads its breakpoints and nobody else', async () => {
    const breakpoints = breakpointRanks(crowdIds.length).length;
    expect(breakpoints).toBeLessThan(300);
    const commands = await commandsOf(async () => {
      const snapshot = present(await store.snapshot({ eventId, nowMs: startMs }));
      expect(snapshot.breakpoints).toHaveLength(breakpoints);
    });
    expect(commands).toBeLessThan(breakpoints + 20);
  });

  it('a step parks, admits, forgets and clears no more than it was told', async () => {
    const step = { eventId, absentMs: 90_000, claimMs: 120_000, activeTtlMs: 600_000, activeSeenTtlMs: null };
    await store.configure({ eventId, changes: { threshold: 5_000 } });
    // One step in time, so that the pause since then is no outage.
    const firstMs = startMs + 1_000;
    await store.admit({ ...step, admitMax: 0, parkMax: 0, nowMs: firstMs });
    const admitting = () => store.admit({ ...step, admitMax: 100, parkMax: 1_000, nowMs: firstMs });
    // At most a dozen commands for each who is admitted.
    expect(
      await commandsOf(async () => expect(await admitting()).toMatchObject({ parked: 0, more: true })),
    ).toBeLessThan(100 * 12);

    let nowMs = firstMs;
    while (nowMs < firstMs + 100_000) {
      nowMs += 4_000;
      await store.admit({ ...step, admitMax: 0, parkMax: 0, nowMs });
    }
    const parking = () => store.admit({ ...step, claimMs: 900_000, admitMax: 100, parkMax: 1_000, nowMs });
    const parked = await commandsOf(async () =>
      expect(await parking()).toMatchObject({ parked: 1_000, admitted: [], more: true }),
    );
    expect(parked).toBeLessThan(1_000 * 5);

    const forgetting = () => store.forget({ eventId, seenTtlMs: 600, limit: 1_000, nowMs });
    expect(await commandsOf(async () => expect(await forgetting()).toEqual({ forgotten: 1_000 }))).toBeLessThan(
      1_000 * 5,
    );
    const clearing = async () => expect(await store.clear({ eventId, limit: 1_000 })).toMatchObject({ cleared: 1_000 });
    expect(await commandsOf(clearing)).toBeLessThan(1_000 * 8);
  });

  it('20,000 sleepers at the head delay the one behind them by a few ticks', async () => {
    const line = ids.next();
    await store.begin(
      aBegin(line, {
        settings: { threshold: 1, paused: false, closed: false, message: null },
        recoveringMs: 1,
      }),
    );
    const call = {
      eventId: line,
      mode: 'enter',
      lane: 1,
      roomOn: false,
      activeTtlMs: 600_000,
      nowMs: startMs,
    } as const;
    for (let n = 0; n < 20_000; n += entriesAtOnce) {
      await Promise.all(Array.from({ length: entriesAtOnce }, () => store.enter({ ...call, userId: ids.next() })));
    }
    const awake = ids.next();
    await store.enter({ ...call, userId: awake });
    const step = { eventId: line, absentMs: 90_000, claimMs: 120_000, activeTtlMs: 600_000, activeSeenTtlMs: null };
    let nowMs = startMs;
    // Absence counts from the first step on.
    while (nowMs < startMs + 95_000) {
      nowMs += 4_500;
      await store.admit({ ...step, admitMax: 0, parkMax: 0, nowMs });
      await store.touch({ eventId: line, userIds: [awake], nowMs });
    }
    let calls = 0;
    let admitted: string[] = [];
    while (admitted.length === 0 && calls < 40) {
      calls += 1;
      const result = present(await store.admit({ ...step, admitMax: 100, parkMax: 1_000, nowMs }));
      admitted = result.admitted.map(({ userId }) => userId);
    }
    expect(admitted).toEqual([awake]);
    // 20 calls a tick.
    expect(calls).toBeLessThanOrEqual(21);
  });
});
