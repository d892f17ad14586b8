import { describe, expect, test } from 'vitest';
import { en } from '../i18n/en.ts';
import { ko } from '../i18n/ko.ts';
import { worthTelling } from './announcements.ts';
import { failureDelayMs, pollDelayMs } from './poll-delay.ts';
import { followWait, type ShownWait } from './shown-wait.ts';
import { waitWords } from './wait-words.ts';

describe('when to ask again', () => {
  test.each([
    [5, 5_000],
    [0.8, 1_000],
    [-3, 1_000],
    [900, 60_000],
    [undefined, 3_000],
    [null, 3_000],
    [Number.NaN, 3_000],
  ])('told %s s: %i ms', (told, ms) => expect(pollDelayMs(told)).toBe(ms));

  test('failures wait longer each time, up to a limit, and as long as the server asks', () => {
    const delays = [1, 2, 3, 9].map((failures) => failureDelayMs(failures, { random: 0 }));
    expect(delays).toEqual([1_000, 2_000, 4_000, 20_000]);
    expect(failureDelayMs(1, { random: 0, retryAfterSeconds: 10 })).toBe(10_000);
    expect(failureDelayMs(1, { random: 1 })).toBe(1_500);
  });
});

describe('a wait in words', () => {
  test.each([
    [null, null, { kind: 'unknown' }],
    [5, 40, { kind: 'soon' }],
    [20, 90, { kind: 'up-to', unit: 'minutes', high: 2 }],
    [200, 350, { kind: 'minutes', low: 3, high: 6 }],
    [200, 500, { kind: 'up-to', unit: 'minutes', high: 9 }],
    [1_500, 3_001, { kind: 'up-to', unit: 'minutes', high: 55 }],
    [3_000, 6_001, { kind: 'up-to', unit: 'minutes', high: 105 }],
    [6_000, 12_001, { kind: 'up-to', unit: 'hours', high: 4 }],
    [5, 3_001, { kind: 'up-to', unit: 'minutes', high: 55 }],
    [800, 1_300, { kind: 'minutes', low: 10, high: 25 }],
    [2_500, 3_900, { kind: 'minutes', low: 40, high: 70 }],
    [8_000, 14_000, { kind: 'hours', low: 2, high: 4 }],
    [300, null, { kind: 'minutes', low: 5, high: 5 }],
  ])('%s to %s s', (low, high, words) => expect(waitWords(low, high)).toEqual(words));
});

test('a wait of which only the end is known is said so in both languages', () => {
  expect([ko.queue.waitUpTo('55', 'minutes'), ko.queue.waitUpTo('4', 'hours')]).toEqual(['최대 55분', '최대 4시간']);
  expect([en.queue.waitUpTo('55', 'minutes'), en.queue.waitUpTo('4', 'hours')]).toEqual([
    'up to 55 min',
    'up to 4 hours',
  ]);
});

describe('the wait that is shown', () => {
  const shown = (lowSeconds: number): ShownWait => ({
    lowSeconds,
    highSeconds: lowSeconds * 2,
    atMs: 0,
    because: null,
    doubtSinceMs: null,
  });
  const answer = (estimatedWait: number | null, position = 100, threshold = 10) => ({
    status: 'waiting' as const,
    estimatedWait,
    estimatedWaitHigh: estimatedWait === null ? null : estimatedWait * 2,
    position,
    threshold,
  });
  const follow = (before: ShownWait, next: ReturnType<typeof answer>, nowMs: number) =>
    followWait({ before, beforeAnswer: answer(100), answer: next, nowMs });

  test('falls at once, and runs down with the clock', () => {
    expect(follow(shown(600), answer(300), 1_000)).toMatchObject({ lowSeconds: 300, highSeconds: 600 });
    expect(follow(shown(600), answer(605), 10_000)).toMatchObject({ lowSeconds: 590, because: null });
  });

  test('grows only when it is told for a while', () => {
    const doubted = follow(shown(300), answer(900), 1_000);
    expect(doubted).toMatchObject({ lowSeconds: 299, because: null, doubtSinceMs: 1_000 });
    const believed = follow(doubted, answer(900), 17_000);
    expect(believed).toMatchObject({ lowSeconds: 900, because: 'slower' });
  });

  test('grows at once for a reason that can be named', () => {
    expect(follow(shown(300), answer(900, 100, 5), 1_000)).toMatchObject({ lowSeconds: 900, because: 'fewer' });
    expect(follow(shown(300), answer(900, 400), 1_000)).toMatchObject({ lowSeconds: 900, because: 'returned' });
  });

  test('is unknown while nobody can tell', () => {
    expect(follow(shown(300), answer(null), 1_000)).toMatchObject({ lowSeconds: null, highSeconds: null });
  });
});

describe('what is said aloud', () => {
  const at = (position: number, seconds: number) => ({ position, atMs: seconds * 1_000 });
  test.each([
    ['the first position', null, at(500, 0), true],
    ['nothing new', at(500, 0), at(500, 90), false],
    ['a step within the minute', at(500, 0), at(480, 10), false],
    ['a step after a minute', at(500, 0), at(480, 60), true],
    ['a milestone', at(120, 0), at(99, 5), true],
  ])('%s', (_, told, now, worth) => expect(worthTelling(told, now)).toBe(worth));
});
