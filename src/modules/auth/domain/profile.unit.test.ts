import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEmail, parseName, parsePassword } from './profile.ts';

describe('an email', () => {
  it.each([
    ['  Mina@Example.COM ', 'mina@example.com'],
    ['ｍｉｎａ@example.com', 'mina@example.com'],
    ['first.last+tag@sub.example.co.kr', 'first.last+tag@sub.example.co.kr'],
    ['민아@예시.한국', '민아@예시.한국'],
  ])('%j is kept as %j', (given, kept) => {
    expect(parseEmail(given)).toEqual({ ok: true, value: kept });
  });

  it.each([
    'not-an-email',
    'a@b',
    'a b@example.com',
    '@example.com',
    'a@-example.com',
    'a@example..com',
    'a@@example.com',
    'a\u0000@example.com',
    `${'a'.repeat(65)}@example.com`,
    'a@example.com\r\nBcc: b@example.com',
    '\ud800@example.com',
  ])('%j is refused', (given) => {
    expect(parseEmail(given).ok).toBe(false);
  });

  it('keeps its spelling when it is parsed again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'grapheme' })), (text) => {
        const once = parseEmail(text);
        if (once.ok) expect(parseEmail(once.value)).toEqual(once);
      }),
    );
  });
});

describe('a name', () => {
  it('is trimmed and its inner space is one', () => {
    expect(parseName('  김   민아 ')).toEqual({ ok: true, value: '김 민아' });
  });

  it('counts characters, not code units', () => {
    expect(parseName('🎫'.repeat(80)).ok).toBe(true);
    expect(parseName('🎫'.repeat(81)).ok).toBe(false);
  });

  it.each(['', '   ', 'a\u0000b', 'a\nb', 'abc\u202ecba', 'a\u200bb'])('%j is refused', (given) => {
    expect(parseName(given).ok).toBe(false);
  });
});

describe('a password', () => {
  it('is the same however its letters were composed', () => {
    const composed = 'pässwörd-한글';
    expect(parsePassword(composed.normalize('NFD'))).toEqual(parsePassword(composed.normalize('NFC')));
  });

  it.each([
    ['1234567', false],
    ['12345678', true],
    ['🎫'.repeat(128), true],
    ['x'.repeat(129), false],
    ['12345678\u0000', false],
  ])('%j is accepted: %s', (given, accepted) => {
    expect(parsePassword(given).ok).toBe(accepted);
  });

  it('keeps its spaces', () => {
    expect(parsePassword(' spaced out ')).toEqual({ ok: true, value: ' spaced out ' });
  });
});
