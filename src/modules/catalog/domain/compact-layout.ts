import type { LayoutDocument, Row, Section } from './layout.ts';

/**
 * The layout as the seat page loads it: one column per property instead of one object per seat, which is a third of
 * the bytes and needs no object per seat in the browser. Seat ids are not sent; they follow from the labels.
 */
export interface CompactLayout {
  readonly width: number;
  readonly height: number;
  readonly grades: readonly string[];
  readonly sections: readonly CompactSection[];
}

export interface CompactSection {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly rows: readonly CompactRow[];
}

export interface CompactRow {
  readonly label: string;
  readonly labels: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Indexes into `grades`. */
  readonly grades: readonly number[];
}

export function compactLayout(document: LayoutDocument): CompactLayout {
  const grades: string[] = [];
  const gradeIndex = new Map<string, number>();
  let width = 0;
  let height = 0;

  const indexOf = (grade: string): number => {
    const known = gradeIndex.get(grade);
    if (known !== undefined) return known;
    gradeIndex.set(grade, grades.length);
    return grades.push(grade) - 1;
  };
  const compactRow = (section: Section, row: Row): CompactRow => {
    for (const seat of row.seats) {
      width = Math.max(width, seat.x);
      height = Math.max(height, seat.y);
    }
    return {
      label: row.label,
      labels: row.seats.map((seat) => seat.label),
      x: row.seats.map((seat) => seat.x),
      y: row.seats.map((seat) => seat.y),
      grades: row.seats.map((seat) => indexOf(seat.grade ?? section.grade)),
    };
  };

  const sections = document.sections.map((section) => ({
    id: section.id,
    name: section.name,
    nameEn: section.nameEn,
    rows: section.rows.map((row) => compactRow(section, row)),
  }));
  return { width, height, grades, sections };
}
