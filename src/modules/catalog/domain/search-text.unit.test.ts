import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchTerms, searchTermsMax, searchText } from './search-text.ts';

test('spacing, case, width and composition of letters make no difference', () => {
  expect(searchText('종이 비행선', 'Paper  AIRSHIP!')).toBe('종이비행선 paperairship');
  expect(searchText('종이'.normalize('NFD'))).toBe('종이');
  expect(searchText('Ｐａｐｅｒ')).toBe('paper');
});

test('words that are not there are left out', () => {
  expect(searchText('모래', null)).toBe('모래');
});

test('a query is split into its different words', () => {
  expect(searchTerms('  종이 Paper 종이 ')).toEqual(['종이', 'paper']);
  expect(searchTerms('% _ \\')).toEqual([]);
});

test('terms never hold anything that LIKE would take for a wildcard, and are bounded in number', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (query) => {
      const terms = searchTerms(query);
      expect(terms.length).toBeLessThanOrEqual(searchTermsMax);
      for (const term of terms) expect(term).toMatch(/^[\p{L}\p{N}]+$/u);
    }),
  );
});

test('every name is found by any part of itself', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[가-힣]{2,12}$/), fc.nat(11), fc.nat(11), (name, from, length) => {
      const part = name.slice(from, from + length + 1);
      for (const term of searchTerms(part)) expect(searchText(name)).toContain(term);
    }),
  );
});
