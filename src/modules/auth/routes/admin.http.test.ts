import { describe, expect, it, vi } from 'vitest';
import { anAuthServer, password } from '../testing/an-auth-server.ts';

const { call, signedIn, database, time } = await anAuthServer();
const admin = await signedIn('admin@urr.test', 'admin');

function changeRole(userId: string, role: string, bearer = admin.accessToken) {
  return call('PUT', `/api/admin/users/${userId}/role`, { body: { role }, bearer });
}

async function auditOf(subject: string) {
  const { rows } = await database.query(
    'SELECT actor_id, actor_role, action, before, after FROM urr.audit_log WHERE subject = $1 ORDER BY id',
    [subject],
  );
  return rows;
}

describe('who may administer', () => {
  it.each(['buyer', 'seller', 'operator'] as const)('a %s may not', async (role) => {
    const { accessToken } = await signedIn(`${role}@urr.test`, role);
    for (const url of ['/api/admin/users', `/api/admin/users/${admin.id}`]) {
      expect((await call('GET', url, { bearer: accessToken })).statusCode).toBe(403);
    }
    expect((await changeRole(admin.id, 'buyer', accessToken)).statusCode).toBe(403);
    expect((await call('GET', '/api/admin/users')).statusCode).toBe(401);
  });

  it('an administrator whose role is gone may not, though the token still says so', async () => {
    const former = await signedIn('former@urr.test', 'admin');
    expect((await changeRole(former.id, 'buyer')).statusCode).toBe(200);
    const response = await changeRole(former.id, 'admin', former.accessToken);
    expect(response.statusCode).toBe(403);
    expect(response.json().code).toBe('FORBIDDEN');
  });
});

describe('changing a role', () => {
  it('is audited once, ends the sessions, and the next sign-in has it', async () => {
    const user = await signedIn('riser@urr.test');
    for (let round = 0; round < 2; round++) {
      const response = await changeRole(user.id, 'operator');
      expect(response.statusCode).toBe(200);
      expect(response.json().user).toMatchObject({ id: user.id, role: 'operator', disabledAt: null });
    }
    expect(await auditOf(user.id)).toEqual([
      {
        actor_id: admin.id,
        actor_role: 'admin',
        action: 'auth.user.change-role',
        before: { role: 'buyer' },
        after: { role: 'operator' },
      },
    ]);
    const refreshed = await call('POST', '/api/auth/refresh', { body: { refreshToken: user.refreshToken } });
    expect(refreshed.json().code).toBe('REFRESH_INVALID');
    const login = await call('POST', '/api/auth/login', { body: { email: 'riser@urr.test', password } });
    expect(login.json().user.role).toBe('operator');
  });

  it('refuses an unknown role, an unknown user and a user id that is none', async () => {
    expect((await changeRole(admin.id, 'king')).statusCode).toBe(400);
    expect((await changeRole('00000000-0000-7000-8000-000000000000', 'buyer')).statusCode).toBe(404);
    expect((await changeRole('1; DROP TABLE users', 'buyer')).statusCode).toBe(400);
  });

  it('is refused on the last administrator, and on oneself', async () => {
    expect((await changeRole(admin.id, 'buyer')).json().code).toBe('LAST_ADMIN');
    const second = await signedIn('second@urr.test', 'admin');
    expect((await changeRole(admin.id, 'buyer')).json().code).toBe('OWN_ACCOUNT');
    expect((await changeRole(second.id, 'buyer')).statusCode).toBe(200);
  });

  it('two administrators who remove each other at once leave one', async () => {
    const rival = await signedIn('rival@urr.test', 'admin');
    const racing: ReturnType<typeof changeRole>[] = [];
    await database.transaction(async (tx) => {
      // Stops the first in the middle of its work, so that the second runs into it for certain.
      await tx.query('SELECT 1 FROM auth.users WHERE id = $1 FOR UPDATE', [rival.id]);
      racing.push(changeRole(rival.id, 'buyer'));
      await untilBlocked(1);
      const second = changeRole(admin.id, 'buyer', rival.accessToken);
      racing.push(second);
      await Promise.race([second, untilBlocked(2)]);
    });
    expect((await Promise.all(racing)).map(({ statusCode }) => statusCode)).toEqual([200, 403]);
  });

  async function untilBlocked(count: number): Promise<void> {
    await vi.waitFor(
      async () => {
        const { rows } = await database.query<{ count: number }>(
          `SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rows[0]?.count).toBe(count);
      },
      { timeout: 30_000, interval: 10 },
    );
  }
});

describe('disabling a user', () => {
  it('ends the sessions, refuses sign-in and me, is audited, and can be undone', async () => {
    const user = await signedIn('naughty@urr.test');
    const disabled = await call('POST', `/api/admin/users/${user.id}/disable`, { bearer: admin.accessToken });
    expect(disabled.json().user.disabledAt).toBe(new Date(time.now()).toISOString());
    expect((await call('GET', '/api/auth/me', { bearer: user.accessToken })).statusCode).toBe(401);
    const refreshed = await call('POST', '/api/auth/refresh', { body: { refreshToken: user.refreshToken } });
    expect(refreshed.statusCode).toBe(401);
    const enabled = await call('POST', `/api/admin/users/${user.id}/enable`, { bearer: admin.accessToken });
    expect(enabled.json().user.disabledAt).toBe(null);
    expect((await call('POST', '/api/auth/login', { body: { email: 'naughty@urr.test', password } })).statusCode).toBe(
      200,
    );
    expect((await auditOf(user.id)).map(({ action }) => action)).toEqual(['auth.user.disable', 'auth.user.enable']);
  });

  it('is refused on oneself', async () => {
    const response = await call('POST', `/api/admin/users/${admin.id}/disable`, { bearer: admin.accessToken });
    expect(response.statusCode).toBe(409);
  });
});

describe('the list of users', () => {
  it('pages through everybody once, newest first', async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await call('GET', `/api/admin/users?limit=2${after}`, { bearer: admin.accessToken })).json();
      ids.push(...page.items.map((user: { id: string }) => user.id));
      cursor = page.nextCursor;
    }
    expect(ids).toEqual([...new Set(ids)].sort().reverse());
    const { rows } = await database.query<{ count: number }>('SELECT count(*) AS count FROM auth.users');
    expect(ids).toHaveLength(rows[0]?.count ?? 0);
  });

  it('searches by the beginning of email or name, with wildcards taken literally', async () => {
    const search = async (q: string) => {
      const response = await call('GET', `/api/admin/users?q=${encodeURIComponent(q)}`, { bearer: admin.accessToken });
      return response.json().items.map((user: { email: string }) => user.email);
    };
    await database.query(`UPDATE auth.users SET name = 'Boss_Person' WHERE id = $1`, [admin.id]);
    expect(await search('ADMIN@')).toEqual(['admin@urr.test']);
    expect(await search('boss_p')).toEqual(['admin@urr.test']);
    expect(await search('boss%')).toEqual([]);
    expect(await search('%')).toEqual([]);
    expect(await search('\\')).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'q=%00', 'sort=email'])('?%s is 400', async (query) => {
    expect((await call('GET', `/api/admin/users?${query}`, { bearer: admin.accessToken })).statusCode).toBe(400);
  });
});
