import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '#test/kit/finish.ts';
import { aGreatHall } from '../../testing/any-layout.ts';
import { readPretixPlan } from './pretix-read.ts';
import { writePretixPlan } from './pretix-write.ts';

const read = (plan: unknown) => finish(readPretixPlan(JSON.stringify(plan, null, 1)));

const seat = (number: string, x: number, y = 0, more: object = {}) => ({
  seat_guid: `guid-${number}`,
  seat_number: number,
  position: { x, y },
  category: 'Stalls',
  ...more,
});
const zone = (name: string, rows: unknown[], more: object = {}) => ({ name, position: { x: 0, y: 0 }, rows, ...more });
const plan = (zones: unknown[]) => ({
  name: 'Stadttheater',
  categories: [{ name: 'Stalls', color: '#f00' }],
  size: { width: 1000, height: 500 },
  zones,
});

test('a plan that others drew becomes sections with a stage and texts; what has no place is named', () => {
  const areas = [
    {
      shape: 'rectangle',
      position: { x: 40, y: 0 },
      rectangle: { width: 20, height: 5 },
      text: { text: 'Stage', position: { x: 1, y: 1 } },
    },
    { shape: 'text', position: { x: 5, y: 90 }, text: { text: 'Bar', position: { x: 1, y: 1 }, size: 12 } },
    { shape: 'circle', position: { x: 5, y: 90 }, circle: { radius: 3 } },
  ];
  const rows = [
    {
      row_number: 'A',
      row_label: 'Row %s',
      position: { x: 10, y: 20 },
      seats: [seat('1', 0), seat('2', 10, 0, { radius: 8 })],
    },
    { row_number: 'A', seats: [seat('3', 60, 20), seat('4', 70.4, 20, { category: 'Box' })] },
  ];
  const reading = read(plan([zone('Main floor', rows, { position: { x: 100, y: 0 }, areas })]));
  expect(reading).toMatchObject({ status: 'read', name: 'Stadttheater', problems: [] });
  expect(reading.status === 'read' && reading.document).toMatchObject({
    stage: {
      name: 'Stage',
      outline: [
        { x: 140, y: 0 },
        { x: 160, y: 0 },
        { x: 160, y: 5 },
        { x: 140, y: 5 },
      ],
    },
    texts: [{ text: 'Bar', x: 106, y: 91, size: 12 }],
    sections: [
      {
        id: 'Mainfloor',
        name: 'Main floor',
        grade: 'Stalls',
        rows: [
          {
            label: 'A',
            seats: [
              { label: '1', x: 110, y: 20 },
              { label: '2', x: 120, y: 20 },
              { label: '3', x: 160, y: 20 },
              { label: '4', x: 170, y: 20, grade: 'Box' },
            ],
          },
        ],
      },
    ],
  });
  expect(reading.warnings.map(({ message }) => message).sort()).toEqual([
    '"Box" is not among the categories of the plan',
    '"Main floor" became the section "Mainfloor"',
    'an area that is neither a stage nor a text was left out (standing areas need a capacity)',
    'colours of categories are not kept',
    'positions were rounded to whole numbers',
    'radius is not kept',
    'row "A" comes twice; its seats were put together',
    'row_label is not kept',
  ]);
});

test('a category that the plan does not list is a warning, once for all of its seats', () => {
  const seats = [seat('1', 0), seat('2', 1, 0, { category: 'Stall' }), seat('3', 2, 0, { category: 'Stall' })];
  const zones = [zone('A', [{ row_number: '1', seats }])];
  expect(read(plan(zones)).warnings.map(({ field, message }) => `${field} ${message}`)).toContain(
    'zones.0.rows.0.seats.1.category "Stall" is not among the categories of the plan (2 times)',
  );
  for (const categories of [undefined, 'Stalls', [null, 'Stalls', { name: 1 }]]) {
    const reading = read({ ...plan(zones), categories });
    expect(reading.status).toBe('read');
    expect(reading.warnings.map(({ message }) => message)).toContain(
      '"Stalls" is not among the categories of the plan',
    );
  }
});

test('a plan that reaches left of its corner is moved, and said so', () => {
  const reading = read(plan([zone('A', [{ row_number: '1', seats: [seat('1', -20), seat('2', 10, -5)] }])]));
  expect(reading).toMatchObject({
    status: 'read',
    document: {
      sections: [
        {
          rows: [
            {
              seats: [
                { x: 0, y: 5 },
                { x: 30, y: 0 },
              ],
            },
          ],
        },
      ],
    },
    warnings: expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining('moved by 20') })]),
  });
});

test('zones whose names do not fit or come twice get numbers', () => {
  const row = { row_number: '1', seats: [seat('1', 0)] };
  const reading = read(plan([zone('A', [row]), zone('A', [row]), zone('Ganz hinten links', [row])]));
  expect(reading.status === 'read' && reading.document.sections.map(({ id, name }) => [id, name])).toEqual([
    ['A', 'A'],
    ['S2', 'A'],
    ['S3', 'Ganz hinten links'],
  ]);
});

test('every problem is named by line and path', () => {
  const text = `{
"name": "Plan",
"zones": [
 {"name": "A", "position": {"x": 0, "y": 0}, "rows": [
  {"row_number": "1", "seats": [
   {"seat_guid": "a1", "seat_number": "1", "position": {"x": 0, "y": 0}, "category": "R"},
   {"seat_guid": "a2", "seat_number": 2, "position": {"x": 0, "y": 0}, "category": "R"},
   {"seat_guid": "a3", "seat_number": "3",
    "position": {"x": "links", "y": 0}},
   null
  ]},
  {"seats": [{"seat_number": "4"}]}
 ]},
 {"position": {"x": 0}, "rows": {}}
]}`;
  const reading = finish(readPretixPlan(text));
  expect(reading.status).toBe('broken');
  expect(reading.problems.map(({ line, field, message }) => `${line} ${field} ${message}`)).toEqual([
    '7 zones.0.rows.0.seats.1.seat_number must be text',
    '8 zones.0.rows.0.seats.2.category is missing',
    '9 zones.0.rows.0.seats.2.position.x must be a number',
    '10 zones.0.rows.0.seats.3 must be an object',
    '12 zones.0.rows.1.row_number is missing',
    '12 zones.0.rows.1.seats.0.position is missing',
    '12 zones.0.rows.1.seats.0.category is missing',
    '14 zones.1.position.y is missing',
    '14 zones.1.rows must be a list',
  ]);
});

test('what only the whole drawing shows is named by line and path, too', () => {
  const text = `{"name": "Plan", "zones": [
 {"name": "A", "position": {"x": 0, "y": 0}, "rows": [
  {"row_number": "1", "seats": [
   {"seat_number": "1", "position": {"x": 0, "y": 0}, "category": "R"},
   {"seat_number": "1",
    "position": {"x": 0,
     "y": 200000}, "category": "R"}
  ]}
 ]}
]}`;
  expect(finish(readPretixPlan(text)).problems).toEqual([
    { line: 5, field: 'zones.0.rows.0.seats.1.seat_number', message: '"1" is used twice' },
    { line: 7, field: 'zones.0.rows.0.seats.1.position.y', message: 'must be a whole number from 0 to 100000' },
  ]);
});

test('what cannot be read and what cannot be drawn are told together, and each thing once', () => {
  const text = `{"name": "Plan", "zones": [
 {"name": "A", "position": {"x": 0, "y": 0}, "rows": [
  {"row_number": "1", "seats": [
   {"seat_number": "1", "position": {"x": 0, "y": 0}, "category": 7},
   {"seat_number": "1", "position": {"x": 0, "y": 0}, "category": "R"},
   {"seat_number": "1", "position": {"x": "q", "y": 0}, "category": "R"},
   {"seat_number": "2", "position": {"x": 0, "y": 200000}, "category": "R"}
  ]},
  {"row_number": "2", "position": null, "seats": [
   {"seat_number": "1", "position": {"x": 200000, "y": 0}, "category": "R"},
   {"seat_number": "1", "position": {"x": 0, "y": 0}, "category": "R"}
  ]},
  {"row_number": "3", "seats": [null]}
 ]},
 {"name": "B", "position": {"x": 0, "y": 0}, "rows": [
  {"row_number": "1", "seats": [{"seat_number": "1", "position": {"x": 0, "y": 0}}]}
 ], "areas": [
  {"shape": "polygon", "position": 0,
   "polygon": {"points": [{"x": 0}, {"x": 0, "y": 0}, {"x": 1, "y": 1}]}, "text": {"text": "Stage"}}
 ]}
]}`;
  expect(
    finish(readPretixPlan(text)).problems.map(({ line, field, message }) => `${line} ${field} ${message}`),
  ).toEqual([
    '4 zones.0.rows.0.seats.0.category must be text',
    '5 zones.0.rows.0.seats.1.seat_number "1" is used twice',
    '6 zones.0.rows.0.seats.2.position.x must be a number',
    '6 zones.0.rows.0.seats.2.seat_number "1" is used twice',
    '7 zones.0.rows.0.seats.3.position.y must be a whole number from 0 to 100000',
    '9 zones.0.rows.1.position must be an object',
    '11 zones.0.rows.1.seats.1.seat_number "1" is used twice',
    '13 zones.0.rows.2.seats.0 must be an object',
    '16 zones.1.rows.0.seats.0.category is missing',
    '18 zones.1.areas.0.position must be an object',
    '19 zones.1.areas.0.polygon.points.0.y is missing',
  ]);
});

test('a plan that is no JSON, or no plan, is refused', () => {
  expect(finish(readPretixPlan('{\n"zones": [}')).problems).toMatchObject([{ line: 2 }]);
  expect(read([])).toMatchObject({
    status: 'broken',
    problems: [{ line: 1, field: '', message: 'must be an object' }],
  });
  expect(read({})).toMatchObject({ status: 'broken', problems: [{ line: 1, field: 'zones', message: 'is missing' }] });
});

test('what is told of a plan is short and visible, whatever it quotes', () => {
  const long = 'n'.repeat(9_000);
  const rows = [{ row_number: `-${long}`, seats: [seat('1', 0)] }];
  const reading = read({ ...plan([zone('A', rows)]), [`${long}`]: 1, '\u001b[2J': 1 });
  for (const { field, message } of [...reading.problems, ...reading.warnings]) {
    expect(field.length).toBeLessThanOrEqual(101);
    expect(message.length).toBeLessThanOrEqual(301);
    expect(`${field}${message}`).not.toMatch(/\p{Cc}/u);
  }
  expect(reading.warnings.map(({ field }) => field)).toContain('\ufffd[2J');
  expect(reading.problemsTotal + reading.warningsTotal).toBeGreaterThan(3);
});

const standing = { id: 'Z', name: 'Floor', nameEn: null, capacity: 5 };

test.each<[string, unknown, string[]]>([
  [
    'a name that is an object',
    { standingAreas: [{ ...standing, name: { toString: 1 } }] },
    ['standingAreas.0.name: must be text'],
  ],
  ['no name', { standingAreas: [{ ...standing, name: undefined }] }, ['standingAreas.0.name: is missing']],
  ['an id that is a list', { standingAreas: [{ ...standing, id: ['Z'] }] }, ['standingAreas.0.id: must be text']],
  [
    'a capacity that is text',
    { standingAreas: [{ ...standing, capacity: '0x10' }] },
    ['standingAreas.0.capacity: must be a number'],
  ],
  ['an area that is none', { standingAreas: [standing, 7] }, ['standingAreas.1: must be an object']],
  ['a sound area', { standingAreas: [standing] }, []],
])('our own part of a plan with %s is looked at like the rest', (_, extension, problems) => {
  const area = { uuid: 'urr:extension', shape: 'text', text: { text: JSON.stringify(extension) } };
  const reading = read(plan([zone('A', [], { areas: [area] })]));
  const prefix = 'zones.0.areas.0.text.text.';
  expect(reading.problems.map(({ field, message }) => `${field}: ${message}`)).toEqual(
    problems.map((one) => `${prefix}${one}`),
  );
  expect(reading.status).toBe(problems.length === 0 ? 'read' : 'broken');
});

test('a grade that cannot be is named at the seat that has it', () => {
  const rows = [{ row_number: '1', seats: [seat('1', 0, 0, { category: 'R\ud800' }), seat('2', 10)] }];
  expect(read(plan([zone('A', rows)])).problems).toMatchObject([{ field: 'zones.0.rows.0.seats.0.category' }]);
});

test('lists that are endless are refused or read a little at a time', () => {
  const zeros = Array<number>(100_000).fill(0);
  expect(read({ zones: zeros }).problems).toMatchObject([
    { field: 'zones', message: 'has 100000 entries; at most 1000 are allowed' },
  ]);
  for (const endless of [
    zone('A', zeros),
    zone('A', [{ row_number: '1', seats: zeros }]),
    zone('A', [], { areas: zeros }),
  ]) {
    const stepsOf = (one: unknown) => {
      const work = readPretixPlan(JSON.stringify(plan([one])));
      let steps = 0;
      while (!work.next().done) steps += 1;
      return steps;
    };
    // Its text is read twice, 500 values a step; what is in the list comes on top.
    expect(stepsOf(endless) - 2 * (zeros.length / 500)).toBeGreaterThanOrEqual(zeros.length / 500);
  }
});

const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, 'urr:extension', [null], [{}], [[]]));
const position = { x: 1, y: 1 };
const strangeArea = fc.record(
  {
    uuid: fc.constantFrom('urr:extension', 'urr:stage', 'urr:standing:Z', 'urr:text:0', 'x'),
    shape: fc.constantFrom('polygon', 'rectangle', 'circle', 'ellipse', 'text'),
    position: fc.oneof(fc.constant(position), anything),
    polygon: anything,
    circle: anything,
    rectangle: anything,
    ellipse: anything,
    rotation: anything,
    text: fc.oneof(
      anything,
      fc.record({
        text: fc.oneof(anything, fc.json({ maxDepth: 2 }), extensionText()),
        position: fc.constant(position),
      }),
    ),
  },
  { requiredKeys: [] },
);

/** What we write ourselves, with anything in it. */
function extensionText() {
  const parts = { sections: anything, seats: anything, standingAreas: anything, stage: anything, texts: anything };
  return fc.record(parts, { requiredKeys: [] }).map((extension) => JSON.stringify(extension));
}

test('whatever a plan holds, it is read or refused, and nothing is thrown', () => {
  const strangeRow = fc.record({
    row_number: anything,
    seats: fc.oneof(anything, fc.constant([seat('1', 0)])),
    position: anything,
  });
  const strangeZone = fc.record(
    {
      name: anything,
      zone_id: anything,
      position: fc.oneof(fc.constant(position), anything),
      rows: fc.oneof(anything, fc.array(fc.oneof(anything, strangeRow), { maxLength: 2 })),
      areas: fc.oneof(anything, fc.array(fc.oneof(anything, strangeArea), { maxLength: 3 })),
    },
    { requiredKeys: [] },
  );
  const strangePlan = fc.record(
    { name: anything, categories: anything, zones: fc.oneof(anything, fc.array(fc.oneof(anything, strangeZone))) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(anything, strangePlan), (plan) => {
      expect(['read', 'broken']).toContain(read(plan).status);
    }),
    { numRuns: 500 },
  );
});

/** The fields of pretix's own schema, which refuses every other. */
const known: Readonly<Record<string, readonly string[]>> = {
  plan: ['name', 'zones', 'categories', 'size'],
  zone: ['name', 'zone_id', 'uuid', 'position', 'rows', 'areas'],
  row: ['row_number', 'row_label', 'seat_label', 'uuid', 'seats', 'row_number_position', 'position'],
  seat: ['seat_guid', 'seat_number', 'uuid', 'start_direction', 'radius', 'position', 'category'],
  area: [
    'color',
    'border_color',
    'rotation',
    'position',
    'uuid',
    'shape',
    'polygon',
    'rectangle',
    'ellipse',
    'circle',
    'text',
  ],
  text: ['text', 'color', 'size', 'position'],
};

test('a plan that we write has only fields that pretix knows', () => {
  const hall = aGreatHall(2);
  type Written = Record<string, unknown> & { [list in 'zones' | 'rows' | 'seats' | 'areas']?: Written[] } & {
    text?: Written;
  };
  const written = JSON.parse([...writePretixPlan(hall, '이름')].join('')) as Written;
  const unknown = (kind: string, thing: Written) => Object.keys(thing).filter((key) => !known[kind]?.includes(key));
  const zones = written.zones ?? [];
  const rows = zones.flatMap((one) => one.rows ?? []);
  const seats = rows.flatMap((one) => one.seats ?? []);
  const areas = zones.flatMap((one) => one.areas ?? []);
  const texts = areas.flatMap((one) => (one.text === undefined ? [] : [one.text]));
  const all = { plan: [written], zone: zones, row: rows, seat: seats, area: areas, text: texts };
  for (const [kind, things] of Object.entries<Written[]>(all)) {
    expect([kind, things.length > 0, things.flatMap((thing) => unknown(kind, thing))]).toEqual([kind, true, []]);
  }
  expect(new Set(seats.map((one) => one.seat_guid)).size).toBe(2_000);
});
