import type { ReactNode } from 'react';
import { laterWords, Spoken, useLaterWords } from '../later-words.tsx';
import type { PurchaseWords } from './ko.ts';

export const purchaseWords = laterWords<PurchaseWords>({
  ko: async () => (await import('./ko.ts')).koPurchase,
  en: async () => (await import('./en.ts')).enPurchase,
});

export function PurchaseWordsProvider({ children }: { readonly children: ReactNode }) {
  return <Spoken store={purchaseWords}>{children}</Spoken>;
}

export function usePurchaseWords(): PurchaseWords {
  return useLaterWords(purchaseWords);
}
