import { expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { redisClock, Warning } from './doctor.ts';

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
