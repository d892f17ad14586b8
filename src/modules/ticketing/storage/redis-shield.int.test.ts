import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { startRedisCluster } from '#test/kit/engines/redis-cluster.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { createRedisShield } from './redis-shield.ts';

const eventId = '018f0000-0000-7000-8000-0000000000e1';
const [anna, ben] = ['018f0000-0000-7000-8000-00000000000a', '018f0000-0000-7000-8000-00000000000b'];
const commandTimeoutMs = 10_000;
const keyOf = (seatNo: number) => `{${eventId}}:seat-shield:${seatNo}`;

function aShield(redis: Redis, options: { patienceMs?: number } = {}) {
  atEnd(() => redis.close());
  const shield = createRedisShield({
    redis,
    clock: systemClock,
    logger: silentLogger,
    metrics: createMetrics(),
    ...options,
  });
  /** Which of these seats this user is refused. */
  const refused = async (userId: string, ...seatNos: number[]) =>
    (await shield.taken(eventId, [{ userId, seatNos }]))[0];
  /** Nobody waits for what is noted and dropped, so tests look until it is there. */
  const entry = (seatNo: number) => redis.command('GET', keyOf(seatNo));
  const untilNoted = (seatNo: number, value: string | null) =>
    eventually(async () => ((await entry(seatNo)) as string | null)?.replace(/ \d+$/, '') === (value ?? undefined), {
      withinMs: 5_000,
      what: `seat ${seatNo} to be ${value}`,
    });
  return { ...shield, redis, refused, entry, untilNoted };
}

function describeShield(name: string, connect: () => Promise<Redis>): void {
  describe(name, async () => {
    const shield = aShield(await connect(), { patienceMs: 5_000 });
    beforeEach(() =>
      shield.drop(
        eventId,
        [1, 2, 3].flatMap((seatNo) => [1, 2, 3].map((fence) => ({ seatNo, fence }))),
      ),
    );

    test('it refuses others what was granted, and never the one to whom it was', async () => {
      shield.note(eventId, [
        { seatNo: 1, userId: anna, fence: 1, heldForMs: null },
        { seatNo: 2, userId: ben, fence: 1, heldForMs: null },
      ]);
      await shield.untilNoted(2, `1 ${ben}`);
      const requests = [
        { userId: anna, seatNos: [1, 2, 3] },
        { userId: ben, seatNos: [1, 2] },
        { userId: ben, seatNos: [3] },
        { userId: ben, seatNos: [] },
      ];
      expect(await shield.taken(eventId, requests)).toEqual([[2], [1], [], []]);
    });

    test('an entry ends with the hold: what has lapsed is free for everybody', async () => {
      shield.note(eventId, [
        { seatNo: 1, userId: anna, fence: 1, heldForMs: 200 },
        { seatNo: 2, userId: anna, fence: 1, heldForMs: 300_000 },
      ]);
      await shield.untilNoted(2, `1 ${anna}`);
      await eventually(async () => (await shield.refused(ben, 1, 2))?.length === 1, {
        withinMs: 20_000,
        what: 'the first to end',
      });
      expect([await shield.refused(ben, 1), await shield.refused(ben, 2)]).toEqual([[], [2]]);
    });

    test('an entry lives three seconds at most, and is not prolonged by being noted again', async () => {
      shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
      await shield.untilNoted(1, `1 ${anna}`);
      await shield.redis.command('PEXPIRE', keyOf(1), 1_500);
      shield.note(eventId, [
        { seatNo: 1, userId: anna, fence: 1, heldForMs: null },
        { seatNo: 3, userId: anna, fence: 1, heldForMs: null },
      ]);
      await shield.untilNoted(3, `1 ${anna}`);
      expect(await shield.redis.command('PTTL', keyOf(1))).toBeLessThanOrEqual(1_500);
      expect(await shield.redis.command('PTTL', keyOf(3))).toBeLessThanOrEqual(3_000);
    });

    test('a later grant replaces an earlier one, and not the other way round', async () => {
      shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 2, heldForMs: null }]);
      shield.note(eventId, [{ seatNo: 1, userId: ben, fence: 3, heldForMs: null }]);
      shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
      shield.note(eventId, [{ seatNo: 2, userId: anna, fence: 1, heldForMs: null }]);
      await shield.untilNoted(2, `1 ${anna}`);
      expect(await shield.entry(1)).toBe(`3 ${ben} 3000`);
    });

    test('what came back is dropped, unless it was granted anew', async () => {
      shield.note(
        eventId,
        [1, 2].map((seatNo) => ({ seatNo, userId: anna, fence: 2, heldForMs: null })),
      );
      shield.drop(eventId, [
        { seatNo: 1, fence: 1 },
        { seatNo: 2, fence: 2 },
      ]);
      await shield.untilNoted(2, null);
      expect(await shield.refused(ben, 1, 2)).toEqual([1]);
    });
  });
}

describeWith('redis', 'the seat shield', () => {
  describeShield('in Redis', async () => {
    const { url } = await startRedis({ dir: await aFolder('shield-redis'), args: ['--appendonly', 'no'] });
    return createRedis({ url, commandTimeoutMs, logger: silentLogger });
  });

  describeShield('in a Redis Cluster', async () => {
    const { addresses } = await startRedisCluster({ dir: await aFolder('shield-redis-cluster') });
    return createRedis({ clusterNodes: addresses.split(','), commandTimeoutMs, logger: silentLogger });
  });

  describe('that lies or is away', async () => {
    const engine = await startRedis({ dir: await aFolder('shield-liar'), args: ['--appendonly', 'no'] });
    const shield = aShield(createRedis({ url: engine.url, commandTimeoutMs, logger: silentLogger }));
    const timed = async <Answer>(call: () => Promise<Answer>) => {
      const before = performance.now();
      return { answer: await call(), ms: performance.now() - before };
    };

    test('what would refuse a seat for longer than three seconds is not believed, and gives way to what is noted', async () => {
      await shield.redis.command('SET', keyOf(1), `999 ${anna}`);
      await shield.redis.command('SET', keyOf(2), `999 ${anna}`, 'PX', 60_000);
      await shield.redis.command('SET', keyOf(3), 'nonsense', 'PX', 2_000);
      await shield.redis.command('RPUSH', keyOf(4), `999 ${anna}`);
      expect(await shield.refused(ben, 1, 2, 3, 4)).toEqual([]);
      shield.note(
        eventId,
        [1, 2, 3, 4].map((seatNo) => ({ seatNo, userId: ben, fence: 1, heldForMs: null })),
      );
      await shield.untilNoted(4, `1 ${ben}`);
      expect(await shield.refused(anna, 1, 2, 3, 4)).toEqual([1, 2, 3, 4]);
    });

    test('emptied, it refuses nobody', async () => {
      shield.note(eventId, [{ seatNo: 7, userId: anna, fence: 1, heldForMs: null }]);
      await shield.untilNoted(7, `1 ${anna}`);
      await shield.redis.command('FLUSHALL');
      expect(await shield.refused(ben, 7)).toEqual([]);
    });

    test('while it hangs, one call waits for a moment and the next ones not at all; then it works again', async () => {
      await whilePaused(engine, async () => {
        const first = await timed(() => shield.refused(ben, 1));
        expect(first.answer).toEqual([]);
        expect(first.ms).toBeLessThan(2_000);
        const next = await timed(async () => {
          for (let n = 0; n < 200; n++) expect(await shield.refused(ben, 1)).toEqual([]);
          shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
          shield.drop(eventId, [{ seatNo: 1, fence: 1 }]);
        });
        expect(next.ms).toBeLessThan(2_000);
      });
      await worksAgain(20);
    });

    test('while it is gone, nothing is refused and nothing rejects; then it works again', async () => {
      await whileStopped(engine, async () => {
        for (let n = 0; n < 20; n++) {
          expect(await shield.refused(ben, 1)).toEqual([]);
          shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
          shield.drop(eventId, [{ seatNo: 1, fence: 1 }]);
        }
      });
      await worksAgain(21);
    });

    const worksAgain = (seatNo: number) =>
      eventually(
        async () => {
          shield.note(eventId, [{ seatNo, userId: anna, fence: 1, heldForMs: null }]);
          return (await shield.refused(ben, seatNo))?.includes(seatNo) ?? false;
        },
        { withinMs: 10_000, what: 'the shield to work again' },
      );
  });
});
