import { keep, readKept } from '../app/kept.ts';

export const languages = ['ko', 'en'] as const;
export type Language = (typeof languages)[number];

const storageKey = 'urr.language';

/** What the visitor chose before; else the first language of the browser that we speak; else Korean. */
export function detectLanguage(kept: string | null, spoken: readonly string[]): Language {
  if (isLanguage(kept)) return kept;
  return spoken.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'ko';
}

export function readLanguage(): Language {
  return detectLanguage(readKept(storageKey), navigator.languages);
}

export function keepLanguage(language: Language): void {
  keep(storageKey, language);
}

function isLanguage(text: string | null): text is Language {
  return text === 'ko' || text === 'en';
}
