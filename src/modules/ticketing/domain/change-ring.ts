import type { SeatLookNumber } from './seat.ts';

/** What one reading of the ledger changed. */
export interface ChangeSet {
  /** Counts the sets of this map in this process, without gaps. */
  readonly serial: number;
  /** The transaction id up to which everything is in it. */
  readonly version: number;
  /** Seats as they look afterwards. */
  readonly seats: readonly (readonly [seatNo: number, look: SeatLookNumber])[];
}

/**
 * The last change sets of a map. A reader who knows a version gets everything after it; one for whom something is missing
 * has to read the whole map. Versions are transaction ids, so they mean the same in every process.
 */
export interface ChangeRing {
  readonly version: number;
  readonly serial: number;
  /** Null: too much at once, so everybody has to read the map again. */
  append(change: { version: number; seats: ChangeSet['seats'] }): ChangeSet | null;
  /** Forgets all sets: everybody has to read the map again. */
  begin(version: number): void;
  /** Null: too far behind, or ahead of this process. */
  since(version: number, readTo: number): readonly ChangeSet[] | null;
  afterSerial(serial: number): readonly ChangeSet[] | null;
}

export interface ChangeRingLimits {
  readonly setsMax: number;
  /** Seats in all sets together. */
  readonly seatsMax: number;
  /** Seats in one set: the whole map is smaller than more of them. */
  readonly seatsPerSetMax: number;
}

export function createChangeRing(limits: ChangeRingLimits, firstVersion: number): ChangeRing {
  let sets: (ChangeSet & { readonly isRepeated: boolean })[] = [];
  let version = firstVersion;
  let serial = 0;
  let seatsKept = 0;
  /** Changes after this one are all here. */
  let base = firstVersion;

  function begin(next: number): void {
    sets = [];
    seatsKept = 0;
    // A new one in any case: whoever knows the last one lacks what is not kept here.
    version = Math.max(version + 1, next);
    base = version;
    serial += 1;
  }

  return {
    get version() {
      return version;
    },
    get serial() {
      return serial;
    },
    append(change) {
      // Never back: after a crash of the server transaction ids may repeat.
      const next = Math.max(version, change.version);
      if (change.seats.length > limits.seatsPerSetMax) {
        begin(next);
        return null;
      }
      // Two sets may have one version: a reader who knows it may still lack the second.
      const isRepeated = next === version;
      serial += 1;
      version = next;
      const set = { serial, version, seats: change.seats, isRepeated };
      sets.push(set);
      seatsKept += set.seats.length;
      while (sets.length > limits.setsMax || seatsKept > limits.seatsMax) {
        const oldest = sets.shift();
        if (oldest === undefined) break;
        seatsKept -= oldest.seats.length;
        // A reader who knows that version may lack the second set of it.
        base = oldest.isRepeated ? oldest.version + 1 : oldest.version;
      }
      return set;
    },
    begin,
    since(known, readTo) {
      if (known < base || known > Math.max(readTo, version)) return null;
      return sets.filter((set) => set.version > known || (set.version === known && set.isRepeated));
    },
    afterSerial(known) {
      const missing = serial - known;
      if (missing < 0 || missing > sets.length) return null;
      return missing === 0 ? [] : sets.slice(-missing);
    },
  };
}

/** Several sets as one: of each seat only how it looks in the end. */
export function mergeSeats(sets: readonly Pick<ChangeSet, 'seats'>[]): ChangeSet['seats'] {
  if (sets.length === 1) return sets[0]?.seats ?? [];
  const looks = new Map(sets.flatMap(({ seats }) => seats));
  return [...looks];
}
