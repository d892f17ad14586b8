import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readLayoutFile } from '#modules/catalog/index.ts';
import { finish } from '../kit/finish.ts';

const guide = readFileSync(new URL('../../docs/guides/layouts.md', import.meta.url), 'utf8');

test('the table in the guide to layouts can be imported as it stands', () => {
  const [, table = ''] = /```csv\n([\s\S]*?)```/.exec(guide) ?? [];
  expect(finish(readLayoutFile(Buffer.from(table), 'csv'))).toMatchObject({
    status: 'read',
    warnings: [],
    document: {
      stage: { name: '무대' },
      standingAreas: [{ id: 'Z', capacity: 200 }],
      sections: [
        {
          name: '가운데',
          floor: '1층',
          grade: 'R',
          rows: [
            { label: '1', seats: [{ grade: 'VIP' }, { grade: 'VIP' }] },
            { label: '2', seats: [{ accessible: true }, { companion: true }, { note: '기둥 뒤, 왼쪽' }] },
          ],
        },
      ],
    },
  });
});

test('every column that the guide names, in either language, is known', () => {
  const rows = guide.split('\n').filter((line) => /^\| `\w+`/.test(line) && !line.includes('row_label'));
  const names = rows.flatMap((row) => {
    const [, english = '', korean = ''] = row.split('|');
    return [...english.replaceAll('`', '').split(','), ...korean.split(',')].map((name) => name.trim());
  });
  expect(names.length).toBeGreaterThan(30);
  const readings = names.map((name) => finish(readLayoutFile(Buffer.from(`${name}\n`), 'csv')));
  expect(readings.flatMap(({ warnings }) => warnings)).toEqual([]);
});
