import type { KeyStorage } from './intent-key.ts';

/** What lives as long as the tab: it survives a reload, and no other tab sees it. Storage may be forbidden. */
export const tabStorage: KeyStorage = {
  get(name) {
    try {
      return sessionStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      if (value === null) sessionStorage.removeItem(name);
      else sessionStorage.setItem(name, value);
    } catch {
      // Then a reload begins anew; nothing else is lost.
    }
  },
};

/** `crypto.randomUUID` is missing on plain http, where urr may well be tried out. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
