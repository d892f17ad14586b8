import { beforeAll, describe, expect, it } from 'vitest';
import { anAuthServer, password } from '../testing/an-auth-server.ts';

const server = await anAuthServer();
const { call, signedIn, published, hashed, time, database, deps } = server;
const mina = { email: 'mina@example.com', password, name: 'Mina Kim' };

function register(body: unknown) {
  return call('POST', '/api/auth/register', { body });
}

function login(body: unknown, ip?: string) {
  return call('POST', '/api/auth/login', { body, ...(ip !== undefined && { ip }) });
}

beforeAll(async () => {
  expect((await register(mina)).statusCode).toBe(201);
});

describe('registering', () => {
  it('answers 201 with the user, sets no cookies, and tells the bus without personal data', async () => {
    const response = await register({ email: ' Jun@Example.com ', password, name: ' Jun ' });
    expect(response.statusCode).toBe(201);
    expect(response.cookies).toEqual([]);
    const { user } = response.json();
    expect(user).toEqual({ id: user.id, email: 'jun@example.com', name: 'Jun', role: 'buyer' });
    const data = { userId: user.id, role: 'buyer', registeredAt: new Date(time.now()).toISOString(), via: 'password' };
    expect(published.at(-1)).toEqual({ topic: 'user-events', type: 'USER_REGISTERED', key: user.id, data });
  });

  it('a taken email is 409 in whatever spelling, costs the same hash, and tells the bus nothing', async () => {
    const events = published.length;
    const before = hashed.count;
    const response = await register({ ...mina, email: 'MINA@example.com' });
    expect(response.statusCode).toBe(409);
    expect(response.json()).toMatchObject({ code: 'EMAIL_TAKEN' });
    expect(hashed.count - before).toBe(1);
    expect(published).toHaveLength(events);
  });

  it('the same email twenty times at once makes one user', async () => {
    const body = { ...mina, email: 'rush@example.com' };
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => register(body)))).map((r) => r.statusCode);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
  });

  it('names every field that is wrong', async () => {
    const response = await register({ email: 'not-an-email', password: 'with\u0000nul!', name: '   ' });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ field: 'body.email' }, { field: 'body.password' }, { field: 'body.name' }],
    });
  });

  it.each([
    ['a short password', { ...mina, password: 'short' }],
    ['an unknown field', { ...mina, role: 'admin' }],
    ['a missing name', { email: 'x@example.com', password }],
    ['a number for an email', { ...mina, email: 1 }],
    ['no body', undefined],
  ])('%s is 400', async (_name, body) => {
    const response = await register(body);
    expect(response.statusCode).toBe(400);
    expect(response.json().code).toBe('VALIDATION_FAILED');
  });
});

describe('signing in', () => {
  it('answers with the user, an access token and both cookies', async () => {
    const response = await login({ email: 'Mina@example.com', password });
    expect(response.statusCode).toBe(200);
    const { user, accessToken, ...rest } = response.json();
    expect(rest).toEqual({});
    expect(user).toEqual({ id: user.id, email: mina.email, name: mina.name, role: 'buyer' });
    expect(decode(accessToken, 0)).toEqual({ alg: 'HS256', typ: 'at+jwt' });
    const iat = Math.floor(time.now() / 1000);
    expect(decode(accessToken, 1)).toEqual({ sub: user.id, email: mina.email, role: 'buyer', iat, exp: iat + 900 });
    expect(response.cookies).toEqual([
      { name: 'urr-access', value: accessToken, httpOnly: true, secure: true, sameSite: 'Lax', path: '/', maxAge: 900 },
      {
        name: 'urr-refresh',
        value: expect.stringMatching(/^[\w-]{43}$/),
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
        path: '/api/auth',
        maxAge: 14 * 24 * 3600,
      },
      expect.objectContaining({ name: expect.stringMatching(/^urr-device-[0-9a-f]{16}$/), path: '/api/auth/login' }),
    ]);
  });

  it('a wrong password and an unknown email get the same answer for the same work', async () => {
    const answers = [];
    for (const email of [mina.email, 'nobody@example.com']) {
      const before = hashed.count;
      const response = await login({ email, password: 'wrong password' }, '192.0.2.50');
      const { requestId, ...problem } = response.json();
      expect(requestId).toBeTypeOf('string');
      answers.push({ problem, status: response.statusCode, hashes: hashed.count - before, cookies: response.cookies });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 401, hashes: 1, cookies: [], problem: { code: 'INVALID_CREDENTIALS' } });
  });

  it('a user without a password costs the same and is refused the same', async () => {
    const { user } = (await register({ ...mina, email: 'provider-only@example.com' })).json();
    await database.query('UPDATE auth.users SET password_hash = NULL WHERE id = $1', [user.id]);
    const before = hashed.count;
    const response = await login({ email: 'provider-only@example.com', password });
    expect(response.json().code).toBe('INVALID_CREDENTIALS');
    expect(hashed.count - before).toBe(1);
  });

  it('a disabled user is told so only with the right password', async () => {
    const { id } = await signedIn('gone@example.com');
    await database.query('UPDATE auth.users SET disabled_at = urr.now() WHERE id = $1', [id]);
    expect((await login({ email: 'gone@example.com', password: 'wrong one' })).json().code).toBe('INVALID_CREDENTIALS');
    const response = await login({ email: 'gone@example.com', password });
    expect(response.statusCode).toBe(403);
    expect(response.json().code).toBe('ACCOUNT_DISABLED');
    expect(response.cookies).toEqual([]);
  });

  it('a hash of a lower cost is made anew by signing in', async () => {
    const { id } = await signedIn('old@example.com');
    const weak = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$';
    const { argon2Sync } = await import('node:crypto');
    const nonce = Buffer.from('saltsaltsaltsalt');
    const tag = argon2Sync('argon2id', {
      message: password,
      nonce,
      memory: 8,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    });
    const stored = weak + tag.toString('base64').replace(/=+$/, '');
    await database.query('UPDATE auth.users SET password_hash = $2 WHERE id = $1', [id, stored]);
    expect((await login({ email: 'old@example.com', password })).statusCode).toBe(200);
    const { rows } = await database.query<{ password_hash: string }>(
      'SELECT password_hash FROM auth.users WHERE id = $1',
      [id],
    );
    expect(rows[0]?.password_hash).toContain('$m=256,t=1,p=1$');
    expect((await login({ email: 'old@example.com', password })).statusCode).toBe(200);
  });
});

describe('the session', () => {
  it('me is the user whom the access token names', async () => {
    const { id, accessToken } = await signedIn('me@example.com', 'seller');
    const response = await call('GET', '/api/auth/me', { bearer: accessToken });
    expect(response.json()).toEqual({ user: { id, email: 'me@example.com', name: 'me@example.com', role: 'seller' } });
    expect((await call('GET', '/api/auth/me')).statusCode).toBe(401);
  });

  it('is refreshed by the cookie alone, with or without an empty body', async () => {
    const { refreshToken } = await signedIn('tab@example.com');
    const first = await call('POST', '/api/auth/refresh', { cookies: { 'urr-refresh': refreshToken } });
    expect(first.statusCode).toBe(200);
    expect(Object.keys(first.json())).toEqual(['user', 'accessToken']);
    const next = first.cookies.find((cookie) => cookie.name === 'urr-refresh')?.value ?? '';
    expect(next).not.toBe(refreshToken);
    const second = await call('POST', '/api/auth/refresh', { cookies: { 'urr-refresh': next }, body: {} });
    expect(second.statusCode).toBe(200);
  });

  it('is refreshed by the body for clients without cookies, which then get no cookies', async () => {
    const { refreshToken } = await signedIn('cli@example.com');
    const response = await call('POST', '/api/auth/refresh', { body: { refreshToken } });
    expect(response.json().refreshToken).toMatch(/^[\w-]{43}$/);
    expect(response.cookies).toEqual([]);
  });

  it('a reused token is 401, clears the cookies and ends the session', async () => {
    const { refreshToken } = await signedIn('stolen@example.com');
    const rotated = await call('POST', '/api/auth/refresh', { cookies: { 'urr-refresh': refreshToken } });
    const next = rotated.cookies.find((cookie) => cookie.name === 'urr-refresh')?.value ?? '';
    await time.advance(10_001);
    const reused = await call('POST', '/api/auth/refresh', { cookies: { 'urr-refresh': refreshToken } });
    expect(reused.statusCode).toBe(401);
    expect(reused.json().code).toBe('REFRESH_REUSED');
    expect(reused.cookies.map(({ name, value }) => [name, value])).toEqual([
      ['urr-access', ''],
      ['urr-refresh', ''],
    ]);
    const after = await call('POST', '/api/auth/refresh', { cookies: { 'urr-refresh': next } });
    expect(after.json().code).toBe('REFRESH_INVALID');
  });

  it('signing out ends it, clears both cookies with their own paths, and may be repeated', async () => {
    const { refreshToken } = await signedIn('leaving@example.com');
    for (let round = 0; round < 2; round++) {
      const response = await call('POST', '/api/auth/logout', { cookies: { 'urr-refresh': refreshToken } });
      expect(response.statusCode).toBe(204);
      expect(response.cookies).toMatchObject([
        { name: 'urr-access', value: '', path: '/', maxAge: 0 },
        { name: 'urr-refresh', value: '', path: '/api/auth', maxAge: 0 },
      ]);
    }
    expect((await call('POST', '/api/auth/refresh', { body: { refreshToken } })).json().code).toBe('REFRESH_INVALID');
    expect((await call('POST', '/api/auth/logout')).statusCode).toBe(204);
  });

  it.each([undefined, {}, { refreshToken: 'garbage' }])('refreshing with %j and no cookie is 401', async (body) => {
    const response = await call('POST', '/api/auth/refresh', { body });
    expect(response.statusCode).toBe(401);
    expect(response.json().code).toBe('REFRESH_INVALID');
    // Nothing came, so nothing is known about what the browser keeps for another path.
    expect(response.cookies).toEqual([]);
  });
});

describe('verify-token', () => {
  const verify = (token: string) => call('POST', '/api/auth/verify-token', { body: { token } });

  it('shows the claims of a good token', async () => {
    const { id, accessToken } = await signedIn('claims@example.com');
    const iat = Math.floor(time.now() / 1000);
    expect((await verify(accessToken)).json()).toEqual({
      valid: true,
      claims: { sub: id, email: 'claims@example.com', role: 'buyer', iat, exp: iat + 900 },
    });
  });

  it('answers 200 for a bad one and says why', async () => {
    const { accessToken } = await signedIn('late@example.com');
    expect((await verify(`${accessToken}x`)).json()).toEqual({ valid: false, reason: 'invalid' });
    expect((await verify('')).json()).toEqual({ valid: false, reason: 'invalid' });
    const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${accessToken.split('.')[1]}.`;
    expect((await verify(none)).json()).toEqual({ valid: false, reason: 'invalid' });
    await time.advance(15 * 60_000);
    const late = await verify(accessToken);
    expect(late.statusCode).toBe(200);
    expect(late.json()).toEqual({ valid: false, reason: 'expired' });
    expect(deps.accessTokens.verify(accessToken).ok).toBe(false);
  });
});

function decode(token: string, part: 0 | 1): unknown {
  return JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString());
}
