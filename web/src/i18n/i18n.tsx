import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { createFormats, type Formats } from './formats.ts';
import type { Messages } from './ko.ts';
import { keepLanguage, type Language } from './language.ts';
import { loadMessages } from './load-messages.ts';

export interface I18n {
  readonly language: Language;
  setLanguage(language: Language): void;
  readonly t: Messages;
  readonly format: Formats;
  /** Of a name kept in both languages: the one to show. */
  pick(korean: string, english: string | null): string;
}

const I18nContext = createContext<I18n | null>(null);

export interface Spoken {
  readonly language: Language;
  readonly messages: Messages;
}

export function I18nProvider({ first, children }: { readonly first: Spoken; readonly children: ReactNode }) {
  const [{ language, messages }, speak] = useState(first);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo<I18n>(
    () => ({
      language,
      setLanguage(next) {
        keepLanguage(next);
        // Without a network the words cannot be had; the next visit has them.
        loadMessages(next).then(
          (found) => speak({ language: next, messages: found }),
          () => undefined,
        );
      },
      t: messages,
      format: createFormats(language),
      pick: (korean, english) => (language === 'en' ? (english ?? korean) : korean),
    }),
    [language, messages],
  );
  return <I18nContext value={value}>{children}</I18nContext>;
}

export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (i18n === null) throw new Error('useI18n outside of I18nProvider');
  return i18n;
}
