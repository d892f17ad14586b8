import type { Reservation } from '../reservations/reservation-types.ts';
import type { HoldNews } from './hold-news.ts';

/**
 * What this browser knows of its own hold: what it was told when it held or gave up something (in this tab or another), and
 * what the server's map says, which may be a moment behind.
 */
export interface KnownHold {
  /** Undefined: nothing was told yet. */
  readonly told: Reservation | null | undefined;
  readonly endedIds: readonly string[];
}

export const nothingTold: KnownHold = { told: undefined, endedIds: [] };

export function hearNews(known: KnownHold, { held, endedId }: HoldNews): KnownHold {
  return { told: held, endedIds: endedId === null ? known.endedIds : [...known.endedIds, endedId] };
}

/** What the server says is remembered: a payment takes the hold off the map, and what became of it is still to be told. */
export function rememberHold(known: KnownHold, fromServer: Reservation): KnownHold {
  const told = currentHold(known, fromServer);
  return told === null || told === known.told ? known : { ...known, told };
}

/** The hold to show. */
export function currentHold({ told, endedIds }: KnownHold, fromServer: Reservation | null): Reservation | null {
  const server = fromServer !== null && endedIds.includes(fromServer.id) ? null : fromServer;
  if (told === undefined || told === null) return server;
  if (server === null) return told;
  if (server.id === told.id) return told.status === 'pending' ? server : told;
  return Date.parse(server.createdAt) > Date.parse(told.createdAt) ? server : told;
}
