import type { FieldProblem } from './field-problem.ts';

/** A hall as its owner draws it. Coordinates are whole numbers in layout units; y grows away from the stage. */
export interface LayoutDocument {
  readonly sections: readonly Section[];
  readonly standingAreas: readonly StandingArea[];
}

export interface Section {
  /** Short and printed on tickets: `A`, `201`. */
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  /** Of every seat in it that names none of its own. */
  readonly grade: string;
  readonly rows: readonly Row[];
}

export interface Row {
  readonly label: string;
  readonly seats: readonly Seat[];
}

export interface Seat {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly grade?: string;
}

export interface StandingArea {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly capacity: number;
}

export const layoutLimits = {
  /** Seats and standing places together: what one venue on earth may hold, and what one transaction can write. */
  capacityMax: 100_000,
  sectionsMax: 500,
  rowsPerSectionMax: 500,
  seatsPerRowMax: 1_000,
  standingAreasMax: 50,
  gradesMax: 20,
  coordinateMax: 100_000,
} as const;

export interface LayoutTotals {
  readonly seatCount: number;
  readonly standingCapacity: number;
  /** In the order in which the grades first appear. */
  readonly seatsByGrade: readonly { readonly grade: string; readonly seats: number }[];
}

export function layoutTotals(document: LayoutDocument): LayoutTotals {
  const byGrade = new Map<string, number>();
  let seatCount = 0;
  for (const { grade } of seatsOf(document)) {
    seatCount += 1;
    byGrade.set(grade, (byGrade.get(grade) ?? 0) + 1);
  }
  return {
    seatCount,
    standingCapacity: document.standingAreas.reduce((sum, area) => sum + area.capacity, 0),
    seatsByGrade: [...byGrade].map(([grade, seats]) => ({ grade, seats })),
  };
}

export interface LayoutSeat {
  /** Names the seat within its layout: section, row and seat label. The labels hold no `-`, so it is unambiguous. */
  readonly seatId: string;
  readonly section: string;
  readonly row: string;
  readonly label: string;
  readonly grade: string;
  readonly x: number;
  readonly y: number;
}

export function* seatsOf(document: LayoutDocument): Generator<LayoutSeat> {
  for (const section of document.sections) {
    for (const row of section.rows) {
      for (const seat of row.seats) {
        yield {
          seatId: `${section.id}-${row.label}-${seat.label}`,
          section: section.id,
          row: row.label,
          label: seat.label,
          grade: seat.grade ?? section.grade,
          x: seat.x,
          y: seat.y,
        };
      }
    }
  }
}

/** What a schema cannot say: things are named once, and the totals stay within the limits. */
export function layoutProblems(document: LayoutDocument): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const named = (ids: Set<string>, id: string, field: string) => {
    if (ids.has(id)) problems.push({ field, message: `"${id}" is used twice` });
    ids.add(id);
  };
  const sectionIds = new Set<string>();
  for (const [s, section] of document.sections.entries()) {
    named(sectionIds, section.id, `sections.${s}.id`);
    const rowLabels = new Set<string>();
    for (const [r, row] of section.rows.entries()) {
      named(rowLabels, row.label, `sections.${s}.rows.${r}.label`);
      const seatLabels = new Set<string>();
      for (const [i, seat] of row.seats.entries()) {
        named(seatLabels, seat.label, `sections.${s}.rows.${r}.seats.${i}.label`);
      }
    }
  }
  const areaIds = new Set<string>();
  for (const [a, area] of document.standingAreas.entries()) named(areaIds, area.id, `standingAreas.${a}.id`);

  const totals = layoutTotals(document);
  const capacity = totals.seatCount + totals.standingCapacity;
  if (capacity === 0) problems.push({ field: '', message: 'a layout has at least one seat or standing area' });
  if (capacity > layoutLimits.capacityMax) {
    problems.push({ field: '', message: `holds ${capacity} people; at most ${layoutLimits.capacityMax} are allowed` });
  }
  if (totals.seatsByGrade.length > layoutLimits.gradesMax) {
    problems.push({ field: 'sections', message: `at most ${layoutLimits.gradesMax} grades are allowed` });
  }
  return problems.slice(0, fieldProblemsMax);
}

/** Nobody reads more than a screenful, and a broken layout could name a hundred thousand. */
const fieldProblemsMax = 50;
