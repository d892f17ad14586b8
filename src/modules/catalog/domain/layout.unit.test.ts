import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '#test/kit/finish.ts';
import { anyLayout, anyLayoutSource } from '../testing/any-layout.ts';
import { compactLayout, compactLayoutSteps, drawingTextSteps } from './compact-layout.ts';
import { type LayoutDocument, layoutLimits, layoutTotals, seatMarks, seatsOf } from './layout.ts';
import { layoutProblems, problemsMax } from './layout-problems.ts';
import { layoutDocumentOf } from './layout-source.ts';

const problemsOf = (document: LayoutDocument) => finish(layoutProblems(document));

const seat = (label: string, grade?: string) => ({ label, x: 1, y: 2, ...(grade !== undefined && { grade }) });
const hall = layoutDocumentOf({
  sections: [
    {
      id: 'A',
      name: 'A구역',
      nameEn: null,
      grade: 'R',
      rows: [
        { label: '1', seats: [seat('1', 'VIP'), seat('2')] },
        { label: '2', seats: [seat('1')] },
      ],
    },
  ],
  standingAreas: [{ id: 'Z', name: '스탠딩', nameEn: null, capacity: 300 }],
});

test('a seat without a grade has that of its section', () => {
  expect([...seatsOf(hall)].map(({ seatId, grade }) => [seatId, grade])).toEqual([
    ['A-1-1', 'VIP'],
    ['A-1-2', 'R'],
    ['A-2-1', 'R'],
  ]);
  expect(layoutTotals(hall)).toEqual({
    seatCount: 3,
    standingCapacity: 300,
    seatsByGrade: [
      { grade: 'VIP', seats: 1 },
      { grade: 'R', seats: 2 },
    ],
  });
});

test('a sound layout has no problems', () => {
  expect(problemsOf(hall)).toEqual([]);
});

test('what is named twice is told, wherever it is', () => {
  const [a] = hall.sections;
  if (a === undefined) throw new Error('the hall has a section');
  const row = { label: '1', seats: [seat('1'), seat('1')] };
  const broken: LayoutDocument = {
    ...hall,
    sections: [a, { ...a, rows: [row, row] }],
    standingAreas: [...hall.standingAreas, ...hall.standingAreas],
  };
  expect(problemsOf(broken).map((problem) => problem.field)).toEqual([
    'sections.1.id',
    'sections.1.rows.0.seats.1.label',
    'sections.1.rows.1.label',
    'sections.1.rows.1.seats.1.label',
    'standingAreas.1.id',
  ]);
});

test('an empty layout and one above the limit are refused', () => {
  const nothing = layoutDocumentOf({ sections: [], standingAreas: [] });
  expect(problemsOf(nothing)).toHaveLength(1);
  const area = (id: string, capacity: number) => ({ id, name: id, nameEn: null, capacity, outline: null });
  const full = { ...nothing, standingAreas: [area('A', layoutLimits.capacityMax)] };
  expect(problemsOf(full)).toEqual([]);
  expect(problemsOf({ ...full, standingAreas: [...full.standingAreas, area('B', 1)] })).toHaveLength(1);
});

test('a document of version 1 is one of version 2 that says no more', () => {
  const [a] = hall.sections;
  expect(hall).toMatchObject({ documentVersion: 2, stage: null, texts: [], standingAreas: [{ outline: null }] });
  expect(a).toMatchObject({ floor: null, floorEn: null, outline: null });
});

test('however a drawing is said, equal ones are equal documents; and one that was made stays as it is', () => {
  fc.assert(
    fc.property(anyLayoutSource, (source) => {
      const document = layoutDocumentOf(source);
      expect(layoutDocumentOf(document)).toEqual(document);
      for (const section of document.sections) {
        for (const seat of section.rows.flatMap(({ seats }) => seats)) {
          expect(seat.grade).not.toBe(section.grade);
          for (const mark of seatMarks) expect([true, undefined]).toContain(seat[mark]);
        }
      }
    }),
  );
});

const point = { x: 0, y: 0 };
const { outlinePointsMax, textLengthMax, noteLengthMax } = layoutLimits;
const [aSection] = hall.sections;
const withSection = (change: Partial<LayoutDocument['sections'][number]>): LayoutDocument => ({
  ...hall,
  sections: aSection ? [{ ...aSection, ...change }] : [],
});
const withSeat = (change: object) =>
  withSection({ rows: [{ label: '1', seats: [{ label: '1', x: 0, y: 0, ...change }] }] });
const text = { text: '입구', textEn: null, x: 0, y: 0, size: 10 };
const stage = { name: '무대', nameEn: null, outline: [point, point, point] };
const area = { id: 'Z', name: 'Z', nameEn: null, capacity: 1, outline: null };
test.each<[string, LayoutDocument]>([
  ['sections.0.id', withSection({ id: 'A-1' })],
  ['sections.0.id', withSection({ id: '1234567890123' })],
  ['sections.0.id', withSection({ id: 'A\u3164' })],
  ['sections.0.id', withSection({ id: '각'.normalize('NFD') })],
  ['sections.0.id', withSection({ id: '１' })],
  ['sections.0.name', withSection({ name: ' ' })],
  ['sections.0.name', withSection({ name: 'a\u0000b' })],
  ['sections.0.floor', withSection({ floor: 'x'.repeat(21) })],
  ['sections.0.outline', withSection({ outline: [point, point] })],
  ['sections.0.outline', withSection({ outline: Array.from({ length: outlinePointsMax + 1 }, () => point) })],
  ['sections.0.outline.1.y', withSection({ outline: [point, { x: 0, y: 100_001 }, point] })],
  ['sections.0.rows', withSection({ rows: [] })],
  ['sections.0.rows.0.seats', withSection({ rows: [{ label: '1', seats: [] }] })],
  ['sections.0.rows.0.seats.0.x', withSeat({ x: -1 })],
  ['sections.0.rows.0.seats.0.y', withSeat({ y: 1.5 })],
  ['sections.0.rows.0.seats.0.grade', withSeat({ grade: 'a\nb' })],
  ['sections.0.rows.0.seats.0.note', withSeat({ note: 'x'.repeat(noteLengthMax + 1) })],
  ['texts.0.text', { ...hall, texts: [{ ...text, text: 'x'.repeat(textLengthMax + 1) }] }],
  ['texts.0.size', { ...hall, texts: [{ ...text, size: 0 }] }],
  ['texts', { ...hall, texts: Array.from({ length: layoutLimits.textsMax + 1 }, () => text) }],
  ['stage.nameEn', { ...hall, stage: { ...stage, nameEn: '' } }],
  ['stage.outline', { ...hall, stage: { ...stage, outline: [] } }],
  ['standingAreas.0.capacity', { ...hall, standingAreas: [{ ...area, capacity: 0 }] }],
  ['standingAreas.0.outline', { ...hall, standingAreas: [{ ...area, outline: [point] }] }],
])('a problem is named by its path: %s', (path, document) => {
  expect(problemsOf(document).map(({ field }) => field)).toEqual([path]);
});

test('the 21st grade, too many points and too long notes are named where they are too many', () => {
  const seats = Array.from({ length: 21 }, (_, index) => seat(String(index), `G${index}`));
  expect(problemsOf(withSection({ grade: 'G0', rows: [{ label: '1', seats }] }))).toMatchObject([
    { field: 'sections.0.rows.0.seats.20.grade' },
  ]);
  const outline = Array.from({ length: outlinePointsMax }, () => point);
  const rows = [{ label: '1', seats: [seat('1')] }];
  const sections = Array.from({ length: 102 }, (_, s) => ({
    ...withSection({ outline, rows }).sections[0],
    id: `S${s}`,
  }));
  expect(problemsOf({ ...hall, sections: sections as LayoutDocument['sections'] })).toMatchObject([
    { field: 'sections.100.outline' },
  ]);
});

test('of very many problems a hundred are named', () => {
  const seats = Array.from({ length: 1_000 }, () => seat('1'));
  expect(problemsOf(withSection({ rows: [{ label: '1', seats }] }))).toHaveLength(problemsMax);
});

test('a drawing is made ready a section at a time, whatever its size', () => {
  const [section] = withSection({}).sections;
  const sections = Array.from({ length: 40 }, (_, at) => ({ ...section, id: `S${at}` }));
  const document = { ...withSection({}), sections } as LayoutDocument;
  const compact = compactLayoutSteps(document);
  expect(stepsOf(compact).steps).toBeGreaterThanOrEqual(40);
  const answer = { id: 'x', ...compactLayout(document) };
  const text = stepsOf(drawingTextSteps(answer));
  expect(text.steps).toBeGreaterThanOrEqual(40);
  expect(JSON.parse(text.result)).toEqual(answer);
});

function stepsOf<Result>(work: Generator<void, Result>): { steps: number; result: Result } {
  for (let steps = 0; ; steps++) {
    const step = work.next();
    if (step.done) return { steps, result: step.value };
  }
}

test('seat ids are unique, and the compact form holds the very same seats and marks', () => {
  fc.assert(
    fc.property(anyLayout, (document) => {
      const seats = [...seatsOf(document)];
      expect(new Set(seats.map(({ seatId }) => seatId)).size).toBe(seats.length);
      const compact = compactLayout(document);
      const unpacked = compact.sections.flatMap((section) =>
        section.rows.flatMap((row) =>
          row.labels.map((seatLabel, index) => ({
            seatId: `${section.id}-${row.label}-${seatLabel}`,
            section: section.id,
            row: row.label,
            label: seatLabel,
            grade: compact.grades[row.grades[index] ?? -1],
            x: row.x[index],
            y: row.y[index],
          })),
        ),
      );
      expect(unpacked.map((one, seatNo) => ({ seatNo, ...one }))).toEqual(seats);
      const drawn = document.sections.flatMap(({ rows }) => rows.flatMap((row) => row.seats));
      for (const mark of seatMarks) {
        expect(compact.seatMarks[mark]).toEqual(drawn.flatMap((one, seatNo) => (one[mark] ? [seatNo] : [])));
      }
      expect(compact.notes).toEqual(
        drawn.flatMap(({ note }, seatNo) => (note === undefined ? [] : [{ seatNo, note }])),
      );
      const outlines = [document.stage, ...document.sections, ...document.standingAreas].flatMap(
        (one) => one?.outline ?? [],
      );
      const points = [...seats, ...outlines, ...document.texts];
      expect(compact.width).toBe(Math.max(...points.map(({ x }) => x)));
      expect(compact.height).toBe(Math.max(...points.map(({ y }) => y)));
    }),
  );
});
