import { createDueQueue } from './due-queue.ts';

/** What the map has to know of a reservation that holds something. */
export interface LiveReservation {
  readonly id: string;
  readonly userId: string;
  readonly version: number;
  /** Its time counts only while it is pending: what is being paid for does not lapse. */
  readonly isPending: boolean;
  readonly expiresAtMs: number;
  readonly items: readonly { readonly ticketTypeId: string; readonly quantity: number }[];
}

/** The reservations of one event that hold something, by user, and the standing places of those whose time is over. */
export interface LiveReservations<Entry extends LiveReservation> {
  put(entry: Entry): void;
  remove(id: string): void;
  /** Counts what has lapsed by now; how many reservations that were. */
  settle(nowMs: number): number;
  /** Those that still hold something, the newest last. */
  ofUser(userId: string, nowMs: number): readonly Entry[];
  /** Places of a type in holds whose time is over: nobody has put them back yet, but they are free. */
  lapsedPlaces(ticketTypeId: string): number;
}

export function createLiveReservations<Entry extends LiveReservation>(): LiveReservations<Entry> {
  const byId = new Map<string, Entry>();
  const byUser = new Map<string, readonly Entry[]>();
  const lapses = createDueQueue<Entry>();
  /** Those whose places are counted as lapsed. */
  const lapsed = new Set<string>();
  const places = new Map<string, number>();

  function count({ items }: Entry, sign: 1 | -1): void {
    for (const { ticketTypeId, quantity } of items)
      places.set(ticketTypeId, (places.get(ticketTypeId) ?? 0) + sign * quantity);
  }

  function remove(id: string): void {
    const known = byId.get(id);
    if (known === undefined) return;
    byId.delete(id);
    if (lapsed.delete(id)) count(known, -1);
    const others = (byUser.get(known.userId) ?? []).filter((each) => each.id !== id);
    if (others.length === 0) byUser.delete(known.userId);
    else byUser.set(known.userId, others);
  }

  return {
    put(entry) {
      const known = byId.get(entry.id);
      if (known !== undefined && known.version >= entry.version) return;
      remove(entry.id);
      byId.set(entry.id, entry);
      // Ids grow with time.
      const own = [...(byUser.get(entry.userId) ?? []), entry].sort((a, b) => (a.id < b.id ? -1 : 1));
      byUser.set(entry.userId, own);
      if (entry.isPending) lapses.add(entry, entry.expiresAtMs);
    },
    remove,
    settle(nowMs) {
      let changed = 0;
      for (let entry = lapses.takeDue(nowMs); entry !== undefined; entry = lapses.takeDue(nowMs)) {
        // A newer version of it may be there: extended, being paid for, over.
        if (byId.get(entry.id) !== entry) continue;
        lapsed.add(entry.id);
        count(entry, 1);
        changed += 1;
      }
      return changed;
    },
    ofUser: (userId, nowMs) =>
      (byUser.get(userId) ?? []).filter(({ isPending, expiresAtMs }) => !isPending || expiresAtMs > nowMs),
    lapsedPlaces: (ticketTypeId) => places.get(ticketTypeId) ?? 0,
  };
}
