import { type ChangeRing, type ChangeSet, createChangeRing, mergeSeats } from '../domain/change-ring.ts';
import { createLiveReservations, type LiveReservations } from '../domain/live-reservations.ts';
import type { SeatLookNumber } from '../domain/seat.ts';
import { createSeatBoard, type SeatBoard } from '../domain/seat-board.ts';
import type { SeatPlan } from '../domain/seat-plan.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { LiveSeatMap } from '../ports.ts';
import type { SeatChanges } from '../schemas.ts';
import type { LedgerRow } from '../storage/ledger.ts';
import { type HeldReservation, heldReservationOf } from '../storage/live-reservation-row.ts';
import type { SeatMapRows } from '../storage/seat-map-rows.ts';
import type { DatabaseTime } from './database-time.ts';

/** One event's map, and how it is fed. */
export interface LiveMap extends LiveSeatMap {
  readonly eventId: string;
  readonly board: SeatBoard;
  readonly ring: ChangeRing;
  /** Grows with everything that an answer could show, lapsed holds included. */
  changeCount(): number;
  /** Own reservations that hold something, the newest last. */
  heldBy(userId: string): readonly HeldReservation[];
  /** What is left of each grade and standing area. */
  left(): Pick<SeatChanges, 'grades' | 'areas'>;
  changesSince(version: number): SeatChanges;
  /** Everything below this transaction id is in it. */
  readTo(): number;
  /** What it has read no longer goes on where it ended: the seats were built anew, or the connection was lost. */
  mustBeginAgain: boolean;
  /** Nobody feeds it any more. */
  isForgotten: boolean;
  /** Replaces everything. */
  begin(plan: SeatPlan, rows: SeatMapRows): void;
  /** Rows of one reading, all those from `readTo` on. `xmin`: every transaction below was over. */
  take(rows: readonly LedgerRow[], xmin: number): void;
  /** Called after each change that readers are to be told. */
  onChange(listener: () => void): void;
}

const ringLimits = { setsMax: 1_200, seatsMax: 100_000, seatsPerSetMax: 2_000 };

interface MapState {
  readonly plan: SeatPlan;
  readonly board: SeatBoard;
  readonly reservations: LiveReservations<HeldReservation>;
  /** In the shards, of each ticket type. */
  readonly places: Map<string, number>;
  /** What the first reading had in it already; null once everything read is newer. */
  seen: Snapshot | null;
  readTo: number;
  /** Rows from `readTo` on that were applied before their turn, with their transaction ids. */
  readonly early: Map<number, number>;
}

export function createLiveMap(options: {
  eventId: string;
  plan: SeatPlan;
  rows: SeatMapRows;
  time: DatabaseTime;
  /** Reads the database now. */
  refresh(map: LiveMap): Promise<void>;
}): LiveMap {
  const { eventId, time, refresh } = options;
  const listeners: (() => void)[] = [];
  let state = beginState(options.plan, options.rows);
  let changeCount = 0;
  const ring = createChangeRing(ringLimits, state.readTo);

  /** Every look is as of now: a hold is free at its millisecond. */
  function settled(): MapState {
    const nowMs = time.now();
    if (state.board.settle(nowMs) + state.reservations.settle(nowMs) > 0) changeCount += 1;
    return state;
  }

  const isKnown = ({ xid, id }: LedgerRow) => state.seen?.includes(xid) === true || state.early.has(id);

  function applyRow(row: LedgerRow): void {
    const nowMs = time.now();
    for (const [index, seatNo] of (row.seat_nos ?? []).entries()) {
      const [fence, step] = [row.seat_fences?.[index], row.seat_steps?.[index]];
      if (fence === undefined || step === undefined || row.seat_state === null) continue;
      state.board.apply({ seatNo, state: row.seat_state, fence, step, heldUntilMs: row.held_until_ms }, nowMs);
    }
    for (const [index, ticketTypeId] of (row.ticket_type_ids ?? []).entries()) {
      const left = (state.places.get(ticketTypeId) ?? 0) + (row.left_changes?.[index] ?? 0);
      state.places.set(ticketTypeId, left);
    }
    if (row.reservation !== null) state.reservations.put(heldReservationOf(row.reservation));
    else if (row.reservation_id !== null) state.reservations.remove(row.reservation_id);
  }

  function tell(change: () => void): void {
    changeCount += 1;
    change();
    for (const listener of listeners) listener();
  }

  const lookAt = (seatNo: number) => (state.board.looks[seatNo] ?? 0) as SeatLookNumber;

  const map: LiveMap = {
    eventId,
    ring,
    mustBeginAgain: false,
    isForgotten: false,
    get plan() {
      return state.plan;
    },
    get board() {
      return settled().board;
    },
    version: () => ring.version,
    changeCount: () => {
      settled();
      return changeCount;
    },
    looks: () => settled().board.looks,
    heldBy: (userId) => state.reservations.ofUser(userId, time.now()),
    mineOf: (userId) => map.heldBy(userId).at(-1)?.shown() ?? null,
    leftOf: (ticketTypeId) => placesLeft(settled(), ticketTypeId),
    left: () => leftIn(settled()),
    changesSince(version) {
      const sets = ring.since(version, state.readTo);
      const seats = sets === null ? [] : mergeSeats(sets);
      return changesOf({ version: ring.version, resync: sets === null, seats }, map.left());
    },
    readTo: () => state.readTo,
    begin(plan, rows) {
      state = beginState(plan, rows);
      map.mustBeginAgain = false;
      tell(() => ring.begin(state.readTo));
    },
    take(rows, xmin) {
      const touched = new Set<number>();
      let isChanged = false;
      let isOtherPlan = false;
      for (const row of rows) {
        const [known, inTurn] = [isKnown(row), row.xid < xmin];
        if (row.xid < state.readTo || (known && !inTurn)) continue;
        isChanged = true;
        // The seats, or only their prices, are those of another plan.
        const isNewPlan = row.act === 'built' || row.act === 'repriced';
        if (known) isOtherPlan ||= isNewPlan;
        else {
          if (isNewPlan) map.mustBeginAgain = true;
          applyRow(row);
        }
        // Told even if it looks the same: somebody may have read the map between the end of one hold and the next. And told in
        // its turn even if it was known before: a reader who comes from another process may know a version from in between.
        for (const seatNo of row.seat_nos ?? []) touched.add(seatNo);
        if (!inTurn) state.early.set(row.id, row.xid);
      }
      state.readTo = Math.max(state.readTo, xmin);
      for (const [id, xid] of state.early) if (xid < state.readTo) state.early.delete(id);
      if (state.seen !== null && state.seen.xmax <= state.readTo) state.seen = null;
      // A version that is told now would say of its reader that the new plan is known.
      if (map.mustBeginAgain) changeCount += 1;
      // This map has the plan already; who comes from another process may have the one before.
      else if (isOtherPlan) tell(() => ring.begin(xmin));
      else if (isChanged) {
        const seats = [...touched].map((seatNo) => [seatNo, lookAt(seatNo)] as const);
        tell(() => ring.append({ upTo: xmin, seats }));
      }
    },
    onChange: (listener) => void listeners.push(listener),
    refresh: () => refresh(map),
  };

  return map;

  function beginState(plan: SeatPlan, rows: SeatMapRows): MapState {
    const board = createSeatBoard(gradesOf(plan));
    const reservations = createLiveReservations<HeldReservation>();
    for (const fact of rows.seats) board.apply(fact, rows.nowMs);
    for (const reservation of rows.reservations) reservations.put(reservation);
    const { snapshot } = rows;
    return {
      plan,
      board,
      reservations,
      places: new Map(rows.places),
      seen: snapshot,
      readTo: snapshot.xmin,
      early: new Map(),
    };
  }
}

export function changesOf(
  change: { version: number; resync: boolean; seats: ChangeSet['seats'] },
  left: Pick<SeatChanges, 'grades' | 'areas'>,
): SeatChanges {
  return {
    version: change.version,
    resync: change.resync,
    seats: change.seats.map(([no, look]) => [no, look]),
    ...left,
  };
}

function leftIn(state: MapState): Pick<SeatChanges, 'grades' | 'areas'> {
  const { grades, ticketTypes } = state.plan.document;
  return {
    grades: grades.map(({ grade, priceKrw }, index) => ({
      grade,
      priceKrw,
      left: state.board.leftByGrade[index] ?? 0,
    })),
    areas: ticketTypes.map(({ ticketTypeId }) => ({ ticketTypeId, left: placesLeft(state, ticketTypeId) })),
  };
}

function placesLeft({ places, reservations }: MapState, ticketTypeId: string): number {
  return Math.max(0, (places.get(ticketTypeId) ?? 0) + reservations.lapsedPlaces(ticketTypeId));
}

function gradesOf({ document, seatCount }: SeatPlan): { gradeOfSeat: Uint8Array; gradeCount: number } {
  const gradeOfSeat = new Uint8Array(seatCount);
  let seatNo = 0;
  for (const section of document.sections) {
    for (const row of section.rows) {
      gradeOfSeat.set(row.grades, seatNo);
      seatNo += row.grades.length;
    }
  }
  return { gradeOfSeat, gradeCount: document.grades.length };
}
