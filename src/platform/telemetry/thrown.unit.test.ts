import { describe, expect, test } from 'vitest';
import { describeThrown } from './thrown.ts';

const throwing = () => {
  throw new Error('a trap');
};
const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;
const unprintable = 'something that cannot be printed was thrown';

describe('whatever was thrown can be written down', () => {
  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['a string', 'a string'],
    [0, '0'],
    [9n, '9'],
    [Symbol('why'), 'Symbol(why)'],
    [{ code: 7 }, '{"code":7}'],
    [cyclic, '[object Object]'],
    [{ toJSON: throwing, toString: throwing }, unprintable],
    [Object.create(null), '{}'],
    [new Proxy({}, { getPrototypeOf: throwing, get: throwing, has: throwing, ownKeys: throwing }), unprintable],
    [new Error('plain'), 'plain'],
    [new TypeError(), 'TypeError'],
    [Object.assign(new Error(), { message: { no: 'string' } }), '{"no":"string"}'],
    [Object.assign(new Error(), { message: Symbol('no string') }), 'Symbol(no string)'],
    [Object.defineProperty(new RangeError(), 'message', { get: throwing }), 'RangeError'],
    [new Error('a\0b'), 'a\uFFFDb'],
  ])('case %#', (thrown, reason) => {
    expect(describeThrown(thrown).reason).toBe(reason);
  });

  test('an error comes with its stack, also where the stack is no string', () => {
    expect(describeThrown(new Error('here')).stack).toContain('thrown.unit.test.ts');
    expect(describeThrown(Object.assign(new Error('here'), { stack: 7 })).stack).toBe('');
    expect(describeThrown(Object.defineProperty(new Error('here'), 'stack', { get: throwing })).stack).toBe('');
  });

  test('a text that is cut does not end in half a character', () => {
    const { reason } = describeThrown(new Error(`${'x'.repeat(499)}😀`));
    expect(reason).toHaveLength(500);
    expect(reason.isWellFormed()).toBe(true);
  });
});
