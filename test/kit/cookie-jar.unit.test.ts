import { expect, test } from 'vitest';
import { createCookieJar } from './cookie-jar.ts';

test('a cookie goes back to the paths it was set for', () => {
  const jar = createCookieJar();
  jar.keep(setting('urr-access=a=b; Path=/; HttpOnly', 'urr-refresh=r; Path=/api/auth; Secure'));
  expect(jar.header('/api/events')).toBe('urr-access=a=b');
  expect(jar.header('/api/auth/refresh')).toBe('urr-access=a=b; urr-refresh=r');
  expect(jar.header('/api/authors')).toBe('urr-access=a=b');
});

test('a cookie that has expired is gone', () => {
  const jar = createCookieJar();
  jar.keep(setting('a=1; Path=/', 'b=2; Path=/'));
  jar.keep(setting('a=; Max-Age=0; Path=/', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/'));
  expect(jar.header('/')).toBe('');
});

function setting(...cookies: readonly string[]): Response {
  return new Response(null, { headers: cookies.map((cookie) => ['set-cookie', cookie] as [string, string]) });
}
