import { useI18n } from '../i18n/i18n.tsx';

/** The title of the browser's tab: the page first, since tabs show only the beginning. */
export function TabTitle({ children }: { readonly children?: string }) {
  const { t } = useI18n();
  return <title>{children === undefined ? t.brand : `${children} · ${t.brand}`}</title>;
}
