import { type ActiveRooms, type RoomRule, wholeSiteId } from '../rooms.ts';
import { type EdgeHeaders, findEntry, findPass, type Pass, type PassMemo } from './passes.ts';
import {
  eventsNamed,
  isApi,
  isForStaff,
  isMalformed,
  isOpen,
  isOpenInWholeSite,
  needsEntry,
  withoutPrefixes,
} from './paths.ts';
import type { Steps } from './steps.ts';

export interface DecideCall {
  readonly method: string;
  /** As it was sent, still encoded, without its query. */
  readonly path: string;
  /** With its question mark. */
  readonly query?: string;
  readonly headers: EdgeHeaders;
  readonly rooms: ActiveRooms;
  readonly nowMs: number;
  /** The event that the route is about, where somebody knows the routes. Otherwise the path says it. */
  readonly eventId?: string | null;
  /** Who answers the call looks at entry tokens itself, and knows better of whom they are. */
  readonly checksEntry?: boolean;
  /** The very paths of the files that the build made. Never an ending: `/events/x.js` is whatever the origin makes of it. */
  readonly files?: ReadonlySet<string>;
  readonly memo?: PassMemo;
}

export type Decision =
  /** `isGuarded`: only for those who passed, so no cache may keep the answer. */
  | { readonly status: 'pass'; readonly isGuarded: boolean; readonly pass: Pass | null }
  /** To the room. A page is sent there; a call of the API is told, since `fetch` would follow and read a document. */
  | { readonly status: 'wait'; readonly roomId: string; readonly location: string; readonly isApi: boolean }
  /** To the queue: past the room, but nobody's turn yet. */
  | { readonly status: 'enter'; readonly eventId: string; readonly location: string; readonly isApi: boolean }
  | { readonly status: 'malformed' };

const goesOn: Decision = Object.freeze({ status: 'pass', isGuarded: false, pass: null });
const malformed: Decision = Object.freeze({ status: 'malformed' });

/** The one decision of tier 1. It reads no clock, asks nobody but for MACs, and keeps nothing beside the memo it is given. */
export function* decideSteps(call: DecideCall): Steps<Decision> {
  // A browser asks whether it may ask; there is nothing to see behind it.
  if (call.method === 'OPTIONS') return goesOn;
  if (isMalformed(call.path)) return malformed;
  const path = withoutPrefixes(call.path);
  const { rooms } = call;
  if (rooms.isEmpty || isOpen(path) || call.files?.has(path) === true) return goesOn;
  const guards = guardsOf(call, path);
  let pass: Pass | null = null;
  for (const { eventId: roomId } of guards) {
    pass = yield* findPass(call, roomId);
    if (pass === null) return { status: 'wait', roomId, ...roomFor(call, path, roomId) };
  }
  const eventId = guards.at(-1)?.eventId;
  if (eventId === undefined) return goesOn;
  if (eventId !== wholeSiteId && call.checksEntry !== true && needsEntry(path)) {
    const entry = pass?.by === 'entry' ? pass : yield* findEntry(call, eventId);
    if (entry === null) return { status: 'enter', eventId, location: `/queue/${eventId}`, isApi: isCall(call, path) };
  }
  return { status: 'pass', isGuarded: true, pass };
}

/** The room over everything first, then those of the events that are named: whoever names two has to have passed both. */
function guardsOf({ rooms, eventId }: DecideCall, path: string): readonly RoomRule[] {
  const guards: RoomRule[] = [];
  if (rooms.wholeSite !== null && !isOpenInWholeSite(path)) guards.push(rooms.wholeSite);
  if (rooms.byEvent.size === 0) return guards;
  if (typeof eventId !== 'string' && isForStaff(path)) return guards;
  for (const id of typeof eventId === 'string' ? [eventId.toLowerCase()] : eventsNamed(path)) {
    const room = rooms.byEvent.get(id);
    if (room !== undefined && !guards.includes(room)) guards.push(room);
  }
  return guards;
}

const nextLengthMax = 2_000;
const visible = /^[\x21-\x7e]*$/;

/** The path has one reading and begins with one slash, so `next` is an address of this very site. */
function roomFor(call: DecideCall, path: string, roomId: string): { location: string; isApi: boolean } {
  const room = `/vwr/${roomId}`;
  if (isCall(call, path)) return { location: room, isApi: true };
  const next = path + (call.query ?? '');
  const isKept = next.length <= nextLengthMax && visible.test(next);
  return { location: isKept ? `${room}?next=${encodeURIComponent(next)}` : room, isApi: false };
}

/** A redirect would turn a POST into a GET, so whatever is no reading is a call. */
function isCall({ method }: DecideCall, path: string): boolean {
  return isApi(path) || (method !== 'GET' && method !== 'HEAD');
}
