import type { ChangeSet } from '../domain/change-ring.ts';
import { changesOf, type LiveMap } from './live-map.ts';

/** Keeps proxies and pages from taking a quiet stream for a dead one. */
export const keepAlive = ':\n\n';

const none: ChangeSet['seats'] = [];

/** Where the stream begins. A page whose map is older asks for what is in between, by `since`. */
export function beginningOf(map: LiveMap): string {
  return message(map, 'SEATS', { version: map.version(), resync: false, seats: none });
}

export function resyncOf(map: LiveMap): string {
  return message(map, 'RESYNC', { version: map.version(), resync: true, seats: none });
}

export function seatsOf(map: LiveMap, set: Pick<ChangeSet, 'version' | 'seats'>): string {
  return message(map, 'SEATS', { version: set.version, resync: false, seats: set.seats });
}

function message(map: LiveMap, event: string, change: Parameters<typeof changesOf>[0]): string {
  return `id: ${change.version}\nevent: ${event}\ndata: ${JSON.stringify(changesOf(change, map.left()))}\n\n`;
}
