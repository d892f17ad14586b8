import type { SeatLookNumber } from './seat.ts';

/** What one reading of the ledger changed. */
export interface ChangeSet {
  /** Counts the sets of this map in this process, without gaps. */
  readonly serial: number;
  /** The transaction id up to which everything is in it. */
  readonly upTo: number;
  /** What a reader knows who has it. */
  readonly version: number;
  /** Seats as they look afterwards. */
  readonly seats: readonly (readonly [seatNo: number, look: SeatLookNumber])[];
}

/**
 * The last change sets of a map. A reader who knows a version gets everything after it; one for whom something is missing
 * has to read the whole map.
 *
 * A version is a transaction id, so it means the same in every process, and behind it which beginning of this ring at that id it
 * is of. The second part is for a map that begins again while the oldest transaction is still under way: everybody has to read it
 * although the id is the same, and the next id would claim what that transaction is yet to write.
 */
export interface ChangeRing {
  readonly version: number;
  readonly serial: number;
  /** Null: too much at once, so everybody has to read the map again. */
  append(change: Pick<ChangeSet, 'upTo' | 'seats'>): ChangeSet | null;
  /** Forgets all sets: everybody has to read the map again. */
  begin(upTo: number): void;
  /** Null: too far behind, or ahead of this process, which has read to this transaction id. */
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

/** At one transaction id. Small enough for 15 digits in all, which are whole numbers everywhere. */
const beginningsMax = 1_000;

export function versionOf(upTo: number, beginning = 0): number {
  return upTo * beginningsMax + beginning;
}

export function createChangeRing(limits: ChangeRingLimits, firstUpTo: number): ChangeRing {
  let sets: (ChangeSet & { readonly isRepeated: boolean })[] = [];
  let upTo = firstUpTo;
  let version = versionOf(firstUpTo);
  let serial = 0;
  let seatsKept = 0;
  /** Changes after this one are all here. */
  let base = version;

  function begin(next: number): void {
    sets = [];
    seatsKept = 0;
    // A new one in any case: anyone who knows the last one lacks what is not kept here.
    version = Math.max(version + 1, versionOf(next));
    upTo = Math.floor(version / beginningsMax);
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
      const next = Math.max(upTo, change.upTo);
      if (change.seats.length > limits.seatsPerSetMax) {
        begin(next);
        return null;
      }
      // Two sets may have one version: a reader who knows it may still lack the second.
      const isRepeated = next === upTo;
      serial += 1;
      upTo = next;
      version = Math.max(version, versionOf(upTo));
      const set = { serial, upTo, version, seats: change.seats, isRepeated };
      sets.push(set);
      seatsKept += set.seats.length;
      while (sets.length > limits.setsMax || seatsKept > limits.seatsMax) {
        const oldest = sets.shift();
        if (oldest === undefined) break;
        seatsKept -= oldest.seats.length;
        // A reader who knows that version may lack the second set of it.
        base = Math.max(base, versionOf(oldest.isRepeated ? oldest.upTo + 1 : oldest.upTo));
      }
      return set;
    },
    begin,
    since(known, readTo) {
      const knownUpTo = Math.floor(known / beginningsMax);
      if (known < base || knownUpTo > Math.max(readTo, upTo)) return null;
      return sets.filter((set) => set.upTo > knownUpTo || (set.upTo === knownUpTo && set.isRepeated));
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
