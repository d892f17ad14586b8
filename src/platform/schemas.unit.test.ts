import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { compileSchema } from './http/validation.ts';
import { exactly, line, nullable, oneOf, prose, Time, Uuid } from './schemas.ts';

const uuid = '0190c6a2-7b1e-7c3d-8f00-0123456789ab';

test.each([
  ['an object as declared', exactly({ id: Uuid }), { id: uuid }],
  ['a null', nullable(Time), null],
  ['a value that may be null', nullable(Time), '2027-03-01T11:00:00.000Z'],
  ['a null among words', nullable(oneOf(['red', 'blue'])), null],
  ['a word among words and null', nullable(oneOf(['red', 'blue'])), 'red'],
  ['a line with blanks around it', line(20), '  two words '],
  ['lines and tabs', prose(20), 'one\n\ttwo'],
  ['no text', prose(20), ''],
])('%s is taken', (_name, schema, value) => expect(compileSchema(schema)(value)).toEqual([]));

test.each([
  ['an unknown field', exactly({ id: Uuid }), { id: uuid, more: 1 }],
  ['a UUID in capitals', Uuid, uuid.toUpperCase()],
  ['a day without a time', Time, '2027-03-01'],
  ['another word', nullable(oneOf(['red', 'blue'])), 'green'],
  ['an empty line', line(20), ''],
  ['a blank line', line(20), ' \u3000 '],
  ['a line that breaks', line(20), 'one\ntwo'],
  ['half of a surrogate pair', prose(20), 'a\ud800b'],
  ['a control character', prose(20), 'a\u0000b'],
])('%s is refused', (_name, schema, value) => expect(compileSchema(schema)(value)).not.toEqual([]));

test('only a schema with one type can be made nullable', () => {
  expect(() => nullable(Type.Union([Type.String(), Type.Integer()]))).toThrow('one type');
});
