import { pickFewestAlone } from './fewest-alone.ts';
import type { SeatPlan } from './seat-plan.ts';
import { type SeatRuns, seatRunsOf } from './seat-runs.ts';

/** What somebody would like. */
export interface SeatWish {
  readonly count: number;
  /** Side by side in one row, without an aisle in between. */
  readonly together: boolean;
  readonly grade?: string | undefined;
  readonly section?: string | undefined;
  readonly maxPriceKrw?: number | undefined;
}

/**
 * Finds the best seats that are free. The better grade comes first, as the price list has them; of one grade, seats that leave no
 * single one alone, if there are any; of those, the nearest to the stage; of equally near ones, those nearer to the middle.
 *
 * A run of seats is looked at again only when something in it has changed, so a choice costs a comparison for each run (and a
 * row has one or a few), not for each seat.
 */
export interface SeatPicker {
  setFree(seatNo: number, isFree: boolean): void;
  /** Null: nothing fits. */
  pick(wish: SeatWish): readonly number[] | null;
  readonly freeCount: number;
  /** Free seats of each grade that the wish allows, whatever their places. */
  countFree(wish: Pick<SeatWish, 'grade' | 'section' | 'maxPriceKrw'>): ReadonlyMap<string, number>;
}

/** The best block of each run, for one number of seats and one choice of grades. */
interface Ranking {
  /** Smaller is better; infinite where nothing fits. */
  readonly keys: Float64Array;
  readonly firsts: Int32Array;
  /** The run's change count when it was looked at, plus 1. */
  readonly lookedAt: Uint32Array;
}

/** 20 numbers of seats, and the few choices of grades that people make. */
const rankingsMax = 60;
/** A key is the worst grade, the seats left alone, the distance and how far from the middle, in this order of weight. */
const steps = { offCentre: 1e5, distance: 1e5, alone: 4 };
/** Of a seat's width. */
const offCentreUnit = 0.1;

export function createSeatPicker({ document }: Pick<SeatPlan, 'document'>): SeatPicker {
  const runs = seatRunsOf(document);
  const runCount = runs.starts.length - 1;
  const free = new Uint8Array(runs.seatCount).fill(1);
  const changes = new Uint32Array(runCount);
  const rankings = new Map<string, Ranking>();
  let freeCount = runs.seatCount;

  function setFree(seatNo: number, isFree: boolean): void {
    if (free[seatNo] === (isFree ? 1 : 0)) return;
    free[seatNo] = isFree ? 1 : 0;
    freeCount += isFree ? 1 : -1;
    const run = runs.runOfSeat[seatNo] ?? 0;
    changes[run] = (changes[run] ?? 0) + 1;
  }

  /** A bit for each grade that the wish allows: there are at most 20. */
  function gradesIn({
    grade,
    maxPriceKrw = Number.POSITIVE_INFINITY,
  }: Pick<SeatWish, 'grade' | 'maxPriceKrw'>): number {
    return document.grades.reduce(
      (mask, each, at) =>
        (grade ?? each.grade) === each.grade && each.priceKrw <= maxPriceKrw ? mask | (1 << at) : mask,
      0,
    );
  }

  function rankingOf(count: number, grades: number): Ranking {
    const name = `${count} ${grades}`;
    const known = rankings.get(name);
    rankings.delete(name);
    const ranking = known ?? {
      keys: new Float64Array(runCount),
      firsts: new Int32Array(runCount),
      lookedAt: new Uint32Array(runCount),
    };
    rankings.set(name, ranking);
    if (rankings.size > rankingsMax) for (const oldest of [...rankings.keys()].slice(0, 1)) rankings.delete(oldest);
    return ranking;
  }

  function runsIn(section: string | undefined): { first: number; end: number } {
    if (section === undefined) return { first: 0, end: runCount };
    return runs.bySection.get(section) ?? { first: 0, end: 0 };
  }

  /** First seat of the best block, and its key. */
  function bestBlock(
    count: number,
    grades: number,
    section: string | undefined,
  ): { first: number; key: number } | null {
    const { keys, firsts, lookedAt } = rankingOf(count, grades);
    const { first, end } = runsIn(section);
    let best = -1;
    let bestKey = Number.POSITIVE_INFINITY;
    for (let run = first; run < end; run++) {
      const change = (changes[run] ?? 0) + 1;
      if (lookedAt[run] !== change) {
        const block = bestInRun(runs, free, { run, count, grades });
        keys[run] = block.key;
        firsts[run] = block.first;
        lookedAt[run] = change;
      }
      const key = keys[run] ?? Number.POSITIVE_INFINITY;
      if (key < bestKey) {
        best = run;
        bestKey = key;
      }
    }
    return best < 0 ? null : { first: firsts[best] ?? 0, key: bestKey };
  }

  /**
   * One after the other, each the best of what is left: so the grades are the best that there are enough of. Where that leaves a seat
   * alone, all choices of these grades are compared, which costs a look at every seat.
   */
  function pickApart(count: number, grades: number, section: string | undefined): readonly number[] | null {
    const picked: number[] = [];
    while (picked.length < count) {
      const block = bestBlock(1, grades, section);
      if (block === null) break;
      picked.push(block.first);
      setFree(block.first, false);
    }
    for (const seatNo of picked) setFree(seatNo, true);
    if (picked.length < count) return null;
    picked.sort((a, b) => a - b);
    const key = keyOf(runs, free, picked);
    if (aloneIn(key) === 0) return picked;
    const within = grades & ((2 << worstGradeIn(key)) - 1);
    const other = pickFewestAlone(runs, free, { count, grades: within, ...runsIn(section) });
    return other !== null && keyOf(runs, free, other) < key ? other : picked;
  }

  return {
    setFree,
    pick({ count, together, section, ...wish }) {
      const grades = gradesIn(wish);
      const block = bestBlock(count, grades, section);
      const side = block === null ? null : Array.from({ length: count }, (_, at) => block.first + at);
      if (together || count === 1) return side;
      const apart = pickApart(count, grades, section);
      if (side === null || apart === null) return side ?? apart;
      return keyOf(runs, free, apart) < keyOf(runs, free, side) ? apart : side;
    },
    get freeCount() {
      return freeCount;
    },
    countFree({ section, ...wish }) {
      const grades = gradesIn(wish);
      const { first, end } = runsIn(section);
      const counts = new Array<number>(document.grades.length).fill(0);
      for (let seatNo = runs.starts[first] ?? 0; seatNo < (runs.starts[end] ?? 0); seatNo++) {
        const grade = runs.gradeOfSeat[seatNo] ?? 0;
        if (free[seatNo] === 1 && (grades & (1 << grade)) !== 0) counts[grade] = (counts[grade] ?? 0) + 1;
      }
      return new Map(document.grades.map(({ grade }, at) => [grade, counts[at] ?? 0]));
    },
  };
}

/** Called for every seat of a run that has changed, so it makes no objects on its way. */
function bestInRun(
  runs: SeatRuns,
  free: Uint8Array,
  { run, count, grades }: { run: number; count: number; grades: number },
): { first: number; key: number } {
  const { gradeOfSeat, distances, offCentre } = runs;
  const [start, end] = [runs.starts[run] ?? 0, runs.starts[run + 1] ?? 0];
  const best = { first: -1, key: Number.POSITIVE_INFINITY };
  let usable = 0;
  for (let last = start; last < end; last++) {
    usable = free[last] === 1 && (grades & (1 << (gradeOfSeat[last] ?? 0))) !== 0 ? usable + 1 : 0;
    if (usable < count) continue;
    const first = last - count + 1;
    let worstGrade = 0;
    let distance = 0;
    let off = 0;
    for (let seatNo = first; seatNo <= last; seatNo++) {
      worstGrade = Math.max(worstGrade, gradeOfSeat[seatNo] ?? 0);
      distance += distances[seatNo] ?? 0;
      off += offCentre[seatNo] ?? 0;
    }
    const isLeftAlone = first > start && free[first - 1] === 1 && (first - 1 === start || free[first - 2] === 0);
    const isRightAlone = last + 1 < end && free[last + 1] === 1 && (last + 2 === end || free[last + 2] === 0);
    const key = weigh(worstGrade, Number(isLeftAlone) + Number(isRightAlone), distance / count, off / count);
    if (key >= best.key) continue;
    best.first = first;
    best.key = key;
  }
  return best;
}

/** Of any seats, in order of their numbers. */
export function keyOf(runs: SeatRuns, free: Uint8Array, seatNos: readonly number[]): number {
  const taken = new Set(seatNos);
  const isFreeIn = (seatNo: number, run: number) =>
    runs.runOfSeat[seatNo] === run && free[seatNo] === 1 && !taken.has(seatNo);
  const alone = new Set<number>();
  for (const seatNo of seatNos) {
    const run = runs.runOfSeat[seatNo] ?? 0;
    for (const side of [seatNo - 1, seatNo + 1])
      if (isFreeIn(side, run) && !isFreeIn(side - 1, run) && !isFreeIn(side + 1, run)) alone.add(side);
  }
  const mean = (of: Float64Array) => seatNos.reduce((sum, seatNo) => sum + (of[seatNo] ?? 0), 0) / seatNos.length;
  const worstGrade = Math.max(...seatNos.map((seatNo) => runs.gradeOfSeat[seatNo] ?? 0));
  return weigh(worstGrade, alone.size, mean(runs.distances), mean(runs.offCentre));
}

function weigh(worstGrade: number, alone: number, distance: number, offCentre: number): number {
  const first = worstGrade * steps.alone + Math.min(alone, steps.alone - 1);
  const second = Math.min(Math.round(distance), steps.distance - 1);
  const third = Math.min(Math.round(offCentre / offCentreUnit), steps.offCentre - 1);
  return (first * steps.distance + second) * steps.offCentre + third;
}

/** How many seats a choice with this key leaves alone, at most 3 counted. */
export const aloneIn = (key: number) => Math.floor(key / (steps.distance * steps.offCentre)) % steps.alone;
const worstGradeIn = (key: number) => Math.floor(key / (steps.distance * steps.offCentre * steps.alone));
