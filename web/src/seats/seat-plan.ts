import { convexHull, middleOf, type Point } from './hull.ts';
import type { Layout } from './seat-types.ts';

export interface PlanRow {
  readonly label: string;
  readonly first: number;
  readonly labels: readonly string[];
}

export interface PlanSection {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly floor: string | null;
  readonly floorEn: string | null;
  /** Its seats stand together: so many from this number on. */
  readonly first: number;
  readonly count: number;
  readonly rows: readonly PlanRow[];
  /** As it was drawn, or else the hull of its seats. */
  readonly shape: readonly Point[];
  readonly isDrawn: boolean;
  readonly middle: Point;
  /** Of its first seat: what colours the section where only sections are seen. */
  readonly grade: number;
}

export type SeatMark = 'accessible' | 'companion' | 'restrictedView';

export interface PlanSeat {
  readonly seatNo: number;
  readonly seatId: string;
  readonly section: PlanSection;
  readonly row: string;
  readonly label: string;
  /** Index into the layout's grades. */
  readonly gradeIndex: number;
  readonly grade: string;
  readonly marks: readonly SeatMark[];
  readonly note: string | null;
}

/** A hall as the page looks things up in it. `seatNo` counts through sections, rows and labels as the layout lists them. */
export interface SeatPlan {
  readonly layout: Layout;
  readonly sections: readonly PlanSection[];
  readonly seatCount: number;
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly gradeOf: Uint8Array;
  readonly sectionOf: Uint16Array;
  /** What lies between two neighbours, as a rule: how large a seat may be drawn. */
  readonly gap: number;
  /** Undefined for a number that the hall does not have. */
  seat(seatNo: number): PlanSeat | undefined;
  seatNoOf(seatId: string): number | undefined;
}

export function createSeatPlan(layout: Layout): SeatPlan {
  const { seatCount } = layout;
  const x = new Float64Array(seatCount);
  const y = new Float64Array(seatCount);
  const gradeOf = new Uint8Array(seatCount);
  const sectionOf = new Uint16Array(seatCount);
  const numbers = new Map<string, number>();
  const sections: PlanSection[] = [];
  const gaps: number[] = [];
  let seatNo = 0;
  for (const [index, section] of layout.sections.entries()) {
    const first = seatNo;
    const points: Point[] = [];
    const rows = section.rows.map((row): PlanRow => {
      const rowFirst = seatNo;
      for (const [place, label] of row.labels.entries()) {
        const point = { x: row.x[place] ?? 0, y: row.y[place] ?? 0 };
        const before = place === 0 ? undefined : points.at(-1);
        if (before !== undefined) gaps.push(Math.hypot(point.x - before.x, point.y - before.y));
        points.push(point);
        x[seatNo] = point.x;
        y[seatNo] = point.y;
        gradeOf[seatNo] = row.grades[place] ?? 0;
        sectionOf[seatNo] = index;
        numbers.set(`${section.id}-${row.label}-${label}`, seatNo);
        seatNo += 1;
      }
      return { label: row.label, first: rowFirst, labels: row.labels };
    });
    const shape = section.outline === null ? convexHull(points) : pointsOf(section.outline);
    sections.push({
      index,
      id: section.id,
      name: section.name,
      nameEn: section.nameEn,
      floor: section.floor,
      floorEn: section.floorEn,
      first,
      count: seatNo - first,
      rows,
      shape,
      isDrawn: section.outline !== null,
      middle: middleOf(points.length > 0 ? points : shape),
      grade: gradeOf[first] ?? 0,
    });
  }
  const marks = marksOf(layout);
  const notes = new Map(layout.notes.map(({ seatNo: no, note }) => [no, note]));

  return {
    layout,
    sections,
    seatCount,
    x,
    y,
    gradeOf,
    sectionOf,
    gap: medianOf(gaps) ?? fallbackGap,
    seat(wanted) {
      const section = sections[sectionOf[wanted] ?? -1];
      if (section === undefined) return undefined;
      const row = section.rows.find(({ first, labels }) => wanted >= first && wanted < first + labels.length);
      const label = row?.labels[wanted - row.first];
      if (row === undefined || label === undefined) return undefined;
      const gradeIndex = gradeOf[wanted] ?? 0;
      return {
        seatNo: wanted,
        seatId: `${section.id}-${row.label}-${label}`,
        section,
        row: row.label,
        label,
        gradeIndex,
        grade: layout.grades[gradeIndex] ?? '',
        marks: marks.get(wanted) ?? [],
        note: notes.get(wanted) ?? null,
      };
    },
    seatNoOf: (seatId) => numbers.get(seatId),
  };
}

const fallbackGap = 50;

export function pointsOf({ x, y }: { readonly x: readonly number[]; readonly y: readonly number[] }): readonly Point[] {
  return x.map((value, index) => ({ x: value, y: y[index] ?? 0 }));
}

function marksOf({ seatMarks }: Layout): ReadonlyMap<number, readonly SeatMark[]> {
  const marks = new Map<number, SeatMark[]>();
  for (const mark of ['accessible', 'companion', 'restrictedView'] as const) {
    for (const seatNo of seatMarks[mark]) marks.set(seatNo, [...(marks.get(seatNo) ?? []), mark]);
  }
  return marks;
}

function medianOf(values: number[]): number | undefined {
  const useful = values.filter((value) => value > 0).sort((a, b) => a - b);
  return useful[Math.floor(useful.length / 2)];
}
