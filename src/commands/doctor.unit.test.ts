import { describe, expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { redisClock, Warning, whatWaits } from './doctor.ts';

const clock = aClock();
const aheadBy = (ms: number) => ({
  command: async (name: string) => {
    if (name !== 'TIME') throw new Error(`${name} was asked`);
    const nowMs = clock.now() + ms;
    return [String(Math.floor(nowMs / 1_000)), String((nowMs % 1_000) * 1_000)];
  },
});

test.each([2_001, -2_001, 3_600_000])('a clock of Redis that is %i ms off is a warning', async (ms) => {
  const asked = redisClock(aheadBy(ms), clock);
  await expect(asked).rejects.toBeInstanceOf(Warning);
  await expect(asked).rejects.toThrow(`Redis is ${ms} ms off`);
});

test.each([0, 2_000, -2_000])('a clock of Redis that is %i ms off is none', async (ms) => {
  expect(await redisClock(aheadBy(ms), clock)).toBe(`${ms} ms between this machine and Redis`);
});

describe('what waits on the bus', () => {
  const calm = {
    letterCounts: async () => [{ topic: 'orders', group: 'tax', state: 'retrying' as const, count: 3 }],
    refusedRows: async () => [],
    outboxBacklog: async () => ({ rows: 2, oldestMs: 900 }),
  };

  test('is no warning while it moves by itself', async () => {
    expect(await whatWaits(calm)).toBe('2 in the outbox, no letter waits for a person');
  });

  test('is a warning that names the command to look with', async () => {
    const busy = {
      letterCounts: async () => [{ topic: 'orders', group: 'tax', state: 'waiting-for-a-person' as const, count: 4 }],
      refusedRows: async () => [aRefusedRow],
      outboxBacklog: async () => ({ rows: 7, oldestMs: 61_000 }),
    };
    await expect(whatWaits(busy)).rejects.toThrow(
      new Warning(
        '4 letters wait for a person (urr bus letters); the broker refuses 1 events (urr bus refused); ' +
          '7 events wait in the outbox, the oldest for 61 s (urr bus lag)',
      ),
    );
  });

  const aRefusedRow = {
    id: 1,
    topic: 'orders',
    partition: 0,
    key: 'k',
    type: 'T',
    bytes: 10,
    reason: 'MESSAGE_TOO_LARGE',
    ageMs: 5,
    behind: 0,
  };
});
