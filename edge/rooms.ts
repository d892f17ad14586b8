/** What is known of the rooms that are on. Everything else about a room is the business of the waiting room alone. */
export interface RoomsDocument {
  readonly asOfMs: number;
  readonly rooms: readonly RoomRule[];
}

export interface RoomRule {
  /** A UUID in small letters, or `*` for a room in front of the whole site. */
  readonly eventId: string;
  readonly mode: 'site' | 'gate';
  readonly era: number;
  /** What counts when the configuration could not be confirmed for ten minutes: `open`, as if the room were off; `closed`, it stays on. */
  readonly failMode: 'open' | 'closed';
  /** Of a room in front of a foreign site. */
  readonly gate?: GateRule;
}

export type GateRule = Readonly<Record<string, unknown>>;

/** The rooms of a site by what a path can name. */
export interface ActiveRooms {
  readonly byEvent: ReadonlyMap<string, RoomRule>;
  /** The room `*`. */
  readonly wholeSite: RoomRule | null;
  /** None is on: nothing needs to be looked at. */
  readonly isEmpty: boolean;
}

export const wholeSiteId = '*';
const staleAfterMs = 600_000;
const roomsMax = 10_000;
const roomId = /^(?:\*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function indexRooms(rules: readonly RoomRule[]): ActiveRooms {
  // Those of foreign sites are not named by the paths of this one.
  const ofSite = rules.filter(({ mode }) => mode === 'site');
  const byEvent = new Map(ofSite.filter(({ eventId }) => eventId !== wholeSiteId).map((rule) => [rule.eventId, rule]));
  const wholeSite = ofSite.find(({ eventId }) => eventId === wholeSiteId) ?? null;
  return { byEvent, wholeSite, isEmpty: byEvent.size === 0 && wholeSite === null };
}

/**
 * The built-in default, without any document: no room is on. Closed, a room that nobody has ever heard of would take a site
 * down whenever the waiting room is away at its start; behind it the queue still admits in order.
 */
export const noRooms: ActiveRooms = indexRooms([]);

/** `unconfirmedMs`: for how long nobody has confirmed the document. It stays good while its source is away, though not for ever. */
export function roomsInForce(known: { document: RoomsDocument; unconfirmedMs: number } | null): ActiveRooms {
  if (known === null) return noRooms;
  const { document, unconfirmedMs } = known;
  return indexRooms(
    isStale(unconfirmedMs) ? document.rooms.filter(({ failMode }) => failMode === 'closed') : document.rooms,
  );
}

/** For so long that each room goes by its own fail mode. */
export function isStale(unconfirmedMs: number): boolean {
  return unconfirmedMs >= staleAfterMs;
}

/** Null: this is no such document. One room that cannot be understood spoils all of it, since it might have guarded something. */
export function parseRooms(value: unknown): RoomsDocument | null {
  const { asOfMs, rooms } = (value ?? {}) as Partial<RoomsDocument>;
  if (typeof asOfMs !== 'number' || !Array.isArray(rooms) || rooms.length > roomsMax) return null;
  return rooms.every(isRule) ? { asOfMs, rooms } : null;
}

function isRule(value: unknown): value is RoomRule {
  const { eventId, mode, era, failMode } = (value ?? {}) as Partial<RoomRule>;
  if (typeof eventId !== 'string' || !roomId.test(eventId)) return false;
  return (
    (mode === 'site' || mode === 'gate') && (failMode === 'open' || failMode === 'closed') && Number.isInteger(era)
  );
}
