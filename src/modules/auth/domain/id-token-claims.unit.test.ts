import { expect, it } from 'vitest';
import { checkIdTokenClaims, clockToleranceSeconds } from './id-token-claims.ts';

const nowMs = Date.UTC(2030, 0, 1);
const expected = { clientId: 'urr', nowMs };
const good = {
  iss: 'https://id.example',
  aud: 'urr',
  sub: 's1',
  iat: nowMs / 1000,
  exp: nowMs / 1000 + 300,
  email: 'mina@example.com',
  email_verified: true,
  name: 'Mina',
};

it('good claims name a person', () => {
  expect(checkIdTokenClaims(good, expected)).toEqual({
    ok: true,
    person: { subject: 's1', email: 'mina@example.com', emailVerified: true, name: 'Mina' },
  });
});

it.each<[string, object]>([
  ['another authorized party', { azp: 'other' }],
  ['a beginning in the future', { iat: nowMs / 1000 + clockToleranceSeconds + 1 }],
  ['no beginning', { iat: undefined }],
  ['no subject', { sub: '' }],
  ['a subject with a control character', { sub: 'a\u0000' }],
])('claims with %s are refused', (_name, change) => {
  expect(checkIdTokenClaims({ ...good, ...change }, expected).ok).toBe(false);
});

it('a clock of the provider that is ahead by the tolerance is still right', () => {
  expect(checkIdTokenClaims({ ...good, iat: nowMs / 1000 + clockToleranceSeconds }, expected).ok).toBe(true);
});

it.each([[false], ['false'], [1], [undefined], [null]])('email_verified %j is not verified', (value) => {
  const checked = checkIdTokenClaims({ ...good, email_verified: value }, expected);
  expect(checked.ok && checked.person.emailVerified).toBe(false);
});
