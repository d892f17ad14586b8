import { beforeEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { startRedis } from '#test/kit/engines/redis.ts';
import { startRedisCluster } from '#test/kit/engines/redis-cluster.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import { createRedisShield } from './redis-shield.ts';

const eventId = '018f0000-0000-7000-8000-0000000000e1';
const [anna, ben] = ['018f0000-0000-7000-8000-00000000000a', '018f0000-0000-7000-8000-00000000000b'];
const commandTimeoutMs = 60_000;
/** So long that no entry ends by itself and no answer is late, however slow the machine is. */
const unhurried = { entryMs: 600_000, patienceMs: 60_000 };
const keyOf = (seatNo: number) => `{${eventId}}:seat-shield:${seatNo}`;

const deps = () => ({ clock: systemClock, logger: silentLogger, metrics: createMetrics() });

function aShield(connection: Redis, options: { patienceMs?: number; entryMs?: number; clock?: Clock } = {}) {
  atEnd(() => connection.close());
  const redis = countingScripts(connection);
  const shield = createRedisShield({ ...deps(), redis, ...options });
  /** Which of these seats this user is refused. */
  const refused = async (userId: string, ...seatNos: number[]) =>
    (await shield.taken(eventId, [{ userId, seatNos }]))[0];
  /** Nobody waits for what is noted and dropped, so tests look until it is there. */
  const entry = (seatNo: number) => redis.command('GET', keyOf(seatNo));
  const untilNoted = (seatNo: number, value: string | null) =>
    eventually(async () => ((await entry(seatNo)) as string | null)?.replace(/ \d+$/, '') === (value ?? undefined), {
      withinMs: 60_000,
      what: `seat ${seatNo} to be ${value}`,
    });
  return { ...shield, redis, refused, entry, untilNoted };
}

/** Counts how many scripts were sent, and how many of them have ended, answered or refused. */
function countingScripts(redis: Redis): Redis & { sent: number; ended: number } {
  const counting = {
    ...redis,
    sent: 0,
    ended: 0,
    runScript(...call: Parameters<Redis['runScript']>) {
      counting.sent += 1;
      return redis.runScript(...call).finally(() => {
        counting.ended += 1;
      });
    },
  };
  return counting;
}

function describeShield(name: string, connect: () => Promise<Redis>): void {
  describe(name, async () => {
    const shield = aShield(await connect(), unhurried);
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
        withinMs: 60_000,
        what: 'the first to end',
      });
      expect([await shield.refused(ben, 1), await shield.refused(ben, 2)]).toEqual([[], [2]]);
    });

    test('an entry is not prolonged by being noted again', async () => {
      shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
      await shield.untilNoted(1, `1 ${anna}`);
      await shield.redis.command('PEXPIRE', keyOf(1), unhurried.entryMs / 2);
      shield.note(eventId, [
        { seatNo: 1, userId: anna, fence: 1, heldForMs: null },
        { seatNo: 3, userId: anna, fence: 1, heldForMs: null },
      ]);
      await shield.untilNoted(3, `1 ${anna}`);
      expect(await shield.redis.command('PTTL', keyOf(1))).toBeLessThanOrEqual(unhurried.entryMs / 2);
      expect(await shield.redis.command('PTTL', keyOf(3))).toBeLessThanOrEqual(unhurried.entryMs);
    });

    test('an entry lives three seconds at most, unless it is said otherwise', async () => {
      const usual = createRedisShield({ ...deps(), redis: shield.redis, patienceMs: unhurried.patienceMs });
      // On a slow machine it may have ended before it is looked at.
      const livesMs = await eventually(
        async () => {
          usual.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
          const left = Number(await shield.redis.command('PTTL', keyOf(1)));
          return left >= 0 && left;
        },
        { withinMs: 60_000, what: 'the entry' },
      );
      expect(livesMs).toBeLessThanOrEqual(3_000);
    });

    test('a later grant replaces an earlier one, and not the other way round', async () => {
      shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 2, heldForMs: null }]);
      shield.note(eventId, [{ seatNo: 1, userId: ben, fence: 3, heldForMs: null }]);
      shield.note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
      shield.note(eventId, [{ seatNo: 2, userId: anna, fence: 1, heldForMs: null }]);
      await shield.untilNoted(2, `1 ${anna}`);
      expect(await shield.entry(1)).toBe(`3 ${ben} ${unhurried.entryMs}`);
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
    const connect = () => createRedis({ url: engine.url, commandTimeoutMs, logger: silentLogger });
    const shield = aShield(connect(), unhurried);

    test('what would refuse a seat for longer than an entry lives is not believed, and gives way to what is noted', async () => {
      await shield.redis.command('SET', keyOf(1), `999 ${anna}`);
      await shield.redis.command('SET', keyOf(2), `999 ${anna}`, 'PX', unhurried.entryMs * 10);
      await shield.redis.command('SET', keyOf(3), 'nonsense', 'PX', unhurried.entryMs);
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
      expect(await shield.refused(ben, 7)).toEqual([7]);
      await shield.redis.command('FLUSHALL');
      expect(await shield.refused(ben, 7)).toEqual([]);
    });

    /** One whose patience ends, and whose bypass ends when the test says so. */
    function anImpatient() {
      const clock = aClock();
      const impatient = aShield(connect(), { ...unhurried, patienceMs: 200, clock });
      const { redis, note, drop, refused } = impatient;
      return {
        ...{ clock, redis, note, drop, refused },
        worksAgain: (seatNo: number) =>
          eventually(
            async () => {
              clock.advance(1_000);
              note(eventId, [{ seatNo, userId: anna, fence: 1, heldForMs: null }]);
              return (await refused(ben, seatNo))?.includes(seatNo) ?? false;
            },
            { withinMs: 120_000, what: 'the shield to work again' },
          ),
      };
    }

    test('while it hangs, one call waits for a moment and the next ones not at all; then it works again', async () => {
      const { clock, redis, note, drop, refused, worksAgain } = anImpatient();
      await worksAgain(19);
      await eventually(() => redis.ended === redis.sent, { withinMs: 60_000, what: 'every answer' });
      const before = { sent: redis.sent, ended: redis.ended };
      await whilePaused(engine, async () => {
        expect(await refused(ben, 1)).toEqual([]);
        // Its buyer had the answer although Redis has none yet, and has not even given the call up.
        expect(redis).toMatchObject({ sent: before.sent + 1, ended: before.ended });
        for (let n = 0; n < 200; n++) expect(await refused(ben, 1)).toEqual([]);
        note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
        drop(eventId, [{ seatNo: 1, fence: 1 }]);
        expect(redis.sent).toBe(before.sent + 1);
        clock.advance(1_000);
        for (let n = 0; n < 200; n++) expect(await refused(ben, 1)).toEqual([]);
        expect(redis).toMatchObject({ sent: before.sent + 2, ended: before.ended });
      });
      await worksAgain(20);
    });

    test('while it is gone, nothing is refused and nothing rejects; then it works again', async () => {
      const { clock, note, drop, refused, worksAgain } = anImpatient();
      await whileStopped(engine, async () => {
        for (let n = 0; n < 20; n++) {
          expect(await refused(ben, 1)).toEqual([]);
          clock.advance(1_000);
          note(eventId, [{ seatNo: 1, userId: anna, fence: 1, heldForMs: null }]);
          clock.advance(1_000);
          drop(eventId, [{ seatNo: 1, fence: 1 }]);
        }
      });
      await worksAgain(21);
    });
  });
});
