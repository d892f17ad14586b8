import fc from 'fast-check';
import type { LayoutDocument } from '../domain/layout.ts';
import { type LayoutSource, layoutDocumentOf } from '../domain/layout-source.ts';

const label = fc.stringMatching(/^[A-Z0-9가-힣]{1,4}$/);
/** With everything that a table, a spreadsheet or JSON could stumble over. */
const line = fc
  .array(
    fc.constantFrom('구', '역', 'A', '1', ' ', '"', "'", ',', ';', '=', '+', '-', '@', '＝', '\\', '/', '😀', '{', ':'),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '');
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
const coordinate = fc.nat(100_000);
const outline = fc.array(fc.record({ x: coordinate, y: coordinate }), { minLength: 3, maxLength: 6 });
const grade = fc.constantFrom('VIP', 'R', 'S', '=HYPERLINK("x")');

const seat = fc.record(
  {
    label,
    x: coordinate,
    y: coordinate,
    grade,
    accessible: fc.boolean(),
    companion: fc.boolean(),
    restrictedView: fc.boolean(),
    note: orNull(line),
  },
  { requiredKeys: ['label', 'x', 'y'] },
);
const row = fc.record({
  label,
  seats: fc.uniqueArray(seat, { selector: (one) => one.label, minLength: 1, maxLength: 6 }),
});
const section = fc.record(
  {
    id: fc.oneof(label, fc.constantFrom('constructor', 'toString')),
    name: line,
    nameEn: orNull(line),
    floor: orNull(line),
    floorEn: orNull(line),
    grade,
    outline: orNull(outline),
    rows: fc.uniqueArray(row, { selector: (one) => one.label, minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['id', 'name', 'grade', 'rows'] },
);
const standingArea = fc.record({
  id: label,
  name: line,
  nameEn: orNull(line),
  capacity: fc.integer({ min: 1, max: 500 }),
  outline: orNull(outline),
});
const text = fc.record({
  text: line,
  textEn: orNull(line),
  x: coordinate,
  y: coordinate,
  size: fc.integer({ min: 1, max: 100 }),
});

/** As a caller may say it, in any version. */
export const anyLayoutSource: fc.Arbitrary<LayoutSource> = fc.record(
  {
    stage: orNull(fc.record({ name: line, nameEn: orNull(line), outline })),
    texts: fc.array(text, { maxLength: 3 }),
    sections: fc.uniqueArray(section, { selector: (one) => one.id, minLength: 1, maxLength: 4 }),
    standingAreas: fc.uniqueArray(standingArea, { selector: (one) => one.id, maxLength: 3 }),
  },
  { requiredKeys: ['sections', 'standingAreas'] },
);

export const anyLayout: fc.Arbitrary<LayoutDocument> = anyLayoutSource.map(layoutDocumentOf);

/** So many sections of 20 rows of 50 seats, with something of everything. */
export function aGreatHall(sections: number): LayoutDocument {
  const points = [
    { x: 0, y: 0 },
    { x: 900, y: 0 },
    { x: 900, y: 300 },
  ];
  return layoutDocumentOf({
    stage: { name: '무대', nameEn: 'Stage', outline: points },
    texts: [{ text: '출입구 3', textEn: null, x: 10, y: 20, size: 30 }],
    sections: Array.from({ length: sections }, (_, s) => ({
      id: `S${s + 1}`,
      name: `${s + 1}구역`,
      nameEn: `Section ${s + 1}`,
      floor: `${1 + (s % 3)}층`,
      floorEn: null,
      grade: s % 2 === 0 ? 'R' : 'S',
      outline: points,
      rows: Array.from({ length: 20 }, (_, r) => ({
        label: String(r + 1),
        seats: Array.from({ length: 50 }, (_, i) => ({
          label: String(i + 1),
          x: 600 * s + 10 * i,
          y: 10 * r,
          ...(r === 0 && { grade: 'VIP' }),
          ...(i === 0 && { accessible: true }),
          ...(i === 1 && { companion: true }),
          ...(i === 49 && { restrictedView: true, note: `기둥 뒤, ${r + 1}열` }),
        })),
      })),
    })),
    standingAreas: [],
  });
}
