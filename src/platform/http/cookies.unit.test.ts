import fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import { describe, expect, test } from 'vitest';
import { eraseCookie, readCookie, readCookies, writeCookie } from './cookies.ts';

describe('cookies', () => {
  test('are found by their whole name', () => {
    const header = 'a=1; not-urr-access=no; urr-access-2=no; urr-access=yes; b=2';
    expect(readCookie(header, 'urr-access')).toBe('yes');
    expect(readCookie('x=urr-access=no', 'urr-access')).toBeNull();
    expect(readCookie('urr-access="quoted"', 'urr-access')).toBe('quoted');
    expect(readCookie('', 'urr-access')).toBeNull();
  });

  test('by a prefix are bounded in number', () => {
    const header = Array.from({ length: 20 }, (_, i) => `t-${i}=v${i}`).join('; ');
    expect(readCookies(header, { prefix: 't-', countMax: 3 })).toEqual(['v0', 'v1', 'v2']);
    expect(readCookies('x=t-1=no; t-2', { prefix: 't-', countMax: 3 })).toEqual([]);
  });

  test('agree with cutting the header at each semicolon', () => {
    const name = fc.constantFrom('a', 'aa', 'a-a', 'b', 'ab');
    const value = fc.stringMatching(/^[a-z=]{0,6}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value)), name, (pairs, wanted) => {
        const header = pairs.map(([key, text]) => `${key}=${text}`).join('; ');
        expect(readCookie(header, wanted)).toBe(pairs.find(([key]) => key === wanted)?.[1] ?? null);
      }),
    );
  });
});

describe('writing cookies', () => {
  const written: string[] = [];
  // Only `header` is called.
  const reply = { header: (_name: string, value: string) => written.push(value) } as unknown as FastifyReply;
  const attributes = { name: 'urr-access', path: '/', httpOnly: true, secure: true, sameSite: 'Lax' } as const;

  test('every attribute is written, and the value cannot end the cookie', () => {
    writeCookie(reply, { ...attributes, value: 'a;b c', maxAgeSeconds: 59.9 });
    expect(written.pop()).toBe('urr-access=a%3Bb%20c; Max-Age=59; Path=/; SameSite=Lax; HttpOnly; Secure');
  });

  test('erasing ends the same cookie at once', () => {
    eraseCookie(reply, { ...attributes, secure: false });
    expect(written.pop()).toBe('urr-access=; Max-Age=0; Path=/; SameSite=Lax; HttpOnly');
  });
});
