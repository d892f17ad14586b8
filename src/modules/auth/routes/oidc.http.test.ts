import { beforeEach, describe, expect, it } from 'vitest';
import { password } from '../testing/an-auth-server.ts';
import { anOidcProvider } from '../testing/an-oidc-provider.ts';
import { type Answer, accessOf, anOidcServer, expectRefused } from '../testing/an-oidc-server.ts';

const provider = await anOidcProvider();
const { issuer, clientId } = provider;
const { call, browser, published, database, advance } = await anOidcServer({ google: provider });
const { start, signIn } = browser('google');

let subjects = 0;
beforeEach(() => {
  subjects += 1;
  provider.bend = {};
  provider.fault = 'none';
  provider.person = {
    sub: `subject-${subjects}`,
    email: `person${subjects}@example.com`,
    email_verified: true,
    name: 'Mina',
  };
});

async function userOf(response: Answer) {
  return (await call('GET', '/api/auth/me', { bearer: accessOf(response) })).json().user;
}

describe('signing in with a provider', () => {
  it('lists what is configured, without secrets', async () => {
    const response = await call('GET', '/api/auth/providers');
    expect(response.json()).toEqual({
      items: [
        { id: 'google', label: 'GOOGLE' },
        { id: 'away', label: 'Away' },
      ],
    });
  });

  it('sends the browser away with state, nonce and a PKCE challenge, and a cookie of ten minutes', async () => {
    const { location, cookie } = await start();
    const url = new URL(location);
    expect(`${url.origin}${url.pathname}`).toBe(`${issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: '1',
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'https://tickets.example/api/auth/oidc/google/callback',
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(cookie).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/api/auth/oidc',
      maxAge: 600,
    });
  });

  it('gets in while strangers have locked the account out for passwords', async () => {
    const { email } = provider.person as { email: string };
    const login = (given: string, ip: string) =>
      call('POST', '/api/auth/login', { body: { email, password: given }, ip });
    expect((await signIn()).headers.location).toBe('/events/7');
    for (let attempt = 0; attempt < 50; attempt++) await login('wrong password', `10.9.0.${attempt % 10}`);
    expect((await login(password, '198.18.9.1')).statusCode).toBe(429);
    expect((await signIn()).headers.location).toBe('/events/7');
  });

  it('makes a user the first time and finds the same one later, also under another email', async () => {
    const first = await signIn();
    expect(first.statusCode).toBe(302);
    expect(first.headers.location).toBe('/events/7');
    expect(first.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([
      ['urr-oidc', false],
      ['urr-access', true],
      ['urr-refresh', true],
      [expect.stringMatching(/^urr-device-/), true],
    ]);
    const user = await userOf(first);
    expect(user).toMatchObject({ email: `person${subjects}@example.com`, name: 'Mina', role: 'buyer' });
    expect(published.at(-1)).toMatchObject({ type: 'USER_REGISTERED', key: user.id, data: { via: 'oidc' } });
    provider.person = { ...provider.person, email: 'moved@example.com' };
    expect((await userOf(await signIn())).id).toBe(user.id);
  });

  it.each([true, false])('twice at once makes one user (email verified: %s)', async (verified) => {
    provider.person = { ...provider.person, email_verified: verified };
    const [one, two] = await Promise.all([signIn(), signIn()]);
    expect((await userOf(one)).id).toBe((await userOf(two)).id);
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example'])('never returns to %s', async (returnTo) => {
    expect((await signIn(returnTo)).headers.location).toBe('/');
  });

  it('accepts a key that the provider began to use a while ago, and asks for keys no more than once a minute', async () => {
    await signIn();
    await advance(61_000);
    provider.rotateKey();
    expect((await signIn()).headers.location).toBe('/events/7');
    provider.bend = { header: { kid: 'unknown' } };
    const before = provider.requests.filter((url) => url === '/keys').length;
    for (let round = 0; round < 5; round++) expectRefused(await signIn(), 'OIDC_TOKEN_INVALID');
    expect(provider.requests.filter((url) => url === '/keys').length).toBe(before);
  });
});

describe('an email that already has an account', () => {
  async function register(email: string): Promise<{ id: string; refreshToken: string }> {
    const { user } = (await call('POST', '/api/auth/register', { body: { email, password, name: 'First' } })).json();
    const login = await call('POST', '/api/auth/login', { body: { email, password } });
    return { id: user.id, refreshToken: login.cookies.find(({ name }) => name === 'urr-refresh')?.value ?? '' };
  }

  it('is linked when the provider verified it, and what a stranger may have set up before is void', async () => {
    const email = 'claimed@example.com';
    const before = await register(email);
    provider.person = { ...provider.person, email: 'Claimed@Example.com' };
    const response = await signIn();
    expect((await userOf(response)).id).toBe(before.id);
    expect((await call('POST', '/api/auth/login', { body: { email, password } })).json().code).toBe(
      'INVALID_CREDENTIALS',
    );
    const refreshed = await call('POST', '/api/auth/refresh', { body: { refreshToken: before.refreshToken } });
    expect(refreshed.json().code).toBe('REFRESH_INVALID');
    // The session that was just opened is not among those that ended.
    const own = response.cookies.find(({ name }) => name === 'urr-refresh')?.value;
    expect((await call('POST', '/api/auth/refresh', { body: { refreshToken: own } })).statusCode).toBe(200);
  });

  it('that only an unverified sign-in had taken goes to the one who proves it, and the other is locked out', async () => {
    const squatter = { ...provider.person, email: 'squatted@example.com', email_verified: false };
    provider.person = squatter;
    const squatted = await userOf(await signIn());
    provider.person = { ...squatter, sub: 'the-owner', email_verified: true };
    expect((await userOf(await signIn())).id).toBe(squatted.id);
    provider.person = squatter;
    expectRefused(await signIn(), 'OIDC_EMAIL_UNVERIFIED');
  });

  it('is not linked when the provider has not verified it', async () => {
    const email = 'unverified@example.com';
    await register(email);
    provider.person = { ...provider.person, email, email_verified: false };
    expectRefused(await signIn(), 'OIDC_EMAIL_UNVERIFIED');
    expect((await call('POST', '/api/auth/login', { body: { email, password } })).statusCode).toBe(200);
    const { rows } = await database.query<{ count: number }>(
      'SELECT count(*) AS count FROM auth.external_identities i JOIN auth.users u ON u.id = i.user_id WHERE u.email = $1',
      [email],
    );
    expect(rows[0]?.count).toBe(0);
  });

  it('of a disabled user does not let in', async () => {
    const { id } = await userOf(await signIn());
    await database.query('UPDATE auth.users SET disabled_at = urr.now() WHERE id = $1', [id]);
    expectRefused(await signIn(), 'ACCOUNT_DISABLED');
  });
});
