import { useSyncExternalStore } from 'react';
import { keep, keptTicketsKey, readKept } from './kept.ts';

/**
 * The cookies of a session cannot be read here (HttpOnly), so the page keeps whom it was signed in as. It proves nothing:
 * it spares strangers a call that would be refused, draws the header right from the start, and tells other tabs.
 */
export interface SessionHint {
  /** Two people may have the same name. Null: not known. */
  readonly id: string | null;
  /** Empty: somebody who went to sign in elsewhere and may come back signed in. */
  readonly name: string;
}

const storageKey = 'urr.session';
const refreshKey = 'urr.refreshed';
const listeners = new Set<() => void>();
let known: { readonly text: string | null; readonly hint: SessionHint | null } = { text: null, hint: null };

const elsewhere = new Set<() => void>();

addEventListener('storage', (event) => {
  if (event.key !== storageKey && event.key !== null) return;
  const before = known.hint?.id ?? null;
  if ((knownHint()?.id ?? null) !== before) for (const listener of elsewhere) listener();
  tell();
});

/** Another tab has signed somebody in or out. */
export function whenSignedInElsewhere(listener: () => void): void {
  elsewhere.add(listener);
}

export function useSessionHint(): SessionHint | null {
  return useSyncExternalStore(subscribe, knownHint);
}

/** The same object until somebody else is known. */
export function knownHint(): SessionHint | null {
  const text = readKept(storageKey);
  if (text !== known.text) known = { text, hint: parseHint(text) };
  return known.hint;
}

export function keepSessionHint(hint: SessionHint | null): void {
  const before = knownHint()?.id ?? null;
  keep(storageKey, hint === null ? null : JSON.stringify({ id: hint.id, name: hint.name }));
  if (hint === null || (before !== null && before !== hint.id)) keep(keptTicketsKey, null);
  tell();
}

function parseHint(text: string | null): SessionHint | null {
  if (text === null) return null;
  try {
    const { id, name } = JSON.parse(text) as { id?: unknown; name?: unknown };
    return { id: typeof id === 'string' ? id : null, name: typeof name === 'string' ? name : '' };
  } catch {
    return { id: null, name: '' };
  }
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
