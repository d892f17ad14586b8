import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '#test/kit/finish.ts';
import { readJson } from './json-text.ts';

const read = (text: string, paths?: readonly string[]) => finish(readJson(text, paths));

test('whatever JSON.parse reads is read as the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      fc.pre(!JSON.stringify(value).includes('"__proto__"'));
      const text = JSON.stringify(value, null, indent);
      const reading = read(` ${text}\r\n`);
      expect(reading.status === 'read' && reading.value).toEqual(JSON.parse(text));
    }),
  );
});

test('whatever JSON.parse refuses is refused', () => {
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"', '1', '-', '0', 'true', 'nul', ' ', '\\', '\n', '1.', 'e5'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), (parts) => {
      const text = parts.join('');
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const isDouble = text.split('"a"').length > 2;
      if (!isDouble) expect([text, read(text).status]).toEqual([text, isJson ? 'read' : 'broken']);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['{\n  "a": 1,\n  "b" 2\n}', 3, '"2" where a colon was expected'],
  ['[\n1,\n2', 3, 'the end where a comma or "]" was expected'],
  ['{"a":1}\n\nx', 3, '"x" where nothing more was expected'],
  ['[\n{"a":1,"a":2}]', 2, 'the name "a" is used twice in one object'],
  ['{"__proto__":{}}', 1, 'the name "__proto__" is not allowed'],
  ['', 1, 'the end where a value was expected'],
  ['['.repeat(40), 1, 'it is nested too deeply'],
  [`{"name": "${'a'.repeat(10_001)}"}`, 1, '"\\"" where a value was expected'],
  [`{"${'a'.repeat(10_001)}": 1}`, 1, '"\\"" where a name in quotes was expected'],
  [`[1,${' '.repeat(100_001)}2]`, 1, '" " where a value was expected'],
  [`{${Array.from({ length: 100_001 }, (_, n) => `"${n}":1`)}}`, 1, 'more than 100000 names are in one object'],
])('%#: what is broken is refused with its line', (text, line, message) => {
  expect(read(text)).toEqual({ status: 'broken', problem: { line, field: '', message } });
});

test('our own part of a plan may be one long text', () => {
  const text = 'a'.repeat(1_000_000);
  expect(read(JSON.stringify({ text }))).toMatchObject({ status: 'read', value: { text } });
});

test('paths are found in their lines, and what is missing where it would be', () => {
  const reading = read('{\n"a": [\n {"b": 1},\n {\n"b": 2}\n],\n"c": {}\n}', ['a.1.b', 'a.1.x', 'c.d.e', 'z', '']);
  if (reading.status !== 'read') throw new Error('it is JSON');
  expect(['a.1.b', 'a.1.x', 'c.d.e', 'z', ''].map(reading.lineOf)).toEqual([5, 4, 7, 1, 1]);
});
