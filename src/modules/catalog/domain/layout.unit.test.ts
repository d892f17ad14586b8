import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compactLayout } from './compact-layout.ts';
import { type LayoutDocument, layoutLimits, layoutProblems, layoutTotals, seatsOf } from './layout.ts';

const seat = (label: string, grade?: string) => ({ label, x: 1, y: 2, ...(grade !== undefined && { grade }) });
const hall: LayoutDocument = {
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
};

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
  expect(layoutProblems(hall)).toEqual([]);
});

test('what is named twice is told, wherever it is', () => {
  const [a] = hall.sections;
  if (a === undefined) throw new Error('the hall has a section');
  const row = { label: '1', seats: [seat('1'), seat('1')] };
  const broken: LayoutDocument = {
    sections: [a, { ...a, rows: [row, row] }],
    standingAreas: [...hall.standingAreas, ...hall.standingAreas],
  };
  expect(layoutProblems(broken).map((problem) => problem.field)).toEqual([
    'sections.1.id',
    'sections.1.rows.0.seats.1.label',
    'sections.1.rows.1.label',
    'sections.1.rows.1.seats.1.label',
    'standingAreas.1.id',
  ]);
});

test('an empty layout and one above the limit are refused', () => {
  expect(layoutProblems({ sections: [], standingAreas: [] })).toHaveLength(1);
  const area = (id: string, capacity: number) => ({ id, name: id, nameEn: null, capacity });
  const full = { sections: [], standingAreas: [area('A', layoutLimits.capacityMax)] };
  expect(layoutProblems(full)).toEqual([]);
  expect(layoutProblems({ ...full, standingAreas: [...full.standingAreas, area('B', 1)] })).toHaveLength(1);
});

const label = fc.stringMatching(/^[A-Z0-9]{1,3}$/);
const anyHall: fc.Arbitrary<LayoutDocument> = fc.record({
  sections: fc.uniqueArray(
    fc.record({
      id: label,
      name: fc.constant('구역'),
      nameEn: fc.constant(null),
      grade: fc.constantFrom('VIP', 'R', 'S'),
      rows: fc.uniqueArray(
        fc.record({
          label,
          seats: fc.uniqueArray(
            fc.record(
              { label, x: fc.nat(1_000), y: fc.nat(1_000), grade: fc.constantFrom('VIP', 'R', 'S') },
              { requiredKeys: ['label', 'x', 'y'] },
            ),
            { selector: (seat) => seat.label, minLength: 1, maxLength: 6 },
          ),
        }),
        { selector: (row) => row.label, minLength: 1, maxLength: 4 },
      ),
    }),
    { selector: (section) => section.id, minLength: 1, maxLength: 4 },
  ),
  standingAreas: fc.constant([]),
});

test('seat ids are unique, and the compact form holds the very same seats', () => {
  fc.assert(
    fc.property(anyHall, (document) => {
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
      expect(unpacked).toEqual(seats);
      expect(compact.width).toBe(Math.max(...seats.map(({ x }) => x)));
      expect(compact.height).toBe(Math.max(...seats.map(({ y }) => y)));
    }),
  );
});
