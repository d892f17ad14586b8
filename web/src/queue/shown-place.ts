import { useEffect, useSyncExternalStore } from 'react';

/** The event whose slot the page itself is about, where the address does not say so. */
let shownEventId: string | null = null;
const listeners = new Set<() => void>();

/** Tells the shell that this page is a step of buying for an event: the time of its slot would only confuse there. */
export function usePlaceShownHere(eventId: string | null): void {
  useEffect(() => {
    set(eventId);
    return () => set(null);
  }, [eventId]);
}

export function useShownPlace(): string | null {
  return useSyncExternalStore(subscribe, () => shownEventId);
}

function set(eventId: string | null): void {
  shownEventId = eventId;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
