import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScoredSet, type ScoredMember } from './scored-set.ts';

function sorted(entries: Iterable<ScoredMember>): ScoredMember[] {
  return [...entries].sort((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1));
}

describe('a scored set', () => {
  it('answers like a sorted array, whatever is added and deleted', () => {
    // Few scores, so that many members share one; long enough for blocks to split, to empty and to be joined.
    const step = fc.record({ member: fc.nat({ max: 3_000 }), score: fc.nat({ max: 400 }), add: fc.nat({ max: 9 }) });
    const steps = fc.array(step, { minLength: 1, maxLength: 6_000, size: 'max' });
    const property = fc.property(fc.noBias(steps), fc.boolean(), (played, shrinking) => {
      const set = createScoredSet();
      const expected = new Map<string, ScoredMember>();
      for (const [index, { member: id, score, add }] of played.entries()) {
        const member = `user ${id}`;
        const known = expected.get(member);
        if (known !== undefined) set.delete(known.score, member);
        expected.delete(member);
        const wanted = shrinking && index > played.length / 2 ? add < 1 : add < 9;
        if (!wanted) continue;
        set.add(score, member);
        expected.set(member, { score, member });
      }
      const inOrder = sorted(expected.values());
      expect(set.size()).toBe(inOrder.length);
      expect(set.first()).toEqual(inOrder[0] ?? null);
      expect(inOrder.map((_, rank) => set.at(rank))).toEqual(inOrder);
      expect(inOrder.map(({ score, member }) => set.rank(score, member))).toEqual(inOrder.map((_, rank) => rank));
      expect(inOrder.every(({ score, member }) => set.has(score, member))).toBe(true);
      expect(set.has(57, 'nobody')).toBe(false);
      expect(set.upTo(Number.POSITIVE_INFINITY, inOrder.length)).toEqual(inOrder);
      for (const score of [-1, 0, 1, 57, 200, 399, 400, 401]) {
        const below = inOrder.filter((entry) => entry.score <= score);
        expect(set.countUpTo(score)).toBe(below.length);
        expect(set.upTo(score, 7)).toEqual(below.slice(0, 7));
        expect(set.holder(score)).toBe(inOrder.find((entry) => entry.score === score)?.member ?? null);
      }
    });
    fc.assert(property, { numRuns: 40 });
  });

  it('takes members in at the end, at the front and in between', () => {
    const set = createScoredSet();
    for (let score = 0; score < 3_000; score += 3) set.add(score, 'a');
    for (let score = 2_998; score > 0; score -= 3) set.add(score, 'b');
    for (let score = -1; score > -1_000; score -= 1) set.add(score, 'c');
    expect(set.first()).toEqual({ score: -999, member: 'c' });
    expect(set.rank(0, 'a')).toBe(999);
    expect(set.at(1_000)).toEqual({ score: 1, member: 'b' });
  });

  it('refuses what is there already or is not there', () => {
    const set = createScoredSet();
    expect(() => set.delete(1, 'ann')).toThrow('not in the set');
    set.add(1, 'ann');
    expect(() => set.add(1, 'ann')).toThrow('in the set already');
    expect(() => set.rank(2, 'ann')).toThrow('not in the set');
    expect(() => set.at(1)).toThrow('rank 1 is not in a set of 1');
  });
});
