import { useSyncExternalStore } from 'react';
import { keep, readKept } from './kept.ts';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'urr.theme';
const darkSystem = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();
let current: Theme = themes.find((theme) => theme === readKept(storageKey)) ?? 'system';

darkSystem.addEventListener('change', apply);

/** The chosen theme and the way to choose another. public/first-paint.js has set the first one already, and keeps the same colours of the browser's bars. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, () => current), setTheme];
}

function setTheme(theme: Theme): void {
  current = theme;
  keep(storageKey, theme === 'system' ? null : theme);
  apply();
  for (const listener of listeners) listener();
}

function apply(): void {
  const dark = current === 'dark' || (current === 'system' && darkSystem.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', dark ? '#131210' : '#f5f1e8');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
