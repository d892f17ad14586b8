import type { LayoutDocument, Outline, Point, Seat, Section } from './layout.ts';

/**
 * A drawing as it was ever stored or sent. Version 1 knew only what is required here and has no `documentVersion`; its
 * rows are still in the database, and callers still send it.
 */
export interface LayoutSource {
  readonly documentVersion?: 1 | 2;
  readonly stage?: { readonly name: string; readonly nameEn?: string | null; readonly outline: Outline } | null;
  readonly texts?: readonly (Point & {
    readonly text: string;
    readonly textEn?: string | null;
    readonly size?: number;
  })[];
  readonly sections: readonly SectionSource[];
  readonly standingAreas: readonly {
    readonly id: string;
    readonly name: string;
    readonly nameEn?: string | null;
    readonly capacity: number;
    readonly outline?: Outline | null;
  }[];
}

export interface SectionSource {
  readonly id: string;
  readonly name: string;
  readonly nameEn?: string | null;
  readonly floor?: string | null;
  readonly floorEn?: string | null;
  readonly grade: string;
  readonly outline?: Outline | null;
  readonly rows: readonly { readonly label: string; readonly seats: readonly SeatSource[] }[];
}

export interface SeatSource extends Point {
  readonly label: string;
  readonly grade?: string;
  readonly accessible?: boolean;
  readonly companion?: boolean;
  readonly restrictedView?: boolean;
  readonly note?: string | null;
}

/** Of a text that names none: about that of the seats in a hall drawn with 50 units between two of them. */
export const textSizeDefault = 40;

/** The one shape that everybody else knows. Equal drawings become equal documents, however they were said. */
export function layoutDocumentOf(source: LayoutSource): LayoutDocument {
  const steps = layoutDocumentSteps(source);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same a section at a time. */
export function* layoutDocumentSteps(
  source: Omit<LayoutSource, 'sections'> & { sections: Iterable<SectionSource> },
): Generator<void, LayoutDocument> {
  const { stage = null, texts = [] } = source;
  const sections: Section[] = [];
  for (const section of source.sections) {
    sections.push(sectionOf(section));
    yield;
  }
  return {
    documentVersion: 2,
    stage: stage && { name: stage.name, nameEn: stage.nameEn ?? null, outline: stage.outline },
    texts: texts.map(({ text, textEn = null, x, y, size = textSizeDefault }) => ({ text, textEn, x, y, size })),
    sections,
    standingAreas: source.standingAreas.map(({ id, name, nameEn = null, capacity, outline = null }) => ({
      id,
      name,
      nameEn,
      capacity,
      outline,
    })),
  };
}

function sectionOf(source: SectionSource): Section {
  const { id, name, nameEn = null, floor = null, floorEn = null, grade, outline = null } = source;
  const rows = source.rows.map(({ label, seats }) => ({ label, seats: seats.map((seat) => seatOf(seat, grade)) }));
  return { id, name, nameEn, floor, floorEn, grade, outline, rows };
}

function seatOf(source: SeatSource, sectionGrade: string): Seat {
  const { label, x, y, grade, accessible, companion, restrictedView, note } = source;
  // Set one by one: this runs 100,000 times, and spreading what mostly is not there takes ten times as long.
  const seat: { -readonly [Field in keyof Seat]: Seat[Field] } = { label, x, y };
  if (grade !== undefined && grade !== sectionGrade) seat.grade = grade;
  if (accessible) seat.accessible = true;
  if (companion) seat.companion = true;
  if (restrictedView) seat.restrictedView = true;
  if (note != null) seat.note = note;
  return seat;
}
