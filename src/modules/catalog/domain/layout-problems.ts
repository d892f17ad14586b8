import type { FieldProblem } from './field-problem.ts';
import { type LayoutDocument, labelPattern, layoutLimits as limits, type Outline, type Section } from './layout.ts';

/** Nobody mends more than this at a time, and a broken layout could name a hundred thousand. */
export const problemsMax = 100;

/**
 * Everything that is wrong with a drawing, each with its path, up to `problemsMax`. It yields after every row: a hall of
 * 100,000 seats is looked at a slice at a time. The document has the right fields and types; nothing else is trusted. Of a
 * list that is too long only the allowed part is looked at.
 */
export function* layoutProblems(document: LayoutDocument): Generator<void, FieldProblem[]> {
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string) => {
    if (problems.length < problemsMax) problems.push({ field, message });
  };
  const check = createChecks(add);
  check.count('sections', document.sections, limits.sectionsMax);
  check.count('standingAreas', document.standingAreas, limits.standingAreasMax);
  check.count('texts', document.texts, limits.textsMax);
  const sectionIds = new Set<string>();
  for (const [s, section] of document.sections.entries()) {
    checkSection(section, `sections.${s}`, check);
    check.once(sectionIds, section.id, `sections.${s}.id`);
    const rowLabels = new Set<string>();
    for (const [r, row] of section.rows.entries()) {
      const path = `sections.${s}.rows.${r}`;
      check.label(row.label, `${path}.label`);
      check.once(rowLabels, row.label, `${path}.label`);
      check.filled(`${path}.seats`, row.seats, limits.seatsPerRowMax);
      checkSeats(row.seats.slice(0, limits.seatsPerRowMax), path, check);
      yield;
    }
  }
  checkRest(document, check);
  check.totals(document);
  return problems;
}

type Checks = ReturnType<typeof createChecks>;

function createChecks(add: (field: string, message: string) => void) {
  const labelForm = new RegExp(labelPattern, 'u');
  let points = 0;
  let notesLength = 0;
  const grades = new Set<string>();
  const line = (text: string, field: string, lengthMax: number) => {
    if (text.trim() === '') add(field, 'must not be blank');
    else if (!isLine(text)) add(field, 'must be one line of visible characters');
    else if (isLonger(text, lengthMax)) add(field, `must not have more than ${lengthMax} characters`);
  };
  const whole = (value: number, field: string, { min, max }: { min: number; max: number }) => {
    if (!Number.isInteger(value) || value < min || value > max)
      add(field, `must be a whole number from ${min} to ${max}`);
  };
  const coordinate = (value: number, field: string) => whole(value, field, { min: 0, max: limits.coordinateMax });
  const count = (field: string, list: readonly unknown[], max: number) => {
    if (list.length > max) add(field, `has ${list.length} entries; at most ${max} are allowed`);
  };
  return {
    line,
    whole,
    coordinate,
    count,
    optionalLine(text: string | null, field: string, lengthMax: number) {
      if (text !== null) line(text, field, lengthMax);
    },
    grade(grade: string, field: string) {
      if (grades.has(grade)) return;
      line(grade, field, limits.gradeLengthMax);
      if (grades.add(grade).size === limits.gradesMax + 1)
        add(field, `is one grade too many; at most ${limits.gradesMax} are allowed`);
    },
    note(note: string, field: string) {
      line(note, field, limits.noteLengthMax);
      const before = notesLength;
      notesLength += note.length;
      if (before <= limits.notesLengthMax && notesLength > limits.notesLengthMax)
        add(field, `makes all notes together longer than ${limits.notesLengthMax} characters`);
    },
    filled(field: string, list: readonly unknown[], max: number) {
      if (list.length === 0) add(field, 'must not be empty');
      count(field, list, max);
    },
    label(label: string, field: string) {
      if (!labelForm.test(label)) add(field, 'must consist of letters and digits');
      else if (isLonger(label, limits.labelLengthMax))
        add(field, `must not have more than ${limits.labelLengthMax} characters`);
    },
    once(seen: Set<string>, name: string, field: string) {
      if (seen.has(name)) add(field, `"${name}" is used twice`);
      seen.add(name);
    },
    outline(outline: Outline | null, field: string) {
      if (outline === null) return;
      if (outline.length < limits.outlinePointsMin) add(field, `needs at least ${limits.outlinePointsMin} points`);
      count(field, outline, limits.outlinePointsMax);
      const before = points;
      points += outline.length;
      if (before <= limits.pointsMax && points > limits.pointsMax)
        add(field, `makes all outlines together longer than ${limits.pointsMax} points`);
      for (const [p, { x, y }] of outline.slice(0, limits.outlinePointsMax).entries()) {
        coordinate(x, `${field}.${p}.x`);
        coordinate(y, `${field}.${p}.y`);
      }
    },
    totals({ sections, standingAreas }: LayoutDocument) {
      let capacity = standingAreas.reduce((sum, area) => sum + area.capacity, 0);
      for (const { rows } of sections) for (const { seats } of rows) capacity += seats.length;
      if (capacity === 0) add('', 'a layout has at least one seat or standing area');
      if (capacity > limits.capacityMax) add('', `holds ${capacity} people; at most ${limits.capacityMax} are allowed`);
    },
  };
}

function checkSection(section: Section, path: string, check: Checks): void {
  check.label(section.id, `${path}.id`);
  check.line(section.name, `${path}.name`, limits.nameLengthMax);
  check.optionalLine(section.nameEn, `${path}.nameEn`, limits.nameLengthMax);
  check.optionalLine(section.floor, `${path}.floor`, limits.floorLengthMax);
  check.optionalLine(section.floorEn, `${path}.floorEn`, limits.floorLengthMax);
  check.grade(section.grade, `${path}.grade`);
  check.outline(section.outline, `${path}.outline`);
  check.filled(`${path}.rows`, section.rows, limits.rowsPerSectionMax);
}

function checkSeats(seats: Section['rows'][number]['seats'], rowPath: string, check: Checks): void {
  const labels = new Set<string>();
  for (const [i, seat] of seats.entries()) {
    const path = `${rowPath}.seats.${i}`;
    check.label(seat.label, `${path}.label`);
    check.once(labels, seat.label, `${path}.label`);
    check.coordinate(seat.x, `${path}.x`);
    check.coordinate(seat.y, `${path}.y`);
    if (seat.grade !== undefined) check.grade(seat.grade, `${path}.grade`);
    if (seat.note !== undefined) check.note(seat.note, `${path}.note`);
  }
}

function checkRest({ standingAreas, stage, texts }: LayoutDocument, check: Checks): void {
  const areaIds = new Set<string>();
  for (const [a, area] of standingAreas.slice(0, limits.standingAreasMax).entries()) {
    const path = `standingAreas.${a}`;
    check.label(area.id, `${path}.id`);
    check.once(areaIds, area.id, `${path}.id`);
    check.line(area.name, `${path}.name`, limits.nameLengthMax);
    check.optionalLine(area.nameEn, `${path}.nameEn`, limits.nameLengthMax);
    check.whole(area.capacity, `${path}.capacity`, { min: 1, max: limits.capacityMax });
    check.outline(area.outline, `${path}.outline`);
  }
  if (stage !== null) {
    check.line(stage.name, 'stage.name', limits.nameLengthMax);
    check.optionalLine(stage.nameEn, 'stage.nameEn', limits.nameLengthMax);
    check.outline(stage.outline, 'stage.outline');
  }
  for (const [t, text] of texts.slice(0, limits.textsMax).entries()) {
    const path = `texts.${t}`;
    check.line(text.text, `${path}.text`, limits.textLengthMax);
    check.optionalLine(text.textEn, `${path}.textEn`, limits.textLengthMax);
    check.coordinate(text.x, `${path}.x`);
    check.coordinate(text.y, `${path}.y`);
    check.whole(text.size, `${path}.size`, { min: 1, max: limits.textSizeMax });
  }
}

/** No control characters, no halves of surrogate pairs: what the schemas call a line. */
function isLine(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** In characters as people count them; most texts are short enough in any way of counting. */
function isLonger(text: string, lengthMax: number): boolean {
  return text.length > lengthMax && (text.length > 2 * lengthMax || [...text].length > lengthMax);
}
