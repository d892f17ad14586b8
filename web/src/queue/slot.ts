import { useSyncExternalStore } from 'react';
import { keep, readKept } from '../app/kept.ts';
import { serverNow } from '../app/server-clock.ts';

/**
 * Until when this browser may shop for an event, as the queue said. It opens nothing (the server checks the slot itself):
 * it lets every tab show the time that is left without asking.
 */
const keyOf = (eventId: string) => `urr.slot.${eventId}`;
const listeners = new Set<() => void>();

addEventListener('storage', (event) => {
  if (event.key === null || event.key.startsWith('urr.slot.')) tell();
});

export function keepSlot(eventId: string, endsAtMs: number | null): void {
  keep(keyOf(eventId), endsAtMs === null ? null : String(endsAtMs));
  tell();
}

/** The end of the slot, or null when there is none or it is over. */
export function useSlotEnd(eventId: string): number | null {
  const kept = useSyncExternalStore(subscribe, () => readKept(keyOf(eventId)));
  const endsAtMs = Number(kept ?? 0);
  return endsAtMs > serverNow() ? endsAtMs : null;
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
