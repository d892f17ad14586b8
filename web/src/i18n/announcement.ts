import { useCallback, useState } from 'react';
import { useI18n } from './i18n.tsx';

/** What a live region says, and how to say it. Said in one language, it is gone when the reader turns to the other. */
export function useAnnouncement(): readonly [string, (text: string) => void] {
  const { language } = useI18n();
  const [said, setSaid] = useState({ text: '', language });
  const say = useCallback((text: string) => setSaid({ text, language }), [language]);
  return [said.language === language ? said.text : '', say];
}
