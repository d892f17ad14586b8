import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { eventually } from '#test/kit/faults.ts';
import { addCounts, createLatencyWindow, healthOf, type LatencyCounts } from '../domain/latency-window.ts';
import { redisStores } from '../testing/redis-stores.ts';
import { createOwnReports, createRedisReports } from './origin-reports.ts';

function answersOf(count: number, ms: number): LatencyCounts {
  const window = createLatencyWindow();
  for (let n = 0; n < count; n++) window.note({ ms, failed: ms > 1_000, nowMs: 0 });
  return window.counts(0) ?? { buckets: [], failed: 0 };
}

it('one process alone has its own', async () => {
  const own = createOwnReports();
  expect(await own.exchange(null)).toEqual([]);
  expect(await own.exchange(answersOf(3, 5))).toEqual([answersOf(3, 5)]);
});

describeWith('redis', 'reports through Redis', () => {
  it('are put together from every process, replaced by the next, and forgotten with their process', async () => {
    const { connect, redis, close } = await redisStores.create();
    atEnd(async () => close?.());
    const [gateway, queue] = [createRedisReports({ redis: connect() }), createRedisReports({ redis: connect() })];
    expect(await queue.exchange(null)).toEqual([]);
    await gateway.exchange(answersOf(10, 20));
    await gateway.exchange(answersOf(40, 20));
    const all = await queue.exchange(answersOf(60, 2_000));
    expect(all).toHaveLength(2);
    expect(healthOf(addCounts(all))).toMatchObject({ calls: 100, errorRate: 0.6 });

    // Another version counts in other buckets.
    await redis.command('HSET', 'queue:origin-reports', 'newer', `${Date.now()} [1,2,3]`);
    expect(await queue.exchange(null)).toEqual([answersOf(40, 20)]);
    await eventually(
      async () => {
        await delay(100);
        const answer = await queue.exchange(answersOf(1, 1));
        return answer.length === 1 && (await redis.command('HLEN', 'queue:origin-reports')) === 1;
      },
      { withinMs: 60_000, what: 'the silent processes to be forgotten' },
    );
  });
});
