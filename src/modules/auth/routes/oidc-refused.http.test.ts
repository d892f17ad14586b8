import { beforeEach, describe, expect, it } from 'vitest';
import { clockToleranceSeconds } from '../domain/id-token-claims.ts';
import { anOidcProvider, newKey } from '../testing/an-oidc-provider.ts';
import { anOidcServer, expectRefused } from '../testing/an-oidc-server.ts';

const provider = await anOidcProvider();
/** Names itself in each answer (RFC 9207), and says beforehand that it will. */
const naming = await anOidcProvider({ metadata: { authorization_response_iss_parameter_supported: true } });
const { call, browser, database, deps, time, advance } = await anOidcServer({ google: provider, naming });
const { start, comeBack, signIn } = browser('google');

let subjects = 0;
beforeEach(() => {
  subjects += 1;
  for (const one of [provider, naming]) {
    one.bend = {};
    one.fault = 'none';
    one.faultPath = null;
    one.person = { sub: `subject-${subjects}`, email: `person${subjects}@example.com`, email_verified: true };
    one.requests.length = 0;
    one.refusals.length = 0;
  }
});

const nowSeconds = () => Math.floor(time.now() / 1000);

describe('an ID token', () => {
  const past = Math.floor(Date.UTC(2029, 0, 1) / 1000);
  it.each<[string, typeof provider.bend]>([
    ['another nonce', { claims: { nonce: 'other' } }],
    ['another audience', { claims: { aud: 'somebody-else' } }],
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['an end in the past', { claims: { exp: past } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['no audience', { claims: { aud: undefined } }],
    ['no end', { claims: { exp: undefined } }],
    ['several audiences and no authorized party', { claims: { aud: [provider.clientId, 'somebody-else'] } }],
    ['another authorized party', { claims: { azp: 'somebody-else' } }],
    ['no subject', { claims: { sub: undefined } }],
    ['the algorithm none', { header: { alg: 'none' } }],
    ['a symmetric algorithm', { header: { alg: 'HS256' } }],
    ['an algorithm that the provider does not use', { header: { alg: 'RS512' } }],
    ['a key of somebody else', { key: newKey().privateKey }],
    ['an unknown key id', { header: { kid: 'unknown' } }],
    ['a critical extension', { header: { crit: ['b64'], b64: false } }],
    ['changed claims under a good signature', { mangle: changeClaims }],
    ['no signature', { mangle: (token) => token.slice(0, token.lastIndexOf('.') + 1) }],
    ['a signature that is not base64', { mangle: (token) => `${token.slice(0, token.lastIndexOf('.'))}.!` }],
    ['nonsense', { mangle: () => 'a.b.c' }],
  ])('with %s is refused', async (_name, bend) => {
    provider.bend = bend;
    expectRefused(await signIn(), 'OIDC_TOKEN_INVALID');
    const { rows } = await database.query<{ count: number }>(
      'SELECT count(*) AS count FROM auth.users WHERE email = $1',
      [`person${subjects}@example.com`],
    );
    expect(rows[0]?.count).toBe(0);
  });

  it('that was made for an earlier sign-in of the same person is refused', async () => {
    const earlier = await start();
    provider.bend = { claims: { nonce: new URL(earlier.location).searchParams.get('nonce') } };
    expectRefused(await signIn(), 'OIDC_TOKEN_INVALID');
  });

  it.each<[string, (now: number) => Record<string, unknown>]>([
    ['ahead', (now) => ({ iat: now + clockToleranceSeconds, nbf: now + clockToleranceSeconds })],
    ['behind', (now) => ({ iat: now - 300, exp: now - clockToleranceSeconds + 1 })],
  ])('of a provider whose clock is %s, but not by more than the tolerance, is accepted', async (_name, claims) => {
    provider.bend = { claims: claims(nowSeconds()) };
    expect((await signIn()).headers.location).toBe('/events/7');
  });

  it.each<[string, (now: number) => Record<string, unknown>]>([
    ['issued too far ahead', (now) => ({ iat: now + clockToleranceSeconds + 1 })],
    ['not yet valid', (now) => ({ nbf: now + clockToleranceSeconds + 1 })],
    ['expired for too long', (now) => ({ exp: now - clockToleranceSeconds })],
  ])('that is %s is refused', async (_name, claims) => {
    provider.bend = { claims: claims(nowSeconds()) };
    expectRefused(await signIn(), 'OIDC_TOKEN_INVALID');
  });
});

describe('an answer', () => {
  it.each<[string, (url: URL) => void]>([
    ['without a state', (url) => url.searchParams.delete('state')],
    ['with another state', (url) => url.searchParams.set('state', 'x'.repeat(43))],
    ['in the name of another issuer', (url) => url.searchParams.set('iss', 'https://evil.example')],
    ['in the name of another provider of ours', (url) => url.searchParams.set('iss', naming.issuer)],
  ])('%s is refused, and its code goes nowhere', async (_name, change) => {
    const { location, state } = await start();
    const url = provider.authorize(location);
    change(url);
    expectRefused(await comeBack(url, state), 'OIDC_STATE_MISMATCH');
    expect(provider.requests).not.toContain('/token');
  });

  it('of a provider that names itself is refused when it does not', async () => {
    const other = browser('naming');
    expect((await other.signIn()).headers.location).toBe('/events/7');
    const { location, state } = await other.start();
    const url = naming.authorize(location);
    expect(url.searchParams.get('iss')).toBe(naming.issuer);
    url.searchParams.delete('iss');
    naming.requests.length = 0;
    expectRefused(await other.comeBack(url, state), 'OIDC_STATE_MISMATCH');
    expect(naming.requests).not.toContain('/token');
  });

  it("of one provider at another's address is refused", async () => {
    const { location, state } = await start();
    const url = provider.authorize(location);
    url.pathname = '/api/auth/oidc/naming/callback';
    url.searchParams.set('iss', naming.issuer);
    expectRefused(await comeBack(url, state), 'OIDC_STATE_MISMATCH');
    expect(naming.requests).not.toContain('/token');
  });

  it('with a code that was given to another browser is refused by the verifier', async () => {
    const stolen = provider.authorize((await start()).location).searchParams.get('code') ?? '';
    const { location, state } = await start();
    const url = provider.authorize(location);
    url.searchParams.set('code', stolen);
    expectRefused(await comeBack(url, state), 'OIDC_TOKEN_INVALID');
    expect(provider.refusals).toEqual(['verifier']);
  });

  it('without the cookie, with that of another browser, with a late or a forged one is refused', async () => {
    const { location, state } = await start();
    const url = provider.authorize(location);
    expectRefused(await comeBack(url, ''), 'OIDC_STATE_MISMATCH');
    expectRefused(await comeBack(url, (await start()).state), 'OIDC_STATE_MISMATCH');
    expectRefused(await comeBack(url, `${state}x`), 'OIDC_STATE_MISMATCH');
    await advance(600_000);
    expectRefused(await comeBack(url, state), 'OIDC_STATE_MISMATCH');
  });

  it('with an access token where the cookie should be is refused', async () => {
    const forged = deps.accessTokens.sign({ sub: 'x', email: 'x', role: 'buyer' }).token;
    const { location } = await start();
    expectRefused(await comeBack(provider.authorize(location), forged), 'OIDC_STATE_MISMATCH');
  });

  it('that comes again is refused, with the cookie of before and without', async () => {
    const { location, state } = await start();
    const url = provider.authorize(location);
    expect((await comeBack(url, state)).headers.location).toBe('/events/7');
    expectRefused(await comeBack(url, state), 'OIDC_TOKEN_INVALID');
    expect(provider.refusals).toEqual(['code']);
    expectRefused(await comeBack(url, ''), 'OIDC_STATE_MISMATCH');
  });

  it('that is a refusal lets nobody in', async () => {
    const { location, state } = await start();
    const url = provider.authorize(location);
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    expectRefused(await comeBack(url, state), 'OIDC_DENIED');
  });

  it('about a person without an email lets nobody in', async () => {
    provider.person = { sub: 'no-email' };
    expectRefused(await signIn(), 'OIDC_EMAIL_MISSING');
  });
});

describe('a provider that is not well', () => {
  it.each(['error', 'huge', 'not-json', 'redirect'] as const)('at its token endpoint: %s', async (fault) => {
    const { location, state } = await start();
    const url = provider.authorize(location);
    provider.fault = fault;
    expectRefused(await comeBack(url, state), 'OIDC_PROVIDER_UNAVAILABLE');
  });

  it('at its keys: nobody is let in without a signature that was checked', async () => {
    await advance(301_000);
    provider.fault = 'error';
    provider.faultPath = '/keys';
    expectRefused(await signIn(), 'OIDC_PROVIDER_UNAVAILABLE');
    provider.fault = 'none';
    expect((await signIn()).headers.location).toBe('/events/7');
  });

  it('that is unknown is 404, one that is away 503 with Retry-After', async () => {
    expect((await call('GET', '/api/auth/oidc/nobody/start')).json().code).toBe('OIDC_PROVIDER_UNKNOWN');
    expect((await call('GET', '/api/auth/oidc/NOBODY/start')).statusCode).toBe(400);
    const response = await call('GET', '/api/auth/oidc/away/start');
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('5');
  });
});

function changeClaims(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody-else' })).toString('base64url');
  return [header, changed, signature].join('.');
}
