import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { en } from './en.ts';
import { createFormats, type Formats } from './formats.ts';
import { ko, type Messages } from './ko.ts';
import { keepLanguage, type Language, readLanguage } from './language.ts';

export interface I18n {
  readonly language: Language;
  setLanguage(language: Language): void;
  readonly t: Messages;
  readonly format: Formats;
  /** Of a name kept in both languages: the one to show. */
  pick(korean: string, english: string | null): string;
}

const messages: Readonly<Record<Language, Messages>> = { ko, en };
const I18nContext = createContext<I18n | null>(null);

export function I18nProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState<Language>(readLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const value = useMemo<I18n>(
    () => ({
      language,
      setLanguage(next) {
        keepLanguage(next);
        setLanguage(next);
      },
      t: messages[language],
      format: createFormats(language),
      pick: (korean, english) => (language === 'en' ? (english ?? korean) : korean),
    }),
    [language],
  );
  return <I18nContext value={value}>{children}</I18nContext>;
}

export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (i18n === null) throw new Error('useI18n outside of I18nProvider');
  return i18n;
}
