import { describe, expect, it } from 'vitest';
import { signInLimits } from '../domain/sign-in-limits.ts';
import { anAuth } from '../testing/an-auth.ts';
import { type BegunAttempt, createSignInAttempts } from './sign-in-attempts.ts';

const { database, time } = await anAuth();
const attempts = createSignInAttempts({ database, limits: signInLimits });

let people = 0;
function somebody() {
  people += 1;
  return { email: `person${people}@example.com`, address: '192.0.2.1' };
}

function admitted(begun: readonly BegunAttempt[]) {
  return begun.filter((attempt) => attempt.status === 'admitted');
}

function beginMany(from: { email: string; address: string }, count: number): Promise<BegunAttempt[]> {
  return Promise.all(Array.from({ length: count }, () => attempts.begin(from)));
}

describe('attempts that are begun at once', () => {
  it('are admitted only up to the limit, and after their failure none is', async () => {
    const from = somebody();
    const open = admitted(await beginMany(from, 100));
    expect(open).toHaveLength(signInLimits.pair.pendingMax);
    await Promise.all(open.map((attempt) => attempt.close('failed')));
    expect(await attempts.begin(from)).toMatchObject({ status: 'blocked', waitMs: signInLimits.pair.waitMaxMs });
  });

  it('and withdrawn leave no trace', async () => {
    const from = somebody();
    for (let round = 0; round < 3; round++) {
      const open = admitted(await beginMany(from, 30));
      expect(open).toHaveLength(30);
      await Promise.all(open.map((attempt) => attempt.close('withdrawn')));
    }
  });

  it('and lost with their process are let go after a minute', async () => {
    const from = somebody();
    await beginMany(from, signInLimits.pair.pendingMax);
    expect(await attempts.begin(from)).toEqual({ status: 'blocked', waitMs: 1_000 });
    await time.advance(signInLimits.pendingMs + 1);
    expect((await attempts.begin(from)).status).toBe('admitted');
  });

  it('and refused by the limit of the email do not count at their address', async () => {
    const { email } = somebody();
    const open: BegunAttempt[] = [];
    for (let address = 0; address < 4; address++)
      open.push(...(await beginMany({ email, address: `192.0.2.${address}` }, 32)));
    expect(admitted(open)).toHaveLength(signInLimits.email.pendingMax);
    const late = { email, address: '198.51.100.1' };
    for (let round = 0; round < 40; round++) expect((await attempts.begin(late)).status).toBe('blocked');
    for (const attempt of admitted(open)) await attempt.close('withdrawn');
    expect(admitted(await beginMany(late, 32))).toHaveLength(32);
  });
});
