import { describe, expect, test } from 'vitest';
import { createFormats } from './formats.ts';

/** Half past seven in the evening in Seoul. */
const evening = Date.parse('2026-12-05T10:30:00Z');

describe('times', () => {
  test('are told in Seoul, wherever the reader is, and say so to anyone elsewhere', () => {
    expect(createFormats('ko', 'America/New_York').dateTime(evening)).toBe(
      '2026년 12월 5일 (토) 오후 7:30 (한국 시각)',
    );
    expect(createFormats('en', 'Asia/Seoul').dateTime(evening)).toBe('Sat 5 Dec 2026, 19:30');
    expect(createFormats('en', 'America/New_York').time(evening)).toBe('19:30 KST');
    expect(createFormats('ko', 'Asia/Tokyo').time(evening)).toBe('오후 7:30');
  });

  test('come with the reader’s own time when that differs', () => {
    expect(createFormats('en', 'America/New_York').viewerTime(evening)).toEqual({
      time: '5 Dec, 05:30',
      offset: 'UTC−5',
    });
    expect(createFormats('en', 'Asia/Kolkata').viewerTime(evening)?.offset).toBe('UTC+5:30');
    expect(createFormats('en', 'UTC').viewerTime(evening)?.offset).toBe('UTC+0');
  });

  test('stand alone where clocks show the same, as in Tokyo', () => {
    expect(createFormats('ko', 'Asia/Tokyo').viewerTime(evening)).toBeNull();
    expect(createFormats('ko', 'Asia/Seoul').viewerTime(evening)).toBeNull();
  });
});

test('money is whole won', () => {
  expect(createFormats('ko').krw(132_000)).toBe('132,000원');
  expect(createFormats('en').krw(132_000)).toBe('₩132,000');
});
