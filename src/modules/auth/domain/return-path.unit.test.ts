import fc from 'fast-check';
import { expect, it } from 'vitest';
import { safeReturnPath } from './return-path.ts';

it.each([
  ['/events/1?tab=seats#map', '/events/1?tab=seats#map'],
  ['/', '/'],
  [undefined, '/'],
  ['', '/'],
  ['events', '/'],
  ['//evil.example/x', '/'],
  ['/\\evil.example', '/'],
  ['/..//evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['https://evil.example', '/'],
  ['javascript:alert(1)', '/'],
  [`/${'a'.repeat(600)}`, '/'],
  [`/${'가'.repeat(500)}`, '/'],
])('%j leads to %j', (asked, path) => {
  expect(safeReturnPath(asked)).toBe(path);
});

it('never leaves the site, whatever is asked for', () => {
  const piece = fc.constantFrom('/', '\\', '.', '..', ':', '@', 'evil.example', '%2f', '\t', '?', '#', 'http:', 'a');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const site = 'https://tickets.example';
      expect(new URL(safeReturnPath(pieces.join('')), site).origin).toBe(site);
    }),
  );
});
