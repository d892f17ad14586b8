import { type LayoutDocument, type Outline, pointsOf, type Row, type Section, seatMarks } from './layout.ts';

/**
 * The layout as the seat page loads it: one column per property instead of one object per seat, which is a third of
 * the bytes and needs no object per seat in the browser. Seat ids are not sent; they follow from the labels. Marks of
 * seats are rare, so they are lists of seat numbers: the place of a seat in the order of the document, from 0.
 */
export interface CompactLayout {
  readonly documentVersion: 2;
  readonly width: number;
  readonly height: number;
  readonly grades: readonly string[];
  readonly stage: { readonly name: string; readonly nameEn: string | null; readonly outline: CompactOutline } | null;
  readonly texts: LayoutDocument['texts'];
  readonly sections: readonly CompactSection[];
  readonly standingAreas: readonly CompactStandingArea[];
  readonly seatMarks: Readonly<Record<(typeof seatMarks)[number], readonly number[]>>;
  readonly notes: readonly { readonly seatNo: number; readonly note: string }[];
}

export interface CompactOutline {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

interface CompactSection {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly floor: string | null;
  readonly floorEn: string | null;
  readonly outline: CompactOutline | null;
  readonly rows: readonly CompactRow[];
}

interface CompactRow {
  readonly label: string;
  readonly labels: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** Indexes into `grades`. */
  readonly grades: readonly number[];
}

interface CompactStandingArea {
  readonly id: string;
  readonly name: string;
  readonly nameEn: string | null;
  readonly capacity: number;
  readonly outline: CompactOutline | null;
}

/** A small one at once. */
export function compactLayout(document: LayoutDocument): CompactLayout {
  const steps = compactLayoutSteps(document);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** A section at a time: of 100,000 seats at once nobody else would get a turn for as long as a hundred requests take. */
export function* compactLayoutSteps(document: LayoutDocument): Generator<void, CompactLayout> {
  const grades: string[] = [];
  const gradeIndex = new Map<string, number>();
  const indexOf = (grade: string): number => {
    const known = gradeIndex.get(grade);
    if (known !== undefined) return known;
    gradeIndex.set(grade, grades.length);
    return grades.push(grade) - 1;
  };
  const compactRow = (section: Section, row: Row): CompactRow => ({
    label: row.label,
    labels: row.seats.map((seat) => seat.label),
    ...columnsOf(row.seats),
    grades: row.seats.map((seat) => indexOf(seat.grade ?? section.grade)),
  });
  const compactSection = (section: Section): CompactSection => {
    const { grade: _, outline, rows, ...facts } = section;
    return { ...facts, outline: outline && columnsOf(outline), rows: rows.map((row) => compactRow(section, row)) };
  };
  const sections: CompactSection[] = [];
  for (const section of document.sections) {
    sections.push(compactSection(section));
    yield;
  }
  const extent = extentOf(document);
  yield;
  const { stage, texts, standingAreas } = document;
  return {
    documentVersion: 2,
    ...extent,
    grades,
    stage: stage && { ...stage, outline: columnsOf(stage.outline) },
    texts,
    sections,
    standingAreas: standingAreas.map(({ outline, ...area }) => ({ ...area, outline: outline && columnsOf(outline) })),
    ...marksOf(document),
  };
}

function columnsOf(points: Outline): CompactOutline {
  return { x: points.map(({ x }) => x), y: points.map(({ y }) => y) };
}

export function extentOf(document: LayoutDocument): { width: number; height: number } {
  let width = 0;
  let height = 0;
  for (const points of pointsOf(document)) {
    for (const { x, y } of points) {
      width = Math.max(width, x);
      height = Math.max(height, y);
    }
  }
  return { width, height };
}

function marksOf(document: LayoutDocument): Pick<CompactLayout, 'seatMarks' | 'notes'> {
  const marked = { accessible: [] as number[], companion: [] as number[], restrictedView: [] as number[] };
  const notes: { seatNo: number; note: string }[] = [];
  let seatNo = 0;
  for (const { rows } of document.sections) {
    for (const { seats } of rows) {
      for (const seat of seats) {
        for (const mark of seatMarks) if (seat[mark]) marked[mark].push(seatNo);
        if (seat.note !== undefined) notes.push({ seatNo, note: seat.note });
        seatNo += 1;
      }
    }
  }
  return { seatMarks: marked, notes };
}

/** The JSON of an answer with a drawing in columns, a section at a time. */
export function* drawingTextSteps({
  sections,
  ...rest
}: {
  readonly sections: readonly unknown[];
}): Generator<void, string> {
  const texts: string[] = [];
  for (const section of sections) {
    texts.push(JSON.stringify(section));
    yield;
  }
  return `${JSON.stringify(rest).slice(0, -1)},"sections":[${texts.join()}]}`;
}
