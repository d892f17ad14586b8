import { expect, test } from 'vitest';
import { enAccount } from './account/en.ts';
import { koAccount } from './account/ko.ts';
import { en } from './en.ts';
import { ko } from './ko.ts';
import { enPurchase } from './purchase/en.ts';
import { koPurchase } from './purchase/ko.ts';

/** Words that readers stumbled over, and two for one thing. */
const stumbled = {
  ko: ['자리를 비', '낱말', '그리지', '밝기', '순번'],
  en: ['taken on', 'be told', 'anew', 'away for a moment'],
};

/** Every text; where one is put together, by what it is put together with. */
function texts(of: unknown): string[] {
  if (typeof of === 'string') return [of];
  if (typeof of === 'function') return [String(of)];
  return Object.values(of as object).flatMap(texts);
}

test.each([
  ['ko', [ko, koAccount, koPurchase]],
  ['en', [en, enAccount, enPurchase]],
] as const)('the texts of the pages (%s) have none of the words that readers stumbled over', (language, all) => {
  const found = texts(all).filter((text) => stumbled[language].some((word) => text.includes(word)));
  expect(found).toEqual([]);
});
