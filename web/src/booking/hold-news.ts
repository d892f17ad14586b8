import type { Reservation } from '../reservations/reservation-types.ts';

/** What was held in one tab, and what was given up or replaced there. */
export interface HoldNews {
  readonly held: Reservation | null;
  readonly endedId: string | null;
}

/** Word between the tabs of one browser. Without the channel (old browsers) each sees it when it asks. */
export function tellHoldNews(eventId: string, news: HoldNews): void {
  const channel = open(eventId);
  channel?.postMessage(news);
  channel?.close();
}

/** Returns how to stop. */
export function listenToHolds(eventId: string, hear: (news: HoldNews) => void): () => void {
  const channel = open(eventId);
  // From a page of this site, as all that is heard here.
  channel?.addEventListener('message', ({ data }: MessageEvent<HoldNews>) => hear(data));
  return () => channel?.close();
}

function open(eventId: string): BroadcastChannel | null {
  return 'BroadcastChannel' in globalThis ? new BroadcastChannel(`urr-hold-${eventId}`) : null;
}
