import { expect, it } from 'vitest';
import { checkIdTokenClaims } from './id-token-claims.ts';

const nowMs = Date.UTC(2030, 0, 1);
const expected = { issuer: 'https://id.example', clientId: 'urr', nonce: 'n1', nowMs };
const good = {
  iss: 'https://id.example',
  aud: 'urr',
  sub: 's1',
  nonce: 'n1',
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
  ['another issuer', { iss: 'https://other.example' }],
  ['another audience', { aud: 'other' }],
  ['no audience', { aud: undefined }],
  ['several audiences without an authorized party', { aud: ['urr', 'other'] }],
  ['another authorized party', { azp: 'other' }],
  ['an end in the past', { exp: nowMs / 1000 - 61 }],
  ['no end', { exp: undefined }],
  ['a beginning in the future', { iat: nowMs / 1000 + 62 }],
  ['another nonce', { nonce: 'n2' }],
  ['no nonce', { nonce: undefined }],
  ['no subject', { sub: '' }],
  ['a subject with a control character', { sub: 'a\u0000' }],
])('claims with %s are refused', (_name, change) => {
  expect(checkIdTokenClaims({ ...good, ...change }, expected).ok).toBe(false);
});

it.each([[false], ['false'], [1], [undefined], [null]])('email_verified %j is not verified', (value) => {
  const checked = checkIdTokenClaims({ ...good, email_verified: value }, expected);
  expect(checked.ok && checked.person.emailVerified).toBe(false);
});
