import { createDueQueue } from './due-queue.ts';
import { lookOf, type SeatLookNumber, type SeatState, seatState } from './seat.ts';

/** What a row of the ledger, or of the seats, says of one seat. */
export interface SeatFact {
  readonly seatNo: number;
  readonly state: SeatState;
  readonly fence: number;
  readonly step: number;
  readonly heldUntilMs: number | null;
}

/**
 * The seats of one event in memory. Facts may come in any order and more than once: (fence, step) tells which is newer. A hold
 * is free again at its millisecond, whether or not anybody has tidied it up.
 */
export interface SeatBoard {
  /** 0 free, 1 held, 2 sold, 3 blocked, by seatNo. The board's own memory: `settle` first, and do not keep it. */
  readonly looks: Uint8Array;
  /** Free seats of each grade, by its number in the plan. */
  readonly leftByGrade: Int32Array;
  /** False: it is older than what is known, or no news. */
  apply(fact: SeatFact, nowMs: number): boolean;
  /** Frees holds whose time is over; how many seats look different now. */
  settle(nowMs: number): number;
  fenceOf(seatNo: number): number;
  /** Told of every seat that becomes free or stops being so. */
  onFree(listener: (seatNo: number, isFree: boolean) => void): void;
}

export function createSeatBoard(plan: { gradeOfSeat: Uint8Array; gradeCount: number }): SeatBoard {
  const { gradeOfSeat, gradeCount } = plan;
  const seatCount = gradeOfSeat.length;
  const looks = new Uint8Array(seatCount);
  const states = new Uint8Array(seatCount);
  const fences = new Float64Array(seatCount);
  const steps = new Int32Array(seatCount);
  /** 0: not held for a time. */
  const heldUntil = new Float64Array(seatCount);
  const leftByGrade = new Int32Array(gradeCount);
  for (const grade of gradeOfSeat) leftByGrade[grade] = (leftByGrade[grade] ?? 0) + 1;
  const lapses = createDueQueue<number>();
  const listeners: ((seatNo: number, isFree: boolean) => void)[] = [];

  function setLook(seatNo: number, look: SeatLookNumber): boolean {
    const before = looks[seatNo];
    if (before === look) return false;
    looks[seatNo] = look;
    if (before !== 0 && look !== 0) return true;
    const grade = gradeOfSeat[seatNo] ?? 0;
    leftByGrade[grade] = (leftByGrade[grade] ?? 0) + (look === 0 ? 1 : -1);
    for (const listener of listeners) listener(seatNo, look === 0);
    return true;
  }

  return {
    looks,
    leftByGrade,
    apply({ seatNo, state, fence, step, heldUntilMs }, nowMs) {
      const [knownFence, knownStep] = [fences[seatNo], steps[seatNo]];
      if (knownFence === undefined || knownStep === undefined) return false;
      if (fence < knownFence || (fence === knownFence && step <= knownStep)) return false;
      fences[seatNo] = fence;
      steps[seatNo] = step;
      states[seatNo] = state;
      heldUntil[seatNo] = heldUntilMs ?? 0;
      if (state === seatState.held && heldUntilMs !== null) lapses.add(seatNo, heldUntilMs);
      setLook(seatNo, lookOf({ state, heldUntilMs }, nowMs));
      return true;
    },
    settle(nowMs) {
      let changed = 0;
      for (let seatNo = lapses.takeDue(nowMs); seatNo !== undefined; seatNo = lapses.takeDue(nowMs)) {
        // It may have been sold, freed or held for longer since then.
        const isOver = states[seatNo] === seatState.held && (heldUntil[seatNo] ?? 0) <= nowMs;
        if (isOver && setLook(seatNo, 0)) changed += 1;
      }
      return changed;
    },
    fenceOf: (seatNo) => fences[seatNo] ?? 0,
    onFree: (listener) => void listeners.push(listener),
  };
}
