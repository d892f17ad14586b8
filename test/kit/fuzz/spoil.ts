import fc, { type Arbitrary } from 'fast-check';

/** A good value with one thing wrong somewhere inside: replaced by something nasty, left out, or one field too many. */
export function spoiled(good: Arbitrary<unknown>): Arbitrary<unknown> {
  const how = fc.constantFrom('replace', 'remove', 'add');
  return fc.tuple(good, how, fc.nat(), nastyValue, nastyName).map(([value, act, at, bad, name]) => {
    const copy = structuredClone({ root: value });
    const places = placesIn(copy);
    const place = places[at % places.length];
    if (place === undefined) return bad;
    const inner = place.holder[place.key];
    if (act === 'add' && isHolder(inner)) setOwn(inner, name, bad);
    else if (act === 'remove' && place.holder !== copy) delete place.holder[place.key];
    else setOwn(place.holder, place.key, bad);
    return copy.root;
  });
}

interface Holder {
  [key: string]: unknown;
}

function placesIn(holder: Holder): { holder: Holder; key: string }[] {
  return Object.entries(holder).flatMap(([key, inner]) => [
    { holder, key },
    ...(isHolder(inner) ? placesIn(inner) : []),
  ]);
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

/** Also `__proto__` becomes a field like any other, as it is in JSON. */
function setOwn(holder: Holder, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

const nastyName = fc.constantFrom('__proto__', 'constructor', 'toString', 'isAdmin', 'role', '', 'a.b', '0', 'é\u0000');

export const nastyText: Arbitrary<string> = fc.constantFrom(
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\u202eabc',
  '\ufeff',
  'x'.repeat(5_000),
  '한'.repeat(300),
  `${'a'.repeat(3_000)}\n`,
  "'; DROP TABLE users; --",
  '%00%2e%2e%2f',
  '../../etc/passwd',
  '<script>alert(1)</script>',
  '\r\nSet-Cookie: a=b',
  '1e999',
  'NaN',
  'null',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '0001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '2026-01-01T00:00:00+99:99',
  'ABCDEF00-0000-7000-8000-000000000000',
  Buffer.from('["x",1e300,"y"]').toString('base64url'),
  Buffer.from('[8640000000000000,"00000000-0000-7000-8000-000000000000"]').toString('base64url'),
  Buffer.from('[0,8640000000000000,"00000000-0000-7000-8000-000000000000"]').toString('base64url'),
);

export const nastyValue: Arbitrary<unknown> = fc.oneof(
  nastyText,
  fc.constantFrom<unknown>(
    ...[null, true, false, 0, -0, -1, 0.1, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -(2 ** 63)],
    ...[[], {}, [[[[[[]]]]]], [null], { a: { b: { c: {} } } }, Array(2_000).fill(0)],
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
