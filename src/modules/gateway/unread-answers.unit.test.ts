import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createUnreadAnswers } from './unread-answers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { promptMs: 1_000, unreadMax: 2, unreadMs: 60_000 };

function aRole() {
  const answers = createUnreadAnswers(limits);
  return () => {
    const seen: string[] = [];
    const over = answers.watch({ setAside: () => void seen.push('aside'), cutOff: () => void seen.push('cut off') });
    return { seen, over };
  };
}

test('an answer that is read at once is left alone', () => {
  const answer = aRole()();
  vi.advanceTimersByTime(limits.promptMs - 1);
  answer.over();
  vi.advanceTimersByTime(10 * limits.unreadMs);
  expect(answer.seen).toEqual([]);
});

test('one that is not is set aside, and cut off when it takes too long', () => {
  const answer = aRole()();
  vi.advanceTimersByTime(limits.promptMs);
  expect(answer.seen).toEqual(['aside']);
  vi.advanceTimersByTime(limits.unreadMs - 1);
  expect(answer.seen).toEqual(['aside']);
  vi.advanceTimersByTime(1);
  expect(answer.seen).toEqual(['aside', 'cut off']);
});

test('one that was read slowly is not cut off', () => {
  const answer = aRole()();
  vi.advanceTimersByTime(limits.promptMs);
  answer.over();
  vi.advanceTimersByTime(10 * limits.unreadMs);
  expect(answer.seen).toEqual(['aside']);
});

test('when too many are unread the oldest is cut off, and those which were read count no more', () => {
  const begin = aRole();
  const [first, second, third, fourth] = [begin(), begin(), begin(), begin()];
  first.over();
  vi.advanceTimersByTime(limits.promptMs);
  expect([first, second, third, fourth].map(({ seen }) => seen)).toEqual([
    [],
    ['aside', 'cut off'],
    ['aside'],
    ['aside'],
  ]);
  third.over();
  const fifth = begin();
  vi.advanceTimersByTime(limits.promptMs);
  expect([fourth.seen, fifth.seen]).toEqual([['aside'], ['aside']]);
});
