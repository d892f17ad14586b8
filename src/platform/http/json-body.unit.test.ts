import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooComplex, jsonLimits } from './json-body.ts';

const { depthMax, containersMax, valuesMax, keysPerObjectMax, distinctKeysMax } = jsonLimits;
const isRefused = (text: string) => isTooComplex(Buffer.from(text));
const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`;

describe('a JSON body', () => {
  it('is refused from one level too many on', () => {
    expect([isRefused(nested(depthMax)), isRefused(nested(depthMax + 1))]).toEqual([false, true]);
    expect([isRefused(objects(depthMax)), isRefused(objects(depthMax + 1))]).toEqual([false, true]);
    // Whether it is closed or not: it would have to be parsed to know.
    expect(isRefused('['.repeat(depthMax + 1))).toBe(true);
    expect(isRefused(`[${`${nested(depthMax - 1)},`.repeat(100)}0]`)).toBe(false);
  });

  it('is refused from one list, object or value too many on', () => {
    const lists = (count: number) => `[${'[],'.repeat(count - 1).slice(0, -1)}]`;
    expect([isRefused(lists(containersMax)), isRefused(lists(containersMax + 1))]).toEqual([false, true]);
    // A list is a value too, and so is what it holds.
    const zeros = (count: number) => `[${'0,'.repeat(count - 2)}0]`;
    expect([isRefused(zeros(valuesMax - 1)), isRefused(zeros(valuesMax + 1))]).toEqual([false, true]);
  });

  it('is refused from one key too many in one object on', () => {
    const keys = (count: number, value = '0') =>
      `{${Array.from({ length: count }, (_, n) => `"${n % 10}":${value}`).join()}}`;
    expect([isRefused(keys(keysPerObjectMax)), isRefused(keys(keysPerObjectMax + 1))]).toEqual([false, true]);
    // Those inside others are counted apart, and what lists hold is not counted.
    expect(isRefused(keys(3, keys(keysPerObjectMax)))).toBe(false);
    expect(isRefused(keys(3, `[${'0,'.repeat(2 * keysPerObjectMax)}0]`))).toBe(false);
    expect(isRefused(keys(keysPerObjectMax, '[{"a":0,"b":[0,0]}]'))).toBe(false);
    expect(isRefused(keys(keysPerObjectMax + 1, '[{"a":0,"b":[0,0]}]'))).toBe(true);
    expect(isRefused(`[0,[],${keys(keysPerObjectMax + 1)}]`)).toBe(true);
  });

  it('is refused from one different key too many on, in whatever objects they are', () => {
    const apart = (count: number) => `[${Array.from({ length: count }, (_, n) => `{"k${n}":"v${n}"}`).join()}]`;
    const together = (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n}":["v${n}"]`).join()}}`;
    for (const keys of [apart, together])
      expect([isRefused(keys(distinctKeysMax)), isRefused(keys(distinctKeysMax + 1))]).toEqual([false, true]);
    // The same ones may come again, and what is no key is not counted.
    expect(isRefused(`[${Array(100).fill(apart(distinctKeysMax)).join()}]`)).toBe(false);
    expect(isRefused(JSON.stringify(Array.from({ length: 10_000 }, (_, n) => `v${n}`)))).toBe(false);
  });

  it.each<[string, string]>([
    ['brackets in a string', `"${'['.repeat(100)}"`],
    ['brackets behind a quote that is escaped', `"\\"${'['.repeat(100)}"`],
    ['brackets behind a backslash and a quote that are escaped', `"\\\\\\"${'['.repeat(100)}"`],
    ['brackets in a key', `{"${'{['.repeat(100)}":0}`],
    ['brackets as escapes', `"${'\\u005b'.repeat(100)}"`],
    ['characters of several bytes', `["공연${'['.repeat(100)}🎫","\u{1f3ab}","é["]`],
    ['characters whose low byte is a bracket or a quote', `["${'\u015b\u225b\u5b22\u2222'.repeat(50)}"]`],
    ['an empty string before brackets', `["","",${nested(depthMax - 1)}]`],
  ])('%s is not deep', (_, text) => {
    JSON.parse(text);
    expect(isRefused(text)).toBe(false);
  });

  it.each<[string, string]>([
    ['behind a string that ends with a backslash', `["\\\\",${nested(depthMax)}]`],
    ['behind a string that ends with two', `["\\\\\\\\",${nested(depthMax)}]`],
    ['behind an escaped quote', `["\\"",${nested(depthMax)}]`],
    ['behind a key of brackets', `{"]]]":${nested(depthMax)}}`],
    ['behind other levels that were closed', `[[],[[]],{"a":[]},${nested(depthMax)}]`],
    ['with blanks in between', `[ \n\t`.repeat(depthMax + 1)],
    ['lists and objects by turns', '[{"a":'.repeat(depthMax)],
  ])('%s it is deep', (_, text) => {
    expect(isRefused(text)).toBe(true);
  });

  it.each(['', '"', '"\\', '"[', '\\', ']', ']]]]]]', '[}', '"\\"'])('%j is left to the parser', (text) => {
    expect(isRefused(text)).toBe(false);
  });

  it('of any shape is refused exactly when it is deeper than allowed', () => {
    const many = 1_000_000;
    const limits = {
      ...{ containersMax: many, valuesMax: many, keysPerObjectMax: many, distinctKeysMax: many },
      depthMax: 3,
    };
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const bytes = Buffer.from(JSON.stringify(value));
        expect(isTooComplex(bytes, limits)).toBe(depthOf(value) > limits.depthMax);
      }),
    );
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
