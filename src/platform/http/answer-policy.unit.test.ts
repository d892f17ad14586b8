import { describe, expect, it } from 'vitest';
import { policyOf, withMore } from './answer-policy.ts';

const closed = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the policy of a page', () => {
  it('opens what is named, and leaves the rest closed', () => {
    expect(policyOf({})).toBe(closed);
    expect(policyOf({ 'style-src': ["'self'"], 'base-uri': ["'self'"] })).toBe(
      `${closed.replace("base-uri 'none'", "base-uri 'self'")}; style-src 'self'`,
    );
  });

  it('that is like another adds to it, and is nowhere closed and open at once', () => {
    const usual = { 'script-src': ["'self'"], 'object-src': ["'none'"], 'img-src': ['data:'] };
    expect(
      withMore(usual, { 'script-src': ['https://a.example'], 'object-src': ["'self'"], 'frame-src': ['b:'] }),
    ).toEqual({
      'script-src': ["'self'", 'https://a.example'],
      'object-src': ["'self'"],
      'img-src': ['data:'],
      'frame-src': ['b:'],
    });
  });

  it.each(["'self'; script-src *", "'self' *", 'https://a.example,b', '', 'a\r\nb'])('%j is no source', (source) => {
    expect(() => policyOf({ 'script-src': [source] })).toThrow('content security policy');
  });
});
