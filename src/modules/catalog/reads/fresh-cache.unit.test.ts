import { expect, test } from 'vitest';
import { PreparedJson } from '#platform/http/contract.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { createFreshCache } from './fresh-cache.ts';

interface Source {
  readonly value: string;
  /** When what is shown of it changes. */
  readonly flipsAtMs?: number;
}

function setUp() {
  const clock = aClock(1_000_000);
  const cache = createFreshCache<Source>({
    clock,
    logger: silentLogger,
    limits: { freshMs: 1_000, reloadBehindMs: 5_000, emergencyMs: 60_000, entriesMax: 3 },
    render: ({ value, flipsAtMs = Number.POSITIVE_INFINITY }, now) => {
      const flipped = now >= flipsAtMs;
      const json = new PreparedJson(flipped ? `${value}!` : value);
      return { json, untilMs: flipped ? Number.POSITIVE_INFINITY : flipsAtMs };
    },
  });
  let loads = 0;
  const source = { current: { value: 'first' } as Source | null, failing: false };
  const load = async () => {
    loads += 1;
    if (source.failing) throw new Error('the database is away');
    return source.current;
  };
  const read = async (key = 'k') => (await cache.get(key, load))?.body ?? null;
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, cache, source, read, load, settle, loads: () => loads };
}

test('a thousand readers at once cost one load', async () => {
  const { read, loads } = setUp();
  await Promise.all(Array.from({ length: 1_000 }, () => read()));
  expect(loads()).toBe(1);
});

test('what is fresh is given at once, without a promise', async () => {
  const { cache, load, read } = setUp();
  await read();
  expect(cache.get('k', load)).toBeInstanceOf(PreparedJson);
});

test('past its freshness it is given at once while one reload runs behind it', async () => {
  const { clock, source, read, settle, loads } = setUp();
  await read();
  source.current = { value: 'second' };
  clock.advance(1_000);
  expect([await read(), loads()]).toEqual(['first', 2]);
  await settle();
  expect([await read(), loads()]).toEqual(['second', 2]);
});

test('long unread, it is loaded before it is given', async () => {
  const { clock, source, read } = setUp();
  await read();
  source.current = { value: 'second' };
  clock.advance(5_000);
  expect(await read()).toBe('second');
});

test('what is shown flips at its very moment, without a load', async () => {
  const { clock, source, read, loads } = setUp();
  source.current = { value: 'announced', flipsAtMs: clock.now() + 500 };
  await read();
  clock.advance(499);
  expect(await read()).toBe('announced');
  clock.advance(1);
  expect([await read(), loads()]).toEqual(['announced!', 1]);
});

test('with the source away, what was known is served for a minute, and flips all the same', async () => {
  const { clock, source, read } = setUp();
  source.current = { value: 'announced', flipsAtMs: clock.now() + 30_000 };
  await read();
  source.failing = true;
  clock.advance(29_999);
  expect(await read()).toBe('announced');
  clock.advance(1);
  expect(await read()).toBe('announced!');
  clock.advance(30_000);
  await expect(read()).rejects.toThrow('the database is away');
});

test('after a failure the source is left alone for a second', async () => {
  const { clock, source, read, settle, loads } = setUp();
  await read();
  source.failing = true;
  clock.advance(1_000);
  await read();
  await settle();
  await read();
  await read();
  expect(loads()).toBe(2);
  source.failing = false;
  source.current = { value: 'back' };
  clock.advance(1_000);
  await read();
  await settle();
  expect(await read()).toBe('back');
});

test('a reload that hangs keeps nobody waiting who can be shown something older', async () => {
  const { clock, cache, read } = setUp();
  await read();
  clock.advance(10_000);
  const json = await cache.get('k', () => new Promise<never>(() => {}));
  expect(json?.body).toBe('first');
});

test('an eviction makes the next reader wait for what is true now', async () => {
  const { cache, source, read } = setUp();
  await read();
  source.current = { value: 'second' };
  cache.evict('k');
  expect(await read()).toBe('second');
});

test('a load that began before the eviction is not kept', async () => {
  const { cache, read } = setUp();
  const slow = Promise.withResolvers<Source>();
  const early = cache.get('k', () => slow.promise);
  cache.evict('k');
  slow.resolve({ value: 'from before' });
  expect((await early)?.body).toBe('from before');
  expect(await read()).toBe('first');
});

test('an evicted entry still serves in an emergency', async () => {
  const { cache, source, read } = setUp();
  await read();
  source.failing = true;
  cache.evictAll();
  expect(await read()).toBe('first');
});

test('what does not exist is remembered for as long as it is fresh, and no longer', async () => {
  const { clock, source, read, loads } = setUp();
  source.current = null;
  expect([await read(), await read(), loads()]).toEqual([null, null, 1]);
  source.current = { value: 'now there' };
  clock.advance(1_000);
  expect(await read()).toBe('now there');
});

test('a first load that fails is told, and tried again by the next reader', async () => {
  const { source, read } = setUp();
  source.failing = true;
  await expect(read()).rejects.toThrow('the database is away');
  source.failing = false;
  expect(await read()).toBe('first');
});

test('no more entries are kept than the limit', async () => {
  const { read, loads } = setUp();
  for (const key of ['a', 'b', 'c', 'd']) await read(key);
  await read('d');
  expect(loads()).toBe(4);
  await read('a');
  expect(loads()).toBe(5);
});

test('what is still the newest is neither rendered nor compressed anew, nor is what says the same', async () => {
  const { clock, cache, source, load, read, settle } = setUp();
  const first = await cache.get('k', load);
  const known: unknown[] = [];
  const keep = async (one: Source | null) => {
    known.push(one);
    return one;
  };
  for (const next of [keep, load]) {
    source.current = { value: 'first' };
    clock.advance(1_000);
    await cache.get('k', next);
    await settle();
    expect(cache.get('k', load)).toBe(first);
  }
  expect(known).toEqual([{ value: 'first' }]);
  source.current = { value: 'second' };
  clock.advance(5_000);
  expect(await read()).toBe('second');
});

test('a clock that is set back keeps nobody at what is old, and takes back what has not come yet', async () => {
  const { clock, source, read, settle } = setUp();
  source.current = { value: 'announced', flipsAtMs: clock.now() + 500 };
  await read();
  clock.advance(500);
  expect(await read()).toBe('announced!');
  clock.setBack(3_600_000);
  expect(await read()).toBe('announced');
  source.current = { value: 'second' };
  clock.advance(1_000);
  await read();
  await settle();
  expect(await read()).toBe('second');
});
