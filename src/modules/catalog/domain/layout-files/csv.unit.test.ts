import { expect, test } from 'vitest';
import { finish } from '#test/kit/finish.ts';
import { aGreatHall } from '../../testing/any-layout.ts';
import { layoutDocumentOf } from '../layout-source.ts';
import { readLayoutCsv } from './csv-read.ts';
import { writeLayoutCsv } from './csv-write.ts';
import { readLayoutFile } from './layout-file.ts';

const read = (...lines: string[]) => finish(readLayoutFile(Buffer.from(lines.join('\n')), 'csv'));
const places = (reading: ReturnType<typeof read>) =>
  reading.problems.map(({ line, field, message }) => `${line} ${field}: ${message}`);

const smallHall = layoutDocumentOf({
  sections: [
    {
      id: 'A',
      name: 'A',
      grade: 'R',
      rows: [
        {
          label: '1',
          seats: [
            { label: '1', x: 0, y: 0 },
            { label: '2', x: 10, y: 0, grade: 'VIP' },
          ],
        },
      ],
    },
  ],
  standingAreas: [],
});
const smallTable = ['section,row,seat,grade,x,y', 'A,1,1,R,0,0', 'A,1,2,VIP,10,0'];

test.each([
  ['plain', smallTable.join('\n')],
  ['with CRLF and a byte order mark', `\uFEFF${smallTable.join('\r\n')}\r\n`],
  ['with CR alone', smallTable.join('\r')],
  ['with semicolons', smallTable.join('\n').replaceAll(',', ';')],
  ['with tabs', smallTable.join('\n').replaceAll(',', '\t')],
  ['with a line that names the separator', `sep=;\n${smallTable.join('\n').replaceAll(',', ';')}`],
  ['with quotes', smallTable.map((line) => line.replaceAll(/[^,]+/g, '"$&"')).join('\n')],
  ['with blank lines and blank cells behind', smallTable.map((line) => `${line},,`).join('\n\n')],
  ['with blanks around', smallTable.map((line) => line.replaceAll(',', ' , ')).join('\n')],
  ['with Korean headers', ['구역,열,좌석 번호,등급,X 좌표,Y 좌표', ...smallTable.slice(1)].join('\n')],
  ['with mixed headers in another order', 'y,X,등급,Seat,열,구역\n0,0,R,1,1,A\n0,10,VIP,2,1,A'],
])('a table %s is read', (_, text) => {
  const reading = finish(readLayoutFile(Buffer.from(text), 'csv'));
  expect(reading).toMatchObject({ status: 'read', document: smallHall, warnings: [] });
});

test('a table that Excel saved in Korea is read, and it is said how', () => {
  // "구역,열,번호,등급,x,y" and "가,…" in CP949.
  const bytes = Buffer.concat([
    Buffer.from('b1b8bfaa2cbfad2cb9f8c8a32cb5eeb1de2c782c790a', 'hex'),
    Buffer.from('b0a1', 'hex'),
    Buffer.from(',1,1,R,0,0\n'),
  ]);
  expect(finish(readLayoutFile(bytes, 'csv'))).toMatchObject({
    status: 'read',
    document: { sections: [{ id: '가' }] },
    warnings: [{ line: 1, message: expect.stringContaining('CP949') }],
  });
  const unicode = Buffer.from(`\uFEFF${smallTable.join('\r\n')}`, 'utf16le');
  expect(finish(readLayoutFile(unicode, 'csv'))).toMatchObject({ status: 'read', document: smallHall });
  expect(finish(readLayoutFile(unicode.swap16(), 'csv'))).toMatchObject({ status: 'read', document: smallHall });
});

test('marks may be said as tables say them, and a section by its seats', () => {
  const reading = read(
    '층,구역,구역명,열,번호,등급,x,y,휠체어석,동반자석,시야제한,비고',
    '1층,A,가운데,1,1,R,0,0,O,X,,',
    '1층,A,가운데,1,2,R,1,0,,Y,true,"기둥, 왼쪽"',
  );
  expect(reading).toMatchObject({
    status: 'read',
    document: {
      sections: [
        {
          floor: '1층',
          name: '가운데',
          rows: [
            {
              seats: [
                { label: '1', accessible: true },
                { label: '2', companion: true, restrictedView: true, note: '기둥, 왼쪽' },
              ],
            },
          ],
        },
      ],
    },
  });
});

test('every problem is named by its line and by the column as the header calls it', () => {
  const reading = read(
    '종류,구역,열,번호,등급,x,y,휠체어석,정원,외곽선',
    ',A,1,1,R,zehn,0,,,',
    ',A,1,,R,0,-,,,',
    ',A,"1',
    '",2,R,0,0,,,',
    ',A,1,3,R,0,0,vielleicht,,',
    '의자,A,1,4,R,0,0,,,',
    'standing,Z,,,,,,,,',
    'section,A,,,R,,,,,"0,0 1"',
    ',A,1,5,R,0,0,,,,,zu viel',
  );
  expect(reading.status).toBe('broken');
  expect(places(reading)).toEqual([
    '2 x: "zehn" is not a number',
    '3 번호: is empty',
    '3 y: "-" is not a number',
    '4 열: must consist of letters and digits',
    '6 휠체어석: must be Y or empty',
    '7 종류: must be seat, section, standing, stage or text',
    '8 정원: is empty',
    '9 외곽선: must be points like "0,0 100,0 100,50"',
    '10 : has 12 cells; the header has 10',
  ]);
});

test('what only the whole drawing shows is named by line, too', () => {
  const reading = read('section,row,seat,grade,x,y,floor', 'A,1,1,R,0,0,1', 'A,1-2,1,R,0,0,1', 'A,1,1,R,100001,0,1');
  expect(places(reading)).toEqual([
    '3 row: must consist of letters and digits',
    '4 seat: "1" is used twice',
    '4 x: must be a whole number from 0 to 100000',
  ]);
  expect(places(read('section,row,seat,grade,x,y,floor', 'A,1,1,R,0,0,1', 'A,1,2,R,0,0,2'))).toEqual([
    '3 floor: section "A" had "1" before',
  ]);
});

test('what cannot be read and what cannot be drawn are told together, and each cell once', () => {
  const table = ['section,row,seat,grade,x,y', 'A,1,1,R,0,0', 'A,1,1,R,10,0', 'A,1,1,R,zz,0', 'A,1,1,R,200000,?'];
  expect(places(read(...table))).toEqual([
    '3 seat: "1" is used twice',
    '4 x: "zz" is not a number',
    '4 seat: "1" is used twice',
    '5 y: "?" is not a number',
    '5 seat: "1" is used twice',
    '5 x: must be a whole number from 0 to 100000',
  ]);
  const other = ['kind,section,name,grade,row,seat,x,y,size,capacity,outline', ',A,,R,1,1,,,,,', ',A,,R,1,1,0,0,,,'];
  const things = ['standing,Z,,,,,,,,viel,"0,0"', 'standing,Z,,,,,,,,5,', 'text,,Bar,,,,links,0,groß,,'];
  expect(places(read(...other, ...things))).toEqual([
    '2 x: is empty',
    '2 y: is empty',
    '3 seat: "1" is used twice',
    '4 capacity: "viel" is not a number',
    '4 outline: needs at least 3 points',
    '5 section: "Z" is used twice',
    '6 x: "links" is not a number',
    '6 size: "groß" is not a number',
  ]);
});

test.each([
  ['the only seat', ['A,1,,R,0,0,'], ['2 seat: is empty']],
  ['the only line', [',1,1,R,0,0,'], ['2 section: is empty']],
  ['the seat of a described section', ['A,,,R,,,section', 'A,,1,,0,0,'], ['3 row: is empty']],
  [
    'the line with the grade',
    ['A,,,R,,,sektion', 'A,1,1,,0,0,'],
    ['2 kind: must be seat, section, standing, stage or text'],
  ],
  ['the end of the file', ['A,,,R,,,section', 'A,1,"1,R,0,0,'], ['3 : a quote (") opens here that nothing closes']],
])('%s that cannot be read is not missed as well', (_, lines, problems) => {
  expect(places(read('section,row,seat,grade,x,y,kind', ...lines))).toEqual(problems);
});

test('a header that lacks a column or has one twice is refused; one that is not known is left out', () => {
  expect(places(read('section,row,seat,x,구역', 'A,1,1,0,A'))).toEqual([
    '1 구역: is there twice, as "section"',
    '1 y: is missing; the header may also say y좌표, 세로',
  ]);
  const reading = read(`${smallTable[0]},Farbe`, ...smallTable.slice(1).map((line) => `${line},rot`));
  expect(reading).toMatchObject({ status: 'read', warnings: [{ line: 1, field: 'Farbe' }] });
});

test('a quote that nothing closes is told where it opens, and an empty file is told', () => {
  expect(places(read(...smallTable, 'A,1,"3,R,0,0', 'A,1,4,R,0,0'))).toEqual([
    '4 : a quote (") opens here that nothing closes',
  ]);
  expect(places(read(''))).toEqual(['1 : the file is empty']);
  expect(places(read('\n'.repeat(5_000)))).toEqual(['1 : the file is empty']);
  expect(places(read(','.repeat(1_000)))).toEqual(['1 : has more than 200 cells']);
  expect(places(read(...smallTable, ','.repeat(1_000)))).toEqual(['4 : has more than 200 cells']);
});

test('what no drawing needs ends the reading, and is told by its line', () => {
  const long = 'x'.repeat(20_001);
  for (const cell of [long, `"${long}"`, '"'.repeat(30_000), '1,1 '.repeat(6_000).replaceAll(',', '.')])
    expect(places(read(...smallTable, `A,1,3,R,0,${cell}`))).toEqual(['4 : is longer than 20000 characters']);
  for (const line of ['', ',', ',,,,,'])
    expect(places(read(...smallTable, `${line}\n`.repeat(200_000), 'A,1,3,R,0,0'))).toEqual([
      '200001 : more than 200000 lines',
    ]);
  const outline = (points: number) =>
    read('section,row,seat,grade,x,y,outline,kind', `A,,,R,,,"${'1,1 '.repeat(points)}",section`, 'A,1,1,R,0,0,,');
  expect(outline(200).status).toBe('read');
  expect(places(outline(201))).toEqual(['2 outline: has 201 points; at most 200 are allowed']);
  const sections = Array.from({ length: 501 }, (_, index) => `S${index},1,1,R,0,0`);
  expect(read(smallTable[0] ?? '', ...sections.slice(0, 500)).status).toBe('read');
  expect(places(read(smallTable[0] ?? '', ...sections))).toEqual([
    '502 section: is one section too many; at most 500 are allowed',
  ]);
});

test.each([
  ['blank lines', '\n'],
  ['lines of empty cells', ',,,\n'],
  ['seats', 'A,1,1,R,0,0\n'],
  ['long lines', `A,1,1,R,0,${' '.repeat(15_000)}0\n`],
  ['lines of many cells', `A,1,1,R,0,0${','.repeat(150)}\n`],
])('%s are read a little at a time', (_, line) => {
  const text = `${smallTable[0]}\n${line.repeat(Math.min(150_000, Math.ceil(2_000_000 / line.length)))}`;
  const work = readLayoutCsv(text);
  let steps = 0;
  while (!work.next().done) steps += 1;
  // Whatever is in them: characters are what reading costs.
  expect(text.length / steps).toBeLessThan(25_000);
});

test('what is told of a file is short and visible, whatever it quotes', () => {
  const [head, line] = ['section,row,seat,grade,x,y,name', ',1,1,R,0,0,'];
  const long = 'n'.repeat(19_000);
  const short = `"${'n'.repeat(50)}…"`;
  expect(places(read(head, `A${line}${long}`, `A,1,2,R,0,0,b`))).toEqual([
    '2 name: must not have more than 50 characters',
    `3 name: section "A" had ${short} before`,
  ]);
  expect(places(read(head, `A${line}`, `A${line}`, `${long}${line}`))).toEqual([
    '3 seat: "1" is used twice',
    '4 section: must not have more than 12 characters',
    '4 name: must not have more than 50 characters',
  ]);
  const { warnings } = read(`${smallTable[0]},${long},\u001b[2J\u0007`, ...smallTable.slice(1));
  expect(warnings.map(({ field }) => field)).toEqual([`${'n'.repeat(100)}…`, '\ufffd[2J\ufffd']);
  expect(places(read(head, 'A,1,1,R,\u001b[31mred,0,'))).toEqual(['2 x: "\ufffd[31mred" is not a number']);
});

test('of very many problems a hundred are named and all are counted', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `A,1,${index},R,?,0`);
  const reading = read('section,row,seat,grade,x,y', ...lines);
  expect(reading).toMatchObject({ status: 'broken', problemsTotal: 500 });
  expect(reading.problems).toHaveLength(100);
});

test('broken numbers are rounded, and each is said', () => {
  expect(read('section,row,seat,grade,x,y', 'A,1,1,R,1.5,2.0')).toMatchObject({
    status: 'read',
    warnings: [{ line: 2, field: 'x', message: '1.5 was rounded to 2' }],
  });
});

test('a seat that names no grade, in a section that names none, has that of the first; it is said how many', () => {
  const lines = ['A,1,1,,0,0,', 'A,1,2,R,1,0,', 'A,1,3,VIP,2,0,', 'B,1,1,S,0,9,', 'A,1,4,,3,0,', 'B,1,2,,1,9,'];
  const reading = read('구역,열,번호,등급,x,y,종류', ...lines);
  expect(reading).toMatchObject({
    status: 'read',
    document: { sections: [{ grade: 'R' }, { grade: 'S' }] },
    warnings: [
      {
        line: 2,
        field: '등급',
        message: 'is empty; 2 seats of section "A" have "R" like the first seat that names one',
      },
      { line: 7, field: '등급', message: 'is empty; the seat has "S" like the first seat that names one' },
    ],
  });
  const described = read('구역,열,번호,등급,x,y,종류', ...lines, 'A,,,R,,,section', 'B,,,R,,,section');
  expect(described).toMatchObject({ status: 'read', warnings: [] });
});

test('no cell that is written can run as a formula', () => {
  const hall = aGreatHall(1);
  const [section] = hall.sections;
  if (section === undefined) throw new Error('the hall has a section');
  const names = ['=1+1', '+1', '-1', '@SUM(A1)', '＝1', "'=1", ' =1'];
  const sections = names.map((name, index) => ({ ...section, id: `S${index}`, name }));
  const text = [...writeLayoutCsv({ ...hall, sections })].join('');
  const cells = text.split('\r\n').flatMap((line) => line.split(','));
  expect(cells.filter((cell) => /^"?[=+\-@＝]/.test(cell))).toEqual([]);
  const reading = finish(readLayoutCsv(text.slice(1)));
  expect(reading.status === 'read' && reading.document.sections.map(({ name }) => name)).toEqual(names);
});
