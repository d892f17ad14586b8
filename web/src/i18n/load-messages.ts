import type { Messages } from './ko.ts';
import type { Language } from './language.ts';

/** Each language is a file of its own: nobody pays for the words that they do not read. */
const loaders: Readonly<Record<Language, () => Promise<Messages>>> = {
  ko: async () => (await import('./ko.ts')).ko,
  en: async () => (await import('./en.ts')).en,
};

export function loadMessages(language: Language): Promise<Messages> {
  return loaders[language]();
}
