import { layoutLimits, type Outline, seatMarks } from '../layout.ts';
import type { LayoutSource, SeatSource } from '../layout-source.ts';
import type { Cells } from './csv-cells.ts';
import { type CsvColumn, type CsvKind, yesOrNo } from './csv-columns.ts';

interface SectionLines {
  readonly id: string;
  line: number;
  /** What is said of the section, on a line of its own or on those of its seats. */
  readonly said: Map<SectionColumn, string>;
  isDescribed: boolean;
  outline: Outline | null;
  /** Of the first seat that has one. */
  gradeOfFirstSeat: string | null;
  readonly linesWithoutGrade: { first: number; count: number };
  readonly rows: Map<string, { readonly seats: SeatSource[]; readonly lines: number[] }>;
  /** A seat of it could not be read. */
  lacksSeats: boolean;
}

const sectionColumns = ['name', 'nameEn', 'floor', 'floorEn'] as const;
type SectionColumn = (typeof sectionColumns)[number] | 'grade';

interface Placed<Thing> {
  readonly line: number;
  readonly thing: Thing;
}

/** Stand in for numbers that could not be read, so that the rest of their line is looked at, too. */
const standIns = { coordinate: 0, capacity: 1 } as const;

/**
 * Puts a drawing together line by line, and remembers which line each thing came from. It holds as much as could be read:
 * a line is left out only if what it draws cannot even be named.
 */
export function createCsvDrawing() {
  const sections = new Map<string, SectionLines>();
  const standingAreas: Placed<LayoutSource['standingAreas'][number]>[] = [];
  const texts: Placed<NonNullable<LayoutSource['texts']>[number]>[] = [];
  let stage: Placed<NonNullable<LayoutSource['stage']>> | null = null;
  /** Of which nobody knows what they would have said, and about which section. */
  let linesLeftOut = 0;

  function sectionOn(cells: Cells): SectionLines | null {
    const id = cells.required('section');
    if (id === null) {
      linesLeftOut += 1;
      return null;
    }
    const known = sections.get(id);
    if (known !== undefined) return known;
    if (sections.size === layoutLimits.sectionsMax) {
      cells.problem('section', `is one section too many; at most ${layoutLimits.sectionsMax} are allowed`);
      return null;
    }
    const section: SectionLines = {
      id,
      line: cells.line,
      said: new Map(),
      isDescribed: false,
      outline: null,
      gradeOfFirstSeat: null,
      linesWithoutGrade: { first: cells.line, count: 0 },
      rows: new Map(),
      lacksSeats: false,
    };
    sections.set(id, section);
    return section;
  }

  function say(section: SectionLines, column: SectionColumn, cells: Cells): void {
    const value = cells.text(column);
    if (value === null) return;
    const before = section.said.get(column);
    if (before === undefined) section.said.set(column, value);
    else if (before !== value) cells.problem(column, `section "${section.id}" had "${before}" before`);
  }

  const isEmpty = () => standingAreas.length === 0 && [...sections.values()].every(({ rows }) => rows.size === 0);

  const add: Readonly<Record<CsvKind, (cells: Cells) => void>> = {
    seat(cells) {
      const section = sectionOn(cells);
      const row = cells.required('row');
      const label = cells.required('seat');
      const x = cells.requiredWhole('x');
      const y = cells.requiredWhole('y');
      const marks = seatMarks.map((mark) => [mark, markOn(cells, mark)]);
      if (section === null) return;
      for (const column of sectionColumns) say(section, column, cells);
      const grade = cells.text('grade');
      section.gradeOfFirstSeat ??= grade;
      if (grade === null && section.linesWithoutGrade.count++ === 0) section.linesWithoutGrade.first = cells.line;
      if (row === null || label === null) {
        section.lacksSeats = true;
        return;
      }
      const into = section.rows.get(row) ?? { seats: [], lines: [] };
      section.rows.set(row, into);
      const at = { x: x ?? standIns.coordinate, y: y ?? standIns.coordinate };
      const note = cells.text('note');
      into.seats.push({ label, ...at, ...(grade !== null && { grade }), ...Object.fromEntries(marks), note });
      into.lines.push(cells.line);
    },
    section(cells) {
      const section = sectionOn(cells);
      if (section === null) return;
      if (section.isDescribed) cells.problem('section', `"${section.id}" is described twice`);
      section.isDescribed = true;
      section.line = cells.line;
      section.outline = cells.outline('outline');
      for (const column of [...sectionColumns, 'grade'] as const) say(section, column, cells);
    },
    standing(cells) {
      const id = cells.required('section');
      const capacity = cells.requiredWhole('capacity') ?? standIns.capacity;
      const outline = cells.outline('outline');
      if (id === null) {
        linesLeftOut += 1;
        return;
      }
      const thing = { id, name: cells.text('name') ?? id, nameEn: cells.text('nameEn'), capacity, outline };
      standingAreas.push({ line: cells.line, thing });
    },
    stage(cells) {
      if (stage !== null) cells.problem('kind', `there is a stage on line ${stage.line} already`);
      const name = cells.required('name');
      const outline = cells.required('outline') === null ? null : cells.outline('outline');
      if (name === null || outline === null || stage !== null) return;
      stage = { line: cells.line, thing: { name, nameEn: cells.text('nameEn'), outline } };
    },
    text(cells) {
      const text = cells.required('name');
      const x = cells.requiredWhole('x');
      const y = cells.requiredWhole('y');
      const size = cells.whole('size');
      if (text === null) return;
      const at = { x: x ?? standIns.coordinate, y: y ?? standIns.coordinate };
      const thing = { text, textEn: cells.text('nameEn'), ...at, ...(size !== null && { size }) };
      texts.push({ line: cells.line, thing });
    },
  };

  return {
    add: (kind: CsvKind, cells: Cells) => add[kind](cells),
    /** One that cannot be read at all. */
    leaveOutLine() {
      linesLeftOut += 1;
    },
    source(): LayoutSource {
      return {
        stage: stage?.thing ?? null,
        texts: texts.map(({ thing }) => thing),
        sections: [...sections.values()].map((section) => ({
          id: section.id,
          name: section.said.get('name') ?? section.id,
          nameEn: section.said.get('nameEn') ?? null,
          floor: section.said.get('floor') ?? null,
          floorEn: section.said.get('floorEn') ?? null,
          grade: gradeOf(section) ?? '',
          outline: section.outline,
          rows: [...section.rows].map(([label, { seats }]) => ({ label, seats })),
        })),
        standingAreas: standingAreas.map(({ thing }) => thing),
      };
    },
    /** Sections that say no grade themselves, for seats that say none either. */
    *guessedGrades(): Generator<{ line: number; message: string }> {
      for (const { id, said, gradeOfFirstSeat, linesWithoutGrade } of sections.values()) {
        const { first, count } = linesWithoutGrade;
        if (said.has('grade') || gradeOfFirstSeat === null || count === 0) continue;
        const seats = count === 1 ? 'the seat has' : `${count} seats of section "${id}" have`;
        yield { line: first, message: `is empty; ${seats} "${gradeOfFirstSeat}" like the first seat that names one` };
      }
    },
    /** Whether a problem of the drawing may be there only because something could not be read, which was told. */
    isFollowUp(field: string): boolean {
      const [, index, part] = /^sections\.(\d+)\.(rows|grade)$/.exec(field) ?? [];
      const section = [...sections.values()][Number(index)];
      if (part === 'rows') return section?.rows.size === 0 && (linesLeftOut > 0 || section.lacksSeats);
      if (part === 'grade') return linesLeftOut > 0 && section !== undefined && gradeOf(section) === null;
      return field === '' && isEmpty() && (linesLeftOut > 0 || [...sections.values()].some((one) => one.lacksSeats));
    },
    /** Where a field of the document came from. */
    placeOf(field: string): { line: number; column: CsvColumn | null } {
      const [thing, index, ...inner] = field.split('.');
      if (thing === 'stage') return { line: stage?.line ?? 1, column: columnsByField[index ?? ''] ?? null };
      const column = columnsByField[inner[0] ?? ''] ?? null;
      if (thing === 'standingAreas' && index !== undefined)
        return { line: standingAreas[Number(index)]?.line ?? 1, column };
      if (thing === 'texts' && index !== undefined) return { line: texts[Number(index)]?.line ?? 1, column };
      const section = [...sections.values()][Number(index)];
      if (thing !== 'sections' || section === undefined) return { line: 1, column: null };
      return inner[0] === 'rows' ? placeInRows(section, inner.slice(1)) : { line: section.line, column };
    },
  };
}

function gradeOf({ said, gradeOfFirstSeat }: SectionLines): string | null {
  return said.get('grade') ?? gradeOfFirstSeat;
}

function placeInRows(section: SectionLines, [r, part, i, field]: readonly string[]) {
  const row = [...section.rows.values()][Number(r)];
  if (row === undefined) return { line: section.line, column: null };
  if (part === 'label') return { line: row.lines[0] ?? section.line, column: 'row' as const };
  const column = field === 'label' ? 'seat' : (columnsByField[field ?? ''] ?? null);
  return { line: row.lines[Number(i ?? 0)] ?? section.line, column };
}

function markOn(cells: Cells, mark: (typeof seatMarks)[number]): boolean {
  const word = cells.text(mark);
  const marked = word === null ? false : yesOrNo(word);
  if (marked === null) cells.problem(mark, 'must be Y or empty');
  return marked ?? false;
}

const columnsByField: Readonly<Record<string, CsvColumn>> = {
  id: 'section',
  name: 'name',
  nameEn: 'nameEn',
  text: 'name',
  textEn: 'nameEn',
  floor: 'floor',
  floorEn: 'floorEn',
  grade: 'grade',
  outline: 'outline',
  capacity: 'capacity',
  size: 'size',
  x: 'x',
  y: 'y',
  note: 'note',
};
