import { expect, test } from 'vitest';
import { safePath } from './safe-path.ts';

test.each(['/', '/me', '/events/1?tab=prices#top', '/search?q=우르르'])('%s is a path of this site', (path) => {
  expect(safePath(path)).toBe(path);
});

test.each([
  '//evil.test',
  '/\\evil.test',
  '/\t/evil.test',
  '/..//evil.test',
  'https://evil.test',
  'javascript:alert(1)',
  'me',
  '',
  7,
  undefined,
])('%s leads home', (path) => {
  expect(safePath(path)).toBe('/');
});
