import type { EventSnapshot } from '#modules/catalog/contract.ts';
import type { EventFacts } from '../ports.ts';

/** What the queue keeps of all that catalog tells. */
export function factsOf(event: EventSnapshot, { cancelled }: { cancelled: boolean }): EventFacts {
  return {
    eventId: event.eventId,
    title: event.title,
    artist: event.artist.name,
    startsAt: event.startsAt,
    opensAtMs: Date.parse(event.saleOpensAt),
    closesAtMs: Date.parse(event.saleClosesAt),
    queueEnabled: event.queueEnabled,
    threshold: event.queueThreshold,
    hot: event.hot,
    cancelled,
    version: event.version,
  };
}

/** Its sale has ended, or never will be. */
export function isOverAt({ cancelled, closesAtMs }: EventFacts, nowMs: number): boolean {
  return cancelled || closesAtMs <= nowMs;
}
