import { useSyncExternalStore } from 'react';
import { keep, keptTicketsKey, readKept } from './kept.ts';

/**
 * The cookies of a session cannot be read here (HttpOnly), so the page keeps the name it was signed in with. It proves
 * nothing: it spares strangers a call that would be refused, draws the header right from the start, and tells other tabs.
 * Empty: somebody who went to sign in elsewhere and may come back signed in.
 */
const storageKey = 'urr.session';
const refreshKey = 'urr.refreshed';
const listeners = new Set<() => void>();

addEventListener('storage', (event) => {
  if (event.key === storageKey || event.key === null) tell();
});

export function useSessionHint(): string | null {
  return useSyncExternalStore(subscribe, () => readKept(storageKey));
}

export function keepSessionHint(name: string | null): void {
  keep(storageKey, name);
  if (name === null) keep(keptTicketsKey, null);
  tell();
}

export const lastRefresh = {
  read: () => Number(readKept(refreshKey) ?? 0),
  write: (ms: number) => keep(refreshKey, String(ms)),
};

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
