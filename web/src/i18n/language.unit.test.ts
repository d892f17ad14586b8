import { expect, test } from 'vitest';
import { detectLanguage } from './language.ts';

test('what was chosen before comes first', () => {
  expect(detectLanguage('en', ['ko-KR'])).toBe('en');
});

test('then the first language of the browser that we speak', () => {
  expect(detectLanguage(null, ['ja-JP', 'en-US', 'ko-KR'])).toBe('en');
  expect(detectLanguage('xx', ['ko-KR', 'en-US'])).toBe('ko');
});

test('and Korean when there is none', () => {
  expect(detectLanguage(null, ['ja-JP'])).toBe('ko');
});
