import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { assert } from '../assert.ts';
import { type BatchLimits, createBatcher } from './batcher.ts';

const roomy: BatchLimits = { batchMax: 4, batchesMax: 3, callsMax: 1_000, waitMaxMs: 60_000 };

/** Batches that end when they are told to. */
function aBatcher(limits: Partial<BatchLimits> = {}) {
  const sent: {
    key: string;
    calls: readonly string[];
    end(results?: (string | Error)[]): void;
    fail(e: Error): void;
  }[] = [];
  const batcher = createBatcher<string, string>({
    limits: { ...roomy, ...limits },
    run(key, calls) {
      const { promise, resolve, reject } = Promise.withResolvers<(string | Error)[]>();
      sent.push({ key, calls, end: (results = calls.map((call) => `${call}!`)) => resolve(results), fail: reject });
      return promise;
    },
    overloaded: () => new Error('overloaded'),
    canJoin: (head, call) => head.startsWith('alone') === call.startsWith('alone'),
    isOutage: (fault) => fault instanceof Error && fault.message === 'away',
  });
  const batch = (n: number) => {
    const found = sent[n];
    assert(found !== undefined, `${sent.length} batches were sent`);
    return found;
  };
  /** What became of each call, as text. */
  const call = (...calls: string[]) => Promise.all(calls.map((each) => batcher.call('key', each).then(String, String)));
  return { batcher, sent, batch, call, sizes: () => sent.map(({ calls }) => calls.length) };
}

describe('what goes out together', () => {
  it('a lone call goes out in the turn in which it was made', async () => {
    const { call, batch, sizes } = aBatcher();
    const ann = call('ann');
    await nextTurn();
    expect(sizes()).toEqual([1]);
    batch(0).end();
    expect(await ann).toEqual(['ann!']);
  });

  it('calls of one turn, in their order, no more than a batch at a time; each gets its own result', async () => {
    const { call, batch, sent } = aBatcher();
    const all = call('a', 'b', 'c', 'd', 'e');
    await nextTurn();
    expect(sent.map(({ calls }) => calls.join(''))).toEqual(['abcd', 'e']);
    batch(1).end();
    batch(0).end();
    expect(await all).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
  });

  it('calls that come while a batch is under way wait for it; a full batch does not', async () => {
    const { call, batch, sizes } = aBatcher();
    const first = call('a');
    await nextTurn();
    const few = call('b', 'c');
    await nextTurn();
    expect(sizes()).toEqual([1]);
    const more = call('d', 'e');
    await nextTurn();
    expect(sizes()).toEqual([1, 4]);
    const last = call('f');
    batch(1).end();
    expect([...(await few), ...(await more)]).toEqual(['b!', 'c!', 'd!', 'e!']);
    await nextTurn();
    expect(sizes()).toEqual([1, 4]);
    batch(0).end();
    await first;
    await nextTurn();
    expect(sizes()).toEqual([1, 4, 1]);
    batch(2).end();
    expect(await last).toEqual(['f!']);
  });

  it('keys do not wait for each other, nor are calls together that cannot be', async () => {
    const { batcher, call, sent } = aBatcher();
    const all = call('a', 'b', 'alone c', 'd');
    const other = batcher.call('other', 'e');
    await nextTurn();
    expect(sent.map(({ key, calls }) => [key, ...calls])).toEqual([
      ['key', 'a', 'b'],
      ['key', 'alone c'],
      ['key', 'd'],
      ['other', 'e'],
    ]);
    for (const { end } of sent) end();
    expect(await other).toBe('e!');
    expect(await all).toEqual(['a!', 'b!', 'alone c!', 'd!']);
  });
});

describe('faults', () => {
  it('an Error among the results is that of its call alone', async () => {
    const { call, batch } = aBatcher();
    const all = call('a', 'b', 'c');
    await nextTurn();
    batch(0).end(['a!', new Error('refused'), 'c!']);
    expect(await all).toEqual(['a!', 'Error: refused', 'c!']);
  });

  it('a batch that fails fails each of its calls, and nobody else', async () => {
    const { call, batch } = aBatcher();
    const failed = call('a', 'b');
    await nextTurn();
    const behind = call('c');
    batch(0).fail(new Error('broken'));
    expect(await failed).toEqual(['Error: broken', 'Error: broken']);
    await nextTurn();
    batch(1).end();
    expect(await behind).toEqual(['c!']);
  });

  it('an outage is told at once to those who wait, and they are not sent', async () => {
    const { call, batch, sizes } = aBatcher();
    const sent = call('a');
    await nextTurn();
    const behind = call('b');
    batch(0).fail(new Error('away'));
    expect([...(await sent), ...(await behind)]).toEqual(['Error: away', 'Error: away']);
    const after = call('c');
    await nextTurn();
    expect(sizes()).toEqual([1, 1]);
    batch(1).end();
    expect(await after).toEqual(['c!']);
  });

  it('results that do not fit the calls are given to nobody', async () => {
    const { call, batch } = aBatcher();
    const all = call('a', 'b');
    await nextTurn();
    batch(0).end(['a!']);
    const [a, b] = await all;
    expect(a).toContain('1 results for 2 calls');
    expect(b).toBe(a);
  });
});

describe('limits', () => {
  it('no more than `batchesMax` batches of a key are under way, full or not', async () => {
    const { call, batch, sizes } = aBatcher({ batchMax: 2, batchesMax: 2 });
    const first = call('a', 'b');
    const second = call('c', 'd', 'e', 'f', 'g');
    await nextTurn();
    expect(sizes()).toEqual([2, 2]);
    batch(0).end();
    await first;
    await nextTurn();
    expect(sizes()).toEqual([2, 2, 2]);
    batch(1).end();
    batch(2).end();
    await nextTurn();
    await nextTurn();
    expect(sizes()).toEqual([2, 2, 2, 1]);
    batch(3).end();
    expect(await second).toEqual(['c!', 'd!', 'e!', 'f!', 'g!']);
  });

  it('beyond `callsMax` a call is refused at once, of whatever key, until others are answered', async () => {
    const { batcher, call, batch } = aBatcher({ callsMax: 2 });
    const two = call('a', 'b');
    await expect(batcher.call('other', 'c')).rejects.toThrow('overloaded');
    await nextTurn();
    batch(0).end();
    expect(await two).toEqual(['a!', 'b!']);
    const next = call('d');
    await nextTurn();
    batch(1).end();
    expect(await next).toEqual(['d!']);
  });

  it('a call that is not sent within `waitMaxMs` is refused, and never sent; the batch before it goes on', async () => {
    const { call, batch, sizes } = aBatcher({ waitMaxMs: 5 });
    const first = call('a');
    await nextTurn();
    expect(await call('b', 'c')).toEqual(['Error: overloaded', 'Error: overloaded']);
    expect(await call('d')).toEqual(['Error: overloaded']);
    batch(0).end();
    expect(await first).toEqual(['a!']);
    const next = call('e');
    await nextTurn();
    expect(sizes()).toEqual([1, 1]);
    batch(1).end();
    expect(await next).toEqual(['e!']);
  });
});

describe('stopping', () => {
  it('answers what was called, also those who wait, and takes nothing more', async () => {
    const { batcher, call, batch } = aBatcher();
    const first = call('a');
    await nextTurn();
    const behind = call('b');
    let isStopped = false;
    const stopped = batcher.stop().then(() => {
      isStopped = true;
    });
    expect(await call('c')).toEqual(['Error: overloaded']);
    batch(0).end();
    expect(await first).toEqual(['a!']);
    await nextTurn();
    expect(isStopped).toBe(false);
    batch(1).end();
    await stopped;
    expect(await behind).toEqual(['b!']);
    await batcher.stop();
  });
});
