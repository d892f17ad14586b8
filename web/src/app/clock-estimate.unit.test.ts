import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateClock } from './clock-estimate.ts';

test('the quickest round trip decides', () => {
  const slow = { sentAt: 0, receivedAt: 900, serverAt: 5_000 };
  const quick = { sentAt: 1_000, receivedAt: 1_020, serverAt: 5_510 };
  expect(estimateClock([slow, quick])).toEqual({ offsetMs: 4_500, errorMs: 10 });
});

test('the true offset always lies within the stated error', () => {
  const ms = fc.integer({ min: 0, max: 5_000 });
  fc.assert(
    fc.property(fc.integer(), fc.array(fc.record({ out: ms, back: ms }), { minLength: 1 }), (offset, trips) => {
      const samples = trips.map(({ out, back }, index) => {
        const sentAt = index * 10_000;
        return { sentAt, receivedAt: sentAt + out + back, serverAt: sentAt + out + offset };
      });
      const estimate = estimateClock(samples);
      expect(Math.abs(estimate.offsetMs - offset)).toBeLessThanOrEqual(estimate.errorMs);
    }),
  );
});
