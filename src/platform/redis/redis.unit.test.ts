import { describe, expect, it } from 'vitest';
import { isUnavailable } from './failure.ts';
import { assertOneSlot, hashTag, keySlot } from './hash-tag.ts';
import { reply } from './script.ts';

describe('hash tags', () => {
  it.each([
    ['queue:{e1}:places', 'e1'],
    ['plain', 'plain'],
    ['{}:empty', '{}:empty'],
    ['{open', '{open'],
    ['a{b}{c}', 'b'],
    ['a{{b}}', '{b'],
  ])('of %s is %s', (key, tag) => expect(hashTag(key)).toBe(tag));

  // As CLUSTER KEYSLOT answers.
  it.each([
    ['123456789', 12_739],
    ['foo', 12_182],
    ['{foo}:bar', 12_182],
    ['우르르', 15_911],
  ])('%s lives in slot %i', (key, slot) => expect(keySlot(key)).toBe(slot));

  it('keys of one call must share one', () => {
    expect(() => assertOneSlot('admit', ['{e1}:a', '{e1}:b'])).not.toThrow();
    expect(() => assertOneSlot('admit', ['a:{e1}', 'a:{e2}'])).toThrow('may live on different nodes');
  });
});

describe('failures of Redis', () => {
  const replied = (message: string) => Object.assign(new Error(message), { name: 'ReplyError' });
  it('"not now" is a store that is away; "wrong" is our mistake', () => {
    expect(isUnavailable(replied('CLUSTERDOWN The cluster is down'))).toBe(true);
    expect(isUnavailable(replied('LOADING Redis is loading the dataset in memory'))).toBe(true);
    expect(isUnavailable(new Error('Connection is closed.'))).toBe(true);
    expect(isUnavailable(replied('WRONGTYPE Operation against a key'))).toBe(false);
    expect(isUnavailable(replied('ERR user_script:3: attempt to index nil'))).toBe(false);
  });
});

describe('answers of scripts', () => {
  it('are parsed, and a wrong one names the script', () => {
    expect(reply.number('1.5', 'admit')).toBe(1.5);
    expect(reply.boolean(1, 'admit')).toBe(true);
    expect(() => reply.integer('1', 'admit')).toThrow('admit should answer an integer and answered "1"');
    expect(() => reply.tuple([1], 2, 'admit')).toThrow('admit should answer a list of 2');
    expect(() => reply.boolean(null, 'admit')).toThrow('0 or 1');
  });
});
