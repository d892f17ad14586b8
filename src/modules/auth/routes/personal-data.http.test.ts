import { beforeEach, describe, expect, it } from 'vitest';
import { aKeeper } from '../testing/a-keeper.ts';
import { anAuthServer, password, type SignedIn } from '../testing/an-auth-server.ts';

const tickets = aKeeper('ticketing');
const money = aKeeper('payments');
const { call, signedIn, database, time, jobs, hashed } = await anAuthServer({ keepers: [tickets, money] });
const accessMs = 16 * 60_000;

beforeEach(() => {
  for (const keeper of [tickets, money]) Object.assign(keeper, { reasons: [], isAway: false, isBusy: false });
});

const erase = ({ accessToken, refreshToken }: SignedIn, body: unknown = { password }, ip = '192.0.2.1') =>
  call('DELETE', '/api/auth/me', { bearer: accessToken, cookies: { 'urr-refresh': refreshToken }, body, ip });

async function run(): Promise<void> {
  for (const job of jobs) if (job.name === 'auth-erasures') await job.run(new AbortController().signal);
}

async function erasureOf({ id }: SignedIn) {
  const { rows } = await database.query<{ erased_in: string[]; done: boolean }>(
    'SELECT erased_in, done_at IS NOT NULL AS done FROM auth.erasures WHERE user_id = $1',
    [id],
  );
  return rows[0];
}

const timesErased = ({ id }: SignedIn) =>
  [tickets, money].map(({ erased }) => erased.filter((one) => one === id).length);

describe('the export', () => {
  it('is one file with a section for every module, and no secret', async () => {
    const user = await signedIn('exports@example.com');
    const response = await call('GET', '/api/auth/me/export', { bearer: user.accessToken });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      'content-type': expect.stringContaining('application/json'),
      'content-disposition': `attachment; filename="urr-${user.id}.json"`,
      'cache-control': 'no-store',
    });
    expect(response.json()).toEqual({
      exportedAt: new Date(time.now()).toISOString(),
      userId: user.id,
      truncated: [],
      data: {
        auth: {
          account: [expect.objectContaining({ id: user.id, email: 'exports@example.com', hasPassword: true })],
          signInProviders: [],
          sessions: [expect.objectContaining({ endedAt: null })],
          audit: [],
        },
        ticketing: { things: [{ of: user.id }] },
        payments: { things: [{ of: user.id }] },
      },
    });
    expect(response.body).not.toContain('argon2');
  });

  it('is refused whole while a module is away, and says when to come back', async () => {
    const user = await signedIn('unlucky@example.com');
    money.isAway = true;
    const response = await call('GET', '/api/auth/me/export', { bearer: user.accessToken });
    expect(response.statusCode).toBe(503);
    expect(response.json().code).toBe('ROLE_UNAVAILABLE');
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('is for somebody who is signed in', async () => {
    expect((await call('GET', '/api/auth/me/export')).statusCode).toBe(401);
  });
});

describe('what is asked before an account goes', () => {
  it('is the password, and a wrong one changes nothing and is counted', async () => {
    const user = await signedIn('guessed@example.com');
    const before = hashed.count;
    for (let guess = 0; guess < 5; guess++) {
      const response = await erase(user, { password: 'not it' }, '198.51.100.7');
      expect([response.statusCode, response.json().code]).toEqual([403, 'PASSWORD_WRONG']);
    }
    expect(hashed.count - before).toBe(5);
    const held = await erase(user, { password }, '198.51.100.7');
    expect([held.statusCode, held.json().code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect((await erase(user, {})).json().code).toBe('PASSWORD_WRONG');
    expect((await call('GET', '/api/auth/me', { bearer: user.accessToken })).statusCode).toBe(200);
  });

  it('is a recent sign-in where there is no password', async () => {
    const user = await signedIn('provider@example.com');
    await database.query('UPDATE auth.users SET password_hash = NULL WHERE id = $1', [user.id]);
    const other = await signedIn('other@example.com');
    expect((await erase({ ...user, refreshToken: other.refreshToken }, {})).json().code).toBe('SIGN_IN_AGAIN');
    await time.advance(10 * 60_000 + 1_000);
    expect((await erase(user, {})).json().code).toBe('SIGN_IN_AGAIN');
    const again = await signedIn('again@example.com');
    await database.query('UPDATE auth.users SET password_hash = NULL WHERE id = $1', [again.id]);
    expect((await erase(again, {})).statusCode).toBe(202);
  });

  it('is what stands against it, from every module together', async () => {
    const user = await signedIn('busy@example.com');
    tickets.reasons = ['tickets_to_come', 'money_under_way'];
    money.reasons = ['money_under_way'];
    const response = await erase(user);
    expect(response.statusCode).toBe(409);
    expect(response.json()).toMatchObject({ code: 'ACCOUNT_IN_USE', reasons: ['money_under_way', 'tickets_to_come'] });
    expect(await erasureOf(user)).toBeUndefined();
    expect((await call('GET', '/api/auth/me', { bearer: user.accessToken })).statusCode).toBe(200);
  });

  it('cannot be answered while a module is away: 503, and the account stays', async () => {
    const user = await signedIn('patient@example.com');
    tickets.isAway = true;
    const response = await erase(user);
    expect([response.statusCode, response.json().code]).toEqual([503, 'ROLE_UNAVAILABLE']);
    expect((await call('GET', '/api/auth/me', { bearer: user.accessToken })).statusCode).toBe(200);
  });

  it('the last administrator stays', async () => {
    const admin = await signedIn('admin@example.com', 'admin');
    expect((await erase(admin)).json().code).toBe('LAST_ADMIN');
    const second = await signedIn('second@example.com', 'admin');
    const [one, two] = await Promise.all([erase(admin), erase(second)]);
    expect([one.statusCode, two.statusCode].sort()).toEqual([202, 409]);
  });
});

describe('an account that was given up', () => {
  it('is gone at once: no session, no sign-in, no old token opens it, and the email is free', async () => {
    const email = 'leaves@example.com';
    const user = await signedIn(email);
    const tablet = await signedIn(email);
    const response = await erase(user);
    expect(response.statusCode).toBe(202);
    expect(response.json()).toEqual({
      acceptedAt: new Date(time.now()).toISOString(),
      accessEndsAt: new Date(time.now() + accessMs).toISOString(),
    });
    expect(response.cookies.map(({ name, value }) => [name, value])).toEqual([
      ['urr-access', ''],
      ['urr-refresh', ''],
      [expect.stringMatching(/^urr-device-/), ''],
    ]);
    for (const { accessToken, refreshToken } of [user, tablet]) {
      expect((await call('POST', '/api/auth/refresh', { body: { refreshToken } })).json().code).toBe('REFRESH_INVALID');
      for (const [method, path] of [
        ['GET', '/api/auth/me'],
        ['GET', '/api/auth/me/export'],
        ['DELETE', '/api/auth/me'],
      ] as const)
        expect(
          (await call(method, path, { bearer: accessToken, body: method === 'DELETE' ? {} : undefined })).statusCode,
        ).toBe(401);
    }
    const login = await call('POST', '/api/auth/login', { body: { email, password } });
    expect(login.json().code).toBe('INVALID_CREDENTIALS');
    const registered = await call('POST', '/api/auth/register', { body: { email, password, name: 'Anew' } });
    expect(registered.statusCode).toBe(201);
    expect(registered.json().user.id).not.toBe(user.id);
  });

  it('leaves nothing in the database but its id', async () => {
    const user = await signedIn('no-trace@example.com');
    await database.query(
      `INSERT INTO auth.external_identities (provider, subject, user_id) VALUES ('google', 'subject-no-trace', $1)`,
      [user.id],
    );
    expect((await erase(user)).statusCode).toBe(202);
    const { rows } = await database.query<{ found: number }>(
      `SELECT (SELECT count(*) FROM auth.users WHERE id = $1) + (SELECT count(*) FROM auth.refresh_families WHERE user_id = $1)
         + (SELECT count(*) FROM auth.external_identities WHERE user_id = $1 OR subject = 'subject-no-trace')
         + (SELECT count(*) FROM urr.audit_log WHERE before::text || coalesce(after::text, '') LIKE '%no-trace%') AS found`,
      [user.id],
    );
    expect(rows[0]?.found).toBe(0);
  });

  it('sent twice at once it is given up once', async () => {
    const user = await signedIn('twice@example.com');
    const answers = await Promise.all([erase(user), erase(user)]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 401]);
  });

  it('is forgotten by the other modules at once, and once more when no access token is left', async () => {
    const user = await signedIn('forgotten@example.com');
    await erase(user);
    await run();
    expect(timesErased(user)).toEqual([1, 1]);
    await time.advance(accessMs - 1);
    await run();
    expect(timesErased(user)).toEqual([1, 1]);
    expect(await erasureOf(user)).toEqual({ erased_in: [], done: false });
    await time.advance(1);
    await run();
    expect(timesErased(user)).toEqual([2, 2]);
    expect(await erasureOf(user)).toEqual({ erased_in: ['ticketing', 'payments'], done: true });
    await time.advance(accessMs);
    await run();
    expect(timesErased(user)).toEqual([2, 2]);
  });

  it('is finished after a module was away or had money under way, in order, without asking again where it is done', async () => {
    const user = await signedIn('in-steps@example.com');
    await erase(user);
    await time.advance(accessMs);
    tickets.isAway = true;
    await run();
    expect(timesErased(user)).toEqual([0, 0]);
    Object.assign(tickets, { isAway: false, isBusy: true });
    await time.advance(60_000);
    await run();
    // Where the money goes back to is not forgotten before it went.
    expect(timesErased(user)).toEqual([1, 0]);
    Object.assign(tickets, { isBusy: false });
    money.isAway = true;
    await time.advance(60_000);
    await run();
    expect(await erasureOf(user)).toEqual({ erased_in: ['ticketing'], done: false });
    money.isAway = false;
    await time.advance(60_000);
    await run();
    expect(timesErased(user)).toEqual([2, 1]);
    expect(await erasureOf(user)).toEqual({ erased_in: ['ticketing', 'payments'], done: true });
  });

  it('is taken up by another process when one died in the middle', async () => {
    const user = await signedIn('orphan@example.com');
    await erase(user);
    await time.advance(accessMs);
    // What a killed process leaves behind: the erasure is taken for a while, and nothing else.
    await database.query(`UPDATE auth.erasures SET next_try_at = urr.now() + interval '1 minute' WHERE user_id = $1`, [
      user.id,
    ]);
    await run();
    expect(timesErased(user)).toEqual([0, 0]);
    await time.advance(60_000);
    await run();
    expect((await erasureOf(user))?.done).toBe(true);
  });
});
