import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { createJwtKind } from './jwt.ts';

const secret = 'a-secret-of-at-least-32-bytes-000001';
const other = 'another-secret-of-32-bytes-and-more-2';

function kind(options: { typ?: string; secrets?: string[]; clock?: ReturnType<typeof aClock> } = {}) {
  const { typ = 'at+jwt', secrets = [secret], clock = aClock() } = options;
  return createJwtKind<{ sub: string }>({ typ, secrets, ttlSeconds: 900, clock });
}

test('a token is read back by the kind that made it', () => {
  const tokens = kind();
  const { token } = tokens.sign({ sub: 'user-1' });
  expect(tokens.verify(token)).toMatchObject({ ok: true, claims: { sub: 'user-1' } });
});

test('a token of another kind or another key is invalid', () => {
  const { token } = kind().sign({ sub: 'user-1' });
  expect(kind({ typ: 'entry+jwt' }).verify(token)).toEqual({ ok: false, reason: 'invalid' });
  expect(kind({ secrets: [other] }).verify(token)).toEqual({ ok: false, reason: 'invalid' });
});

test('a token ends at its time, and never later than the given end', () => {
  const clock = aClock();
  const tokens = kind({ clock });
  const { token } = tokens.sign({ sub: 'user-1' });
  const { token: short } = tokens.sign({ sub: 'user-1' }, { expiresAtMs: clock.now() + 60_000 });
  clock.advance(60_000);
  expect(tokens.verify(short)).toEqual({ ok: false, reason: 'expired' });
  clock.advance(839_999);
  expect(tokens.verify(token).ok).toBe(true);
  clock.advance(1);
  expect(tokens.verify(token)).toEqual({ ok: false, reason: 'expired' });
});

test('during rotation the old secret still verifies and the new one signs', () => {
  const { token: old } = kind({ secrets: [secret] }).sign({ sub: 'user-1' });
  const rotated = kind({ secrets: [other, secret] });
  expect(rotated.verify(old).ok).toBe(true);
  expect(kind({ secrets: [other] }).verify(rotated.sign({ sub: 'user-1' }).token).ok).toBe(true);
});

test('unsigned, edited, other-algorithm and senseless tokens are invalid', () => {
  const tokens = kind();
  const { token } = tokens.sign({ sub: 'user-1' });
  const [header = '', payload = '', mac = ''] = token.split('.');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: 'admin', iat: 1, exp: 99_999_999_999 };
  const hs512Head = part({ alg: 'HS512', typ: 'at+jwt' });
  const hs512 = `${hs512Head}.${part(claims)}`;
  const forged = [
    `${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`,
    `${header}.${part(claims)}.${mac}`,
    `${header}.${payload}.`,
    `${hs512}.${createHmac('sha512', secret).update(hs512).digest('base64url')}`,
    '',
    'x',
    'a.b.c',
    'x'.repeat(5_000),
  ];
  for (const bad of forged) expect(tokens.verify(bad)).toEqual({ ok: false, reason: 'invalid' });
});

test('a signed token without an end is invalid', () => {
  const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'at+jwt' })).toString('base64url');
  const body = Buffer.from(JSON.stringify({ sub: 'user-1', iat: 1 })).toString('base64url');
  const mac = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
  expect(kind().verify(`${head}.${body}.${mac}`)).toEqual({ ok: false, reason: 'invalid' });
});

test('a token signed elsewhere counts, whatever order and further fields its header has', () => {
  const claims = { sub: 'user-1', iat: 1, exp: 99_999_999_999 };
  for (const header of [
    { typ: 'at+jwt', alg: 'HS256' },
    { alg: 'HS256', typ: 'at+jwt', kid: 'one' },
  ]) {
    const token = signed(header, JSON.stringify(claims));
    expect(kind().verify(token)).toEqual({ ok: true, claims });
    expect(kind({ secrets: [other] }).verify(token)).toEqual({ ok: false, reason: 'invalid' });
    expect(kind({ typ: 'entry+jwt' }).verify(token)).toEqual({ ok: false, reason: 'invalid' });
  }
});

test('what is signed and no object of claims is invalid', () => {
  const header = { alg: 'HS256', typ: 'at+jwt' };
  for (const payload of ['', 'null', '[1]', '"text"', '{"iat":"1","exp":"99999999999"}', '{"exp":1e99'])
    expect(kind().verify(signed(header, payload))).toEqual({ ok: false, reason: 'invalid' });
  const mac = createHmac('sha256', secret).update('').digest('base64url');
  const [head] = kind().sign({ sub: 'user-1' }).token.split('.');
  for (const bad of [`${head}.${mac}`, `${head}.`, `${head}..${mac}`, `.${mac}`])
    expect(kind().verify(bad)).toEqual({ ok: false, reason: 'invalid' });
});

test('claims are read as they were written, in every script', () => {
  const tokens = kind({ secrets: ['비밀은-서른두-바이트보다-깁니다-0001', secret] });
  const sub = '이용자 – ünï';
  expect(tokens.verify(tokens.sign({ sub }).token)).toMatchObject({ ok: true, claims: { sub } });
});

function signed(header: object, payload: string): string {
  const text = [JSON.stringify(header), payload].map((part) => Buffer.from(part).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}
