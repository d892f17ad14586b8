import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressKey } from './address.ts';
import { createBuckets } from './buckets.ts';
import { isMalformedPath, withoutPrefix } from './path.ts';
import { createRecent } from './recent.ts';
import { isSameSite } from './same-site.ts';
import { createSweep } from './sweep.ts';

describe('paths', () => {
  it.each([
    '/api/../internal',
    '/api/..',
    '/./api',
    '/api/%2e%2e/x',
    '/api/.%2E/x',
    '//evil.test/x',
    '/api//events',
    '/api/%2fevents',
    '/api/%5c..',
    '/api\\events',
    '/api/%00',
    '/events/e1#',
    '/api/events#/x',
    '/api/events?q=1#x',
    '*',
    'api/events',
  ])('%s is refused', (path) => expect(isMalformedPath(path)).toBe(true));

  it.each([
    '/',
    '/api/events',
    '/api/a..b',
    '/.well-known/x',
    '/api/events?next=//x/..',
    '/api/%EA%B3%B5',
    '/api/v1.2/x',
    '/...',
  ])('%s is fine', (path) => expect(isMalformedPath(path)).toBe(false));

  it('the version is optional', () => {
    expect(withoutPrefix('/api/v1/events?x=1')).toBe('/api/events?x=1');
    expect(withoutPrefix('/api/v10/events')).toBe('/api/v10/events');
    expect(withoutPrefix('/api/v1')).toBe('/api/v1');
  });
});

describe('addresses', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::203.0.113.9', '64:ff9b:0:0::/64'],
    ['not an address', 'not an address'],
  ])('%s counts as %s', (address, key) => expect(addressKey(address)).toBe(key));
});

describe('buckets', () => {
  const limit = { capacity: 10, refillMs: 10_000 };

  it('give out what they hold, then say how long to wait', () => {
    const buckets = createBuckets(limit);
    for (let left = 9; left >= 0; left--)
      expect(buckets.take('a', 0)).toMatchObject({ allowed: true, remaining: left });
    expect(buckets.take('a', 0)).toMatchObject({ allowed: false, remaining: 0, waitMs: 1_000, fullInMs: 10_000 });
    expect(buckets.take('a', 500)).toMatchObject({ allowed: false, waitMs: 500 });
    expect(buckets.take('a', 1_000)).toMatchObject({ allowed: true });
    expect(buckets.take('b', 1_000)).toMatchObject({ allowed: true, remaining: 9 });
  });

  it('do not drain when the clock steps back', () => {
    const buckets = createBuckets(limit);
    buckets.take('a', 5_000);
    expect(buckets.take('a', 0)).toMatchObject({ allowed: true, remaining: 8 });
  });

  it('that are full again are forgotten', () => {
    const buckets = createBuckets(limit);
    for (let i = 0; i < 1_000; i++) buckets.take(`early ${i}`, 0);
    for (let i = 0; i < 1_000; i++) buckets.take(`late ${i}`, 60_000);
    expect(buckets.size).toBeLessThanOrEqual(1_000);
  });

  it('are never more than the limit, and the newest ones still count', () => {
    const buckets = createBuckets(limit, 100);
    for (let i = 0; i < 5_000; i++) {
      buckets.take(`flood ${i}`, 0);
      expect(buckets.size).toBeLessThanOrEqual(100);
    }
    for (let i = 0; i < 10; i++) buckets.take('one', 0);
    expect(buckets.take('one', 0).allowed).toBe(false);
  });

  it('never allow more than capacity plus what flowed in', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 }), (steps) => {
        const buckets = createBuckets(limit);
        let nowMs = 0;
        let allowed = 0;
        for (const step of steps) {
          nowMs += step;
          if (buckets.take('a', nowMs).allowed) allowed += 1;
        }
        expect(allowed).toBeLessThanOrEqual(limit.capacity + (nowMs * limit.capacity) / limit.refillMs);
      }),
    );
  });
});

describe('a sweep over a map', () => {
  it('comes to every entry in turn, also to those that came meanwhile', () => {
    const map = new Map([1, 2, 3].map((n) => [n, `${n}`]));
    const next = createSweep(map);
    expect(next()).toEqual([1, '1']);
    map.delete(2);
    map.set(4, '4');
    expect([next(), next(), next()]).toEqual([
      [3, '3'],
      [4, '4'],
      [1, '1'],
    ]);
    map.clear();
    expect([next(), next()]).toEqual([undefined, undefined]);
    map.set(5, '5');
    expect(next()).toEqual([5, '5']);
  });

  it('does not begin at the front for each: there lies all that was deleted', () => {
    let walks = 0;
    const map = new (class extends Map<number, number> {
      override entries() {
        walks += 1;
        return super.entries();
      }
    })();
    const next = createSweep(map);
    for (let n = 0; n < 10_000; n++) {
      map.set(n, n);
      const [oldest] = next() ?? [];
      if (n > 100 && oldest !== undefined) map.delete(oldest);
    }
    expect(walks).toBeLessThan(200);
  });
});

describe('recent things', () => {
  it('are bounded, and what is asked for stays', () => {
    const recent = createRecent<number>(10);
    recent.set('kept', 1);
    for (let i = 0; i < 100; i++) {
      recent.set(`other ${i}`, i);
      expect(recent.get('kept')).toBe(1);
      expect(recent.size).toBeLessThanOrEqual(11);
    }
    expect(recent.get('other 0')).toBeUndefined();
    recent.delete('kept');
    expect(recent.get('kept')).toBeUndefined();
  });
});

describe('calls from this site', () => {
  const anyHost = { origins: new Set<string>(), anyHost: true };
  const fixed = { origins: new Set(['https://tickets.example']), anyHost: false };
  it.each([
    [{ 'sec-fetch-site': 'same-origin' }, anyHost, true],
    [{ 'sec-fetch-site': 'none' }, anyHost, false],
    [{ 'sec-fetch-site': 'same-site' }, anyHost, false],
    [{ origin: 'http://shop.test:3000' }, anyHost, true],
    [{ origin: 'https://shop.test:3000' }, anyHost, true],
    [{ origin: 'http://shop.test' }, anyHost, false],
    [{ origin: 'http://shop.test:3000.evil.test' }, anyHost, false],
    [{ origin: 'null' }, anyHost, false],
    [{}, anyHost, false],
    [{ origin: 'https://tickets.example' }, fixed, true],
    [{ origin: 'http://shop.test:3000' }, fixed, false],
  ])('%o', (headers, site, expected) => expect(isSameSite(headers, 'shop.test:3000', site)).toBe(expected));
});
