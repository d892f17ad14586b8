import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useI18n } from '../i18n.tsx';
import type { Language } from '../language.ts';
import type { PurchaseWords } from './ko.ts';

const loaders: Readonly<Record<Language, () => Promise<PurchaseWords>>> = {
  ko: async () => (await import('./ko.ts')).koPurchase,
  en: async () => (await import('./en.ts')).enPurchase,
};
const loaded = new Map<Language, PurchaseWords>();
const WordsContext = createContext<PurchaseWords | null>(null);

/** The router fetches them beside the page's file, so that the page has them when it is first drawn. */
export async function loadPurchaseWords(language: Language): Promise<void> {
  loaded.set(language, await loaders[language]());
}

/** Gives the words of the reader's language to what is inside; those of the other one stay until they have come. */
export function PurchaseWordsProvider({ children }: { readonly children: ReactNode }) {
  const { language } = useI18n();
  const [shown, show] = useState(language);
  useEffect(() => {
    // Without a network the words cannot be had; the next visit has them.
    void loadPurchaseWords(language).then(
      () => show(language),
      () => undefined,
    );
  }, [language]);
  const words = loaded.get(language) ?? loaded.get(shown) ?? [...loaded.values()][0];
  if (words === undefined) return null;
  return <WordsContext value={words}>{children}</WordsContext>;
}

export function usePurchaseWords(): PurchaseWords {
  const words = useContext(WordsContext);
  if (words === null) throw new Error('usePurchaseWords outside of PurchaseWordsProvider');
  return words;
}
