import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '#test/kit/finish.ts';
import { aGreatHall, anyLayout } from '../../testing/any-layout.ts';
import type { LayoutDocument } from '../layout.ts';
import { layoutProblems } from '../layout-problems.ts';
import { type LayoutFileFormat, layoutFileFormats, readLayoutFile, writeLayoutFile } from './layout-file.ts';

const written = (document: LayoutDocument, format: LayoutFileFormat) =>
  Buffer.concat(finish(writeLayoutFile({ name: '이름', document }, format)));
const read = (bytes: Uint8Array, format: LayoutFileFormat) => finish(readLayoutFile(bytes, format));

test.each(layoutFileFormats)('a hall of 20,000 seats goes out as %s and comes in again unchanged', (format) => {
  const hall = aGreatHall(20);
  const reading = read(written(hall, format), format);
  expect(reading).toMatchObject({ status: 'read', warnings: [], problems: [] });
  // toEqual would print 20,000 seats to tell a difference.
  expect(reading.status === 'read' && isDeepStrictEqual(reading.document, hall)).toBe(true);
});

test.each(layoutFileFormats)(
  'any drawing goes out as %s and comes in again unchanged, with nothing to remark',
  (format) => {
    fc.assert(
      fc.property(anyLayout, (document) => {
        fc.pre(finish(layoutProblems(document)).length === 0);
        const reading = read(written(document, format), format);
        expect(reading).toEqual({
          status: 'read',
          document,
          name: format === 'pretix' ? '이름' : null,
          problems: [],
          problemsTotal: 0,
          warnings: [],
          warningsTotal: 0,
        });
      }),
    );
  },
);

test.each(layoutFileFormats)('a %s file that is cut off anywhere is refused or read, never thrown at', (format) => {
  const whole = written(aGreatHall(1), format);
  fc.assert(
    fc.property(fc.nat(whole.length), (length) => {
      expect(['read', 'broken']).toContain(read(whole.subarray(0, length), format).status);
    }),
    { numRuns: 30 },
  );
});

test('bytes that are no text are told so', () => {
  const problems = [{ line: 1, field: '', message: 'the file is neither UTF-8, UTF-16 nor Korean (CP949) text' }];
  expect(read(Uint8Array.of(0xff, 0xff, 0xff, 0x80), 'csv')).toMatchObject({ status: 'broken', problems });
});
