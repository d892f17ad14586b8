import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { refreshPolicy } from '../domain/refresh.ts';
import type { User } from '../domain/user.ts';
import { anAuth } from '../testing/an-auth.ts';

const dayMs = 24 * 60 * 60_000;
const { service, database, time, deps } = await anAuth();
const { sessions } = service;

async function aUser(): Promise<User> {
  const email = `${deps.ids.next()}@example.com`;
  const [user] = await service.ensureUsers([{ email, password: 'correct horse', name: 'Mina', role: 'buyer' }]);
  if (user === undefined) throw new Error('no user');
  return user;
}

async function aSession(): Promise<string> {
  return (await sessions.open(database, await aUser())).refreshToken;
}

/** The next refresh token, or the code of the refusal. */
async function present(token: string): Promise<string> {
  try {
    return (await sessions.refresh(token)).refreshToken;
  } catch (error) {
    if (isFault(error)) return error.code;
    throw error;
  }
}

describe('a refresh token', () => {
  it('is exchanged for another and an access token of the same user', async () => {
    const opened = await sessions.open(database, await aUser());
    const next = await sessions.refresh(opened.refreshToken);
    expect(next.refreshToken).not.toBe(opened.refreshToken);
    expect(deps.accessTokens.verify(next.accessToken)).toMatchObject({
      ok: true,
      claims: { sub: opened.user.id, role: 'buyer' },
    });
  });

  it('is not in the database', async () => {
    const token = await aSession();
    const { rows } = await database.query<{ row: string }>(
      `SELECT encode(token_hash, 'base64') || coalesce(encode(successor_salt, 'base64'), '') AS row FROM auth.refresh_tokens`,
    );
    const stored = rows.map(({ row }) => row.replaceAll('+', '-').replaceAll('/', '_')).join('\n');
    expect(stored).not.toContain(token);
  });

  it('presented twenty times at once makes one successor, and the session goes on', async () => {
    const token = await aSession();
    const answers = await Promise.all(Array.from({ length: 20 }, () => present(token)));
    expect(new Set(answers).size).toBe(1);
    const [next = ''] = answers;
    await time.advance(refreshPolicy.graceMs + 1);
    expect(await present(next)).toHaveLength(43);
  });

  it('presented again after the grace ends the session for both sides', async () => {
    const stolen = await aSession();
    const owners = await present(stolen);
    await time.advance(refreshPolicy.graceMs + 1);
    expect(await present(stolen)).toBe('REFRESH_REUSED');
    expect(await present(owners)).toBe('REFRESH_INVALID');
    expect(await present(stolen)).toBe('REFRESH_INVALID');
  });

  it('copied during the grace is noticed at the next rotation', async () => {
    const stolen = await aSession();
    const owners = await present(stolen);
    const thiefs = await present(stolen);
    expect(thiefs).toBe(owners);
    await time.advance(15 * 60_000);
    expect(await present(thiefs)).toHaveLength(43);
    await time.advance(60_000);
    expect(await present(owners)).toBe('REFRESH_REUSED');
  });

  it('that lags behind by two rotations within seconds is told so, and nothing ends', async () => {
    const first = await aSession();
    const second = await present(first);
    const third = await present(second);
    expect(await present(first)).toBe('REFRESH_SUPERSEDED');
    expect(await present(second)).toBe(third);
  });

  it('expires when it is not used for 14 days', async () => {
    const token = await aSession();
    await time.advance(refreshPolicy.idleMs);
    expect(await present(token)).toBe('REFRESH_INVALID');
  });

  it('expires after 30 days however often it is used, and says so beforehand', async () => {
    const openedAtMs = time.now();
    let session = await sessions.open(database, await aUser());
    expect(session.refreshExpiresAtMs).toBe(openedAtMs + refreshPolicy.idleMs);
    for (let day = 10; day < 30; day += 10) {
      await time.advance(10 * dayMs);
      session = await sessions.refresh(session.refreshToken);
    }
    expect(session.refreshExpiresAtMs).toBe(openedAtMs + refreshPolicy.absoluteMs);
    await time.advance(10 * dayMs);
    expect(await present(session.refreshToken)).toBe('REFRESH_INVALID');
  });

  it('of a session that was closed is refused, also when closing and refreshing happen at once', async () => {
    const token = await aSession();
    const [, raced] = await Promise.all([sessions.close(token), present(token)]);
    expect(await present(token)).toBe('REFRESH_INVALID');
    if (raced.length === 43) expect(await present(raced)).toBe('REFRESH_INVALID');
  });

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(5_000), '\u0000'.repeat(43)])('%j is nobody’s', async (token) => {
    expect(await present(token)).toBe('REFRESH_INVALID');
    await sessions.close(token);
  });
});

/**
 * The family as one would write it without a database: a chain of tokens. Random people present random tokens of the
 * chain at random times, close the session, and the user is disabled and enabled; the store must agree every time.
 */
interface Model {
  readonly chain: { token: string; spentAtMs: number | null; expiresAtMs: number }[];
  readonly endsAtMs: number;
  revoked: boolean;
  disabled: boolean;
}

function expectPresent(model: Model, index: number): 'next' | { again: string } | string {
  const entry = model.chain[index];
  const successor = model.chain[index + 1];
  if (entry === undefined || model.revoked || model.disabled) return 'REFRESH_INVALID';
  if (entry.expiresAtMs <= time.now() || model.endsAtMs <= time.now()) return 'REFRESH_INVALID';
  if (entry.spentAtMs === null || successor === undefined) return 'next';
  if (time.now() - entry.spentAtMs > 10_000) return 'REFRESH_REUSED';
  return successor.spentAtMs === null ? { again: successor.token } : 'REFRESH_SUPERSEDED';
}

type Step =
  | { do: 'present'; back: number }
  | { do: 'wait'; ms: number }
  | { do: 'close' }
  | { do: 'disable' | 'enable' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('present' as const), back: fc.nat({ max: 3 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 5_000, 10_000, 10_001, 900_000, 13 * dayMs, 14 * dayMs),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ do: 'close' }, { do: 'disable' }, { do: 'enable' }) },
);

describe('a family of refresh tokens', () => {
  it('does what the drawing says, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const opened = await sessions.open(database, await aUser());
        const first = { token: opened.refreshToken, spentAtMs: null, expiresAtMs: time.now() + 14 * dayMs };
        const model: Model = { chain: [first], endsAtMs: time.now() + 30 * dayMs, revoked: false, disabled: false };
        for (const taken of steps) await take(taken, model, opened.user.id);
        const { rows } = await database.query<{ live: number }>(
          `SELECT count(*) FILTER (WHERE spent_at IS NULL) AS live FROM auth.refresh_tokens t
             JOIN auth.refresh_families f ON f.id = t.family_id WHERE f.user_id = $1`,
          [opened.user.id],
        );
        expect(rows[0]?.live).toBe(1);
      }),
      { numRuns: 60 },
    );
  });

  async function take(taken: Step, model: Model, userId: string): Promise<void> {
    if (taken.do === 'wait') return time.advance(taken.ms);
    if (taken.do === 'close') {
      await sessions.close(model.chain.at(-1)?.token);
      model.revoked = true;
      return;
    }
    if (taken.do !== 'present') {
      model.disabled = taken.do === 'disable';
      const at = model.disabled ? new Date(time.now()) : null;
      await database.query('UPDATE auth.users SET disabled_at = $2 WHERE id = $1', [userId, at]);
      return;
    }
    const index = Math.max(0, model.chain.length - 1 - taken.back);
    const entry = model.chain[index];
    if (entry === undefined) throw new Error('the chain is never empty');
    const expected = expectPresent(model, index);
    const answer = await present(entry.token);
    if (expected === 'next') {
      expect(answer).toHaveLength(43);
      entry.spentAtMs = time.now();
      const expiresAtMs = Math.min(time.now() + 14 * dayMs, model.endsAtMs);
      model.chain.push({ token: answer, spentAtMs: null, expiresAtMs });
    } else if (typeof expected === 'string') {
      expect(answer).toBe(expected);
      if (expected === 'REFRESH_REUSED') model.revoked = true;
    } else {
      expect(answer).toBe(expected.again);
    }
  }
});
