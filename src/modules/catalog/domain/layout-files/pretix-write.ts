import { extentOf } from '../compact-layout.ts';
import { type FreeText, type LayoutDocument, layoutTotals, type Outline, type Section, seatMarks } from '../layout.ts';
import { areaMarks } from './pretix-areas.ts';

const origin = { x: 0, y: 0 };
/** So far round the circle of colours from one grade to the next: neighbours differ, and none comes twice. */
const hueStep = 137;

/**
 * A seating plan as pretix takes it (its `seating-plan.schema.json`, which refuses every unknown field). What that has no
 * place for is kept as JSON in a text of size 0, which nobody sees. Yields every row.
 */
export function* writePretixPlan(document: LayoutDocument, name: string): Generator<string> {
  const categories = layoutTotals(document).seatsByGrade.map(({ grade }, index) => ({
    name: grade,
    color: `hsl(${(index * hueStep) % 360} 60% 45%)`,
  }));
  yield `${opened({ name, size: extentOf(document), categories })},"zones":[\n`;
  for (const section of document.sections) {
    const { id, name: zoneName, outline } = section;
    const areas = outline === null ? [] : [polygon(`${areaMarks.outline}${id}`, outline)];
    yield `${opened({ name: zoneName, zone_id: id, position: origin, areas })},"rows":[\n`;
    for (const [index, row] of section.rows.entries()) {
      const seats = row.seats.map((seat) => ({
        seat_guid: `${section.id}-${row.label}-${seat.label}`,
        seat_number: seat.label,
        position: { x: seat.x, y: seat.y },
        category: seat.grade ?? section.grade,
      }));
      const isLast = index === section.rows.length - 1;
      yield `${opened({ row_number: row.label, position: origin })},"seats":[\n${lines(seats)}\n]}${isLast ? '' : ','}\n`;
    }
    yield ']},\n';
  }
  const areas = yield* areasOf(document);
  yield JSON.stringify({ name: 'urr', zone_id: 'urr', position: origin, rows: [], areas });
  yield '\n]}\n';
}

/** An object that goes on. */
function opened(object: unknown): string {
  return JSON.stringify(object).slice(0, -1);
}

/** One thing a line: a problem that is named by its line is found. */
function lines(things: readonly unknown[]): string {
  return things.map((thing) => JSON.stringify(thing)).join(',\n');
}

function polygon(uuid: string, points: Outline, text?: string) {
  const [{ x, y } = origin] = points;
  return {
    uuid,
    shape: 'polygon',
    position: origin,
    color: '#f4f4f4',
    border_color: '#c4c4c4',
    polygon: { points },
    ...(text !== undefined && { text: { text, position: { x, y } } }),
  };
}

function textArea(uuid: string, { text, size, x, y }: Omit<FreeText, 'textEn'>) {
  return { uuid, shape: 'text', position: { x, y }, text: { text, size, position: origin } };
}

function* areasOf(document: LayoutDocument): Generator<string, unknown[]> {
  const { stage, texts, standingAreas } = document;
  const extension = JSON.stringify(yield* extensionOf(document));
  return [
    ...(stage === null ? [] : [polygon(areaMarks.stage, stage.outline, stage.name)]),
    ...standingAreas.flatMap(({ id, name, outline }) =>
      outline === null ? [] : [polygon(`${areaMarks.standing}${id}`, outline, name)],
    ),
    ...texts.map((text, index) => textArea(`${areaMarks.text}${index}`, text)),
    textArea(areaMarks.extension, { text: extension, size: 0, ...origin }),
  ];
}

/** What pretix has no field for. Everything else is in its own fields, so that what is moved there stays moved. */
function* extensionOf({ sections, standingAreas, stage, texts }: LayoutDocument): Generator<string, unknown> {
  const seats: [string, unknown][] = [];
  for (const section of sections) {
    for (const row of section.rows) {
      seats.push(...markedSeats(section, row));
      // Nothing to write yet, but time for a pause.
      yield '';
    }
  }
  return {
    documentVersion: 2,
    sections: Object.fromEntries(
      sections.map(({ id, nameEn, floor, floorEn, grade }) => [id, { nameEn, floor, floorEn, grade }]),
    ),
    seats: Object.fromEntries(seats),
    standingAreas: standingAreas.map(({ id, name, nameEn, capacity }) => ({ id, name, nameEn, capacity })),
    stage: stage && { name: stage.name, nameEn: stage.nameEn },
    texts: texts.map(({ textEn }) => textEn),
  };
}

function markedSeats(section: Section, row: Section['rows'][number]): [string, unknown][] {
  return row.seats.flatMap((seat): [string, unknown][] => {
    const { note } = seat;
    if (note === undefined && !seatMarks.some((mark) => seat[mark])) return [];
    const marks = Object.fromEntries(seatMarks.flatMap((mark) => (seat[mark] ? [[mark, true]] : [])));
    return [[`${section.id}-${row.label}-${seat.label}`, { ...marks, ...(note !== undefined && { note }) }]];
  });
}
