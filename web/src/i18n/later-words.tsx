import { type Context, createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { useI18n } from './i18n.tsx';
import { type Language, readLanguage } from './language.ts';

/** Words that only some pages need, in files of their own: the queue and the seats do not pay for them. */
export interface LaterWords<Words> {
  readonly loaded: ReadonlyMap<Language, Words>;
  readonly context: Context<Words | null>;
  fetch(language: Language): Promise<void>;
  /** For the router, which fetches them beside the page's own file: the page has them when it is first drawn. */
  with<Page>(page: Promise<Page>): Promise<Page>;
}

export function laterWords<Words>(loaders: Readonly<Record<Language, () => Promise<Words>>>): LaterWords<Words> {
  const loaded = new Map<Language, Words>();
  const fetch = async (language: Language) => void loaded.set(language, await loaders[language]());
  return {
    loaded,
    context: createContext<Words | null>(null),
    fetch,
    async with(page) {
      const [found] = await Promise.all([page, fetch(readLanguage())]);
      return found;
    },
  };
}

export function useLaterWords<Words>({ context }: LaterWords<Words>): Words {
  const words = useContext(context);
  if (words === null) throw new Error('words that were not provided');
  return words;
}

/** Gives the words of the reader's language to what is inside. Those of the other one stay until those of this one have come. */
export function Spoken<Words>({
  store,
  children,
}: {
  readonly store: LaterWords<Words>;
  readonly children: ReactNode;
}) {
  const { loaded, context: Words } = store;
  const { language } = useI18n();
  const [shown, show] = useState(language);
  useEffect(() => {
    // Without a network the words cannot be had; the next visit has them.
    void store.fetch(language).then(
      () => show(language),
      () => undefined,
    );
  }, [store, language]);
  const words = loaded.get(language) ?? loaded.get(shown) ?? [...loaded.values()][0];
  return words === undefined ? null : <Words value={words}>{children}</Words>;
}
