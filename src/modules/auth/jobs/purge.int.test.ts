import { expect, it } from 'vitest';
import { anAuth } from '../testing/an-auth.ts';

const dayMs = 24 * 60 * 60_000;
const { service, database, time, jobs } = await anAuth();
const email = 'mina@example.com';

async function counts(): Promise<{ families: number; tokens: number; attempts: number }> {
  const { rows } = await database.query<{ families: number; tokens: number; attempts: number }>(
    `SELECT (SELECT count(*) FROM auth.refresh_families) AS families,
            (SELECT count(*) FROM auth.refresh_tokens) AS tokens,
            (SELECT count(*) FROM auth.sign_in_attempts) AS attempts`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('no counts');
  return row;
}

async function purge(): Promise<void> {
  for (const job of jobs) await job.run(new AbortController().signal);
}

it('what has expired is forgotten, and nothing else', async () => {
  await service.ensureUsers([{ email, password: 'correct horse', name: 'Mina', role: 'buyer' }]);
  const { refreshToken } = await service.login({ email, password: 'correct horse', ip: '192.0.2.1' });
  await service.login({ email: 'nobody@example.com', password: 'x', ip: '192.0.2.1' }).catch(() => {});
  await database.query(
    `INSERT INTO auth.sign_in_attempts (key, touched_at, blocked_until, known_until)
     SELECT decode(md5(n::text), 'hex'), urr.now(), urr.now(), urr.now() FROM generate_series(1, 1200) n`,
  );
  const closed = await service.login({ email, password: 'correct horse', ip: '192.0.2.1' });
  await service.sessions.close(closed.refreshToken);
  const before = await counts();
  expect(before).toEqual({ families: 2, tokens: 2, attempts: 1204 });

  await purge();
  expect(await counts()).toEqual(before);

  await time.advance(2 * dayMs);
  await purge();
  // Left: the live session, and the address that this user is known from.
  expect(await counts()).toEqual({ families: 1, tokens: 1, attempts: 1 });
  expect((await service.sessions.refresh(refreshToken)).user.email).toBe(email);

  await time.advance(100 * dayMs);
  await purge();
  expect(await counts()).toEqual({ families: 0, tokens: 0, attempts: 0 });
});
