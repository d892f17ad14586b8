import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packPlaceOrder } from './place-order.ts';
import { breakpointRanks, rankOf } from './ranks.ts';

/** A line of people at these orders, and the breakpoints that a snapshot has of it. */
function aLine(orders: readonly number[]) {
  const sorted = [...new Set(orders)].sort((a, b) => a - b);
  const breakpoints = breakpointRanks(sorted.length).map((rank) => ({ rank, order: sorted[rank - 1] ?? 0 }));
  return { sorted, rank: (order: number) => rankOf(order, breakpoints, sorted.length), breakpoints };
}

const general = (number: number, era = 1) => packPlaceOrder({ lane: 1, era, number });
const range = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

describe('the ranks of breakpoints', () => {
  it('are every fiftieth to 2,001, then 2 % apart, and the last', () => {
    expect(breakpointRanks(0)).toEqual([]);
    expect(breakpointRanks(1)).toEqual([1]);
    expect(breakpointRanks(2)).toEqual([1, 2]);
    expect(breakpointRanks(51)).toEqual([1, 51]);
    expect(breakpointRanks(52)).toEqual([1, 51, 52]);
    expect(breakpointRanks(2_500).slice(39)).toEqual([
      1_951, 2_001, 2_041, 2_081, 2_122, 2_164, 2_207, 2_251, 2_296, 2_341, 2_387, 2_434, 2_482, 2_500,
    ]);
  });

  it('stay few however many wait', () => {
    expect(breakpointRanks(1_000_000).length).toBeLessThan(370);
    expect(breakpointRanks(10_000_000).length).toBeLessThan(500);
  });
});

describe('a rank by breakpoints', () => {
  it('is exact in a line without gaps, over lanes and eras', () => {
    const presale = range(1, 300).map((number) => packPlaceOrder({ lane: 0, era: 1, number }));
    const { sorted, rank } = aLine([
      ...presale,
      ...range(1, 5_000).map((n) => general(n)),
      ...range(1, 700).map((n) => general(n, 2)),
    ]);
    expect(sorted.map(rank)).toEqual(sorted.map((_, index) => index + 1));
  });

  it('is near the truth in a line with gaps', () => {
    const { sorted, rank } = aLine(range(1, 1_000_000, 7).map((number) => general(number)));
    const errors = sorted.map((order, index) => Math.abs(rank(order) - (index + 1)));
    expect(errors.reduce((a, b) => Math.max(a, b), 0)).toBeLessThanOrEqual(1);
  });

  it('is exact at a breakpoint, near it between, and never smaller for a later order', () => {
    const orders = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 1_500, size: 'max' });
    fc.assert(
      fc.property(orders, (numbers) => {
        const { sorted, rank, breakpoints } = aLine(numbers.map((number) => general(number)));
        const all = range(general(1), general(3_001)).map(rank);
        expect(all).toEqual(all.toSorted((a, b) => a - b));
        for (const point of breakpoints) expect(rank(point.order)).toBe(point.rank);
        // Two breakpoints are never further apart, so nobody can be told to be further from the truth.
        const errors = sorted.map((order, index) => Math.abs(rank(order) - (index + 1)));
        expect(Math.max(...errors)).toBeLessThan(50);
      }),
      { numRuns: 30 },
    );
  });

  it('of who is ahead of everybody is 1, and of who came since the snapshot behind everybody', () => {
    const { rank } = aLine(range(101, 200).map((number) => general(number)));
    expect(rank(general(1))).toBe(1);
    expect(rank(general(201))).toBe(101);
    expect(rank(general(300))).toBe(200);
    expect(rank(general(1, 2))).toBe(101);
    expect(rankOf(general(7), [], 0)).toBe(1);
  });
});
