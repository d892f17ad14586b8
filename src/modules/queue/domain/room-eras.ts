import { eraMax } from './place-order.ts';

/**
 * Who counts in which era. The store's sequence and tier 1 never share one, since for some seconds processes disagree about a
 * switch. Each of them goes on behind all that either has used:
 *
 *   store 0 ──on──▶ tier 1: 1 ──off──▶ store 2 ──on──▶ tier 1: 3 ──off──▶ store 4 …
 */
export interface RoomEras {
  /** Of the store's own numbers. */
  readonly era: number;
  readonly room: { readonly on: boolean; readonly era: number; readonly version: number };
}

export interface RoomWanted {
  readonly on: boolean;
  /** Tier 1 wants to begin anew: an era that is not later than this one will not do. */
  readonly laterThan?: number;
}

export type RoomSwitched = ({ readonly status: 'switched' | 'kept' } & RoomEras) | { readonly status: 'no-era-left' };

/** From here on no room is switched on: one era is for switching off again, and one for the next loss of the store. */
const eraOfNoActivation = eraMax - 2;

export function switchRoom(now: RoomEras, { on, laterThan = 0 }: RoomWanted): RoomSwitched {
  const { room } = now;
  if (room.on === on && (!on || room.era > laterThan)) return { status: 'kept', ...now };
  const last = Math.max(now.era, room.era);
  const version = room.version + 1;
  if (!on) {
    // Behind the last era there is none: the sequence goes on in it, behind all that were given.
    const era = Math.min(last + 1, eraMax);
    return { status: 'switched', era, room: { on, era: room.era, version } };
  }
  if (last >= eraOfNoActivation) return { status: 'no-era-left' };
  // An era that tier 1 was given and the journal has forgotten, as after a restore, is not given again.
  const era = Math.max(last, laterThan) + 1;
  if (era > eraOfNoActivation) return { status: 'no-era-left' };
  return { status: 'switched', era: now.era, room: { on, era, version } };
}
