import type { PlanDocument } from './seat-plan.ts';

/**
 * The seats of a plan as one looks for the best of them: runs of neighbours without an aisle in between, and how far each seat is
 * from the stage. Seats of a run have consecutive numbers.
 */
export interface SeatRuns {
  readonly seatCount: number;
  /** First seat of each run, and one entry more: where the last one ends. */
  readonly starts: Int32Array;
  readonly runOfSeat: Int32Array;
  /** Runs of each section stand together: the first one, and the one behind the last. */
  readonly bySection: ReadonlyMap<string, { readonly first: number; readonly end: number }>;
  /** Index into the plan's grades. */
  readonly gradeOfSeat: Uint8Array;
  /** From the stage, and from the line through its middle; a seat's usual width is 1. */
  readonly distances: Float64Array;
  readonly offCentre: Float64Array;
}

/** A gap this many times as wide as the usual one is an aisle. */
const aisleFactor = 1.5;

type Row = PlanDocument['sections'][number]['rows'][number];

export function seatRunsOf({ sections, stage }: Pick<PlanDocument, 'sections' | 'stage'>): SeatRuns {
  const rows = sections.flatMap((section) => section.rows);
  const seatCount = rows.reduce((sum, row) => sum + row.labels.length, 0);
  const runOfSeat = new Int32Array(seatCount);
  const gradeOfSeat = new Uint8Array(seatCount);
  const distances = new Float64Array(seatCount);
  const offCentre = new Float64Array(seatCount);
  const bySection = new Map<string, { first: number; end: number }>();
  const starts: number[] = [];
  const width = usualGap(rows) ?? 1;
  let seatNo = 0;
  for (const section of sections) {
    const aisle = aisleFactor * (usualGap(section.rows) ?? width);
    const first = starts.length;
    for (const row of section.rows) {
      for (const [at, grade] of row.grades.entries()) {
        if (at === 0 || gapBefore(row, at) > aisle) starts.push(seatNo);
        const [x, y] = [row.x[at] ?? 0, row.y[at] ?? 0];
        runOfSeat[seatNo] = starts.length - 1;
        gradeOfSeat[seatNo] = grade;
        distances[seatNo] = Math.hypot(x - stage.x, y - stage.y) / width;
        offCentre[seatNo] = Math.abs(x - stage.x) / width;
        seatNo += 1;
      }
    }
    bySection.set(section.id, { first, end: starts.length });
  }
  return {
    seatCount,
    starts: Int32Array.from([...starts, seatCount]),
    runOfSeat,
    bySection,
    gradeOfSeat,
    distances,
    offCentre,
  };
}

/** In any direction: rows at the sides of a hall run along y. */
function gapBefore(row: Row, at: number): number {
  return Math.hypot((row.x[at] ?? 0) - (row.x[at - 1] ?? 0), (row.y[at] ?? 0) - (row.y[at - 1] ?? 0));
}

/** The one in the middle of all gaps between neighbours; undefined where nobody has a neighbour. */
function usualGap(rows: readonly Row[]): number | undefined {
  const gaps = new Float64Array(rows.reduce((sum, row) => sum + Math.max(0, row.labels.length - 1), 0));
  let count = 0;
  for (const row of rows) {
    for (let at = 1; at < row.labels.length; at++) {
      const gap = gapBefore(row, at);
      if (gap > 0) gaps[count++] = gap;
    }
  }
  return gaps.subarray(0, count).sort()[count >> 1];
}
