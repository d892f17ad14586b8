import type { ReactNode } from 'react';
import { laterWords, Spoken, useLaterWords } from '../later-words.tsx';
import type { AccountWords } from './ko.ts';

export const accountWords = laterWords<AccountWords>({
  ko: async () => (await import('./ko.ts')).koAccount,
  en: async () => (await import('./en.ts')).enAccount,
});

export function AccountWordsProvider({ children }: { readonly children: ReactNode }) {
  return <Spoken store={accountWords}>{children}</Spoken>;
}

export function useAccountWords(): AccountWords {
  return useLaterWords(accountWords);
}
