import type { LayoutDocument, Outline, Section } from '../layout.ts';
import { type CsvColumn, csvColumnNames } from './csv-columns.ts';
import { csvCell } from './csv-text.ts';

type Line = Partial<Record<CsvColumn, string | number | null>>;

/** Excel in Korea takes a file without this mark for CP949. */
const byteOrderMark = '\uFEFF';
const lineEnd = '\r\n';

/** A table that a spreadsheet opens: a line per seat in layout order, and one for each other thing. Yields every row. */
export function* writeLayoutCsv(document: LayoutDocument): Generator<string> {
  yield `${byteOrderMark}${csvColumnNames.join(',')}${lineEnd}`;
  const { stage, texts, sections, standingAreas } = document;
  if (stage !== null)
    yield textOf({ kind: 'stage', name: stage.name, nameEn: stage.nameEn, outline: pointsText(stage.outline) });
  for (const { text, textEn, x, y, size } of texts)
    yield textOf({ kind: 'text', name: text, nameEn: textEn, x, y, size });
  for (const { id, outline, ...area } of standingAreas)
    yield textOf({ kind: 'standing', section: id, ...area, outline: pointsText(outline) });
  for (const section of sections) {
    const { id, name, nameEn, floor, floorEn, grade, outline } = section;
    yield textOf({ kind: 'section', section: id, name, nameEn, floor, floorEn, grade, outline: pointsText(outline) });
    for (const row of section.rows) yield rowText(section, row);
  }
}

function rowText(section: Section, row: Section['rows'][number]): string {
  const lines = row.seats.map((seat) =>
    textOf({
      kind: 'seat',
      section: section.id,
      row: row.label,
      seat: seat.label,
      grade: seat.grade ?? section.grade,
      x: seat.x,
      y: seat.y,
      accessible: seat.accessible ? 'Y' : '',
      companion: seat.companion ? 'Y' : '',
      restrictedView: seat.restrictedView ? 'Y' : '',
      note: seat.note ?? '',
    }),
  );
  return lines.join('');
}

function textOf(line: Line): string {
  return csvColumnNames.map((column) => csvCell(String(line[column] ?? ''))).join(',') + lineEnd;
}

/** As in SVG: `0,0 100,0 100,50`. */
function pointsText(outline: Outline | null): string {
  return outline === null ? '' : outline.map(({ x, y }) => `${x},${y}`).join(' ');
}
