import { expect, it } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { createPasswordHasher, type PasswordHasher } from '../passwords/hasher.ts';
import { claimEmail } from '../storage/external-identities.ts';
import { revokeFamiliesOfUser } from '../storage/refresh-tokens.ts';
import { setDisabled } from '../storage/users.ts';
import { anAuth, lightCost } from '../testing/an-auth.ts';
import { createAuthService } from './index.ts';

const { deps, database } = await anAuth();
const password = 'correct horse';

/** Runs once a password was found right, before the session begins. */
let meanwhile: () => Promise<unknown> = async () => {};
const hasher = createPasswordHasher({ cost: lightCost, random: deps.random });
const slowHasher: PasswordHasher = {
  hash: hasher.hash,
  async check(given, stored) {
    const checked = await hasher.check(given, stored);
    const act = meanwhile;
    meanwhile = async () => {};
    await act();
    return checked;
  },
};
const service = createAuthService({ ...deps, hasher: slowHasher });

async function signInWhile(act: (userId: string) => Promise<unknown>): Promise<{ outcome: string; live: number }> {
  const email = `${deps.ids.next()}@example.com`;
  const { id } = await service.register({ email, password, name: 'Mina' });
  meanwhile = () => act(id);
  const outcome = await service.login({ email, password, ip: '192.0.2.1' }).then(
    () => 'signed in',
    (error: unknown) => (isFault(error) ? error.code : String(error)),
  );
  const { rows } = await database.query<{ live: number }>(
    'SELECT count(*)::integer AS live FROM auth.refresh_families WHERE user_id = $1 AND revoked_at IS NULL',
    [id],
  );
  return { outcome, live: rows[0]?.live ?? -1 };
}

it('anyone who took an email in advance cannot begin a session while its owner claims it', async () => {
  const claim = (id: string) =>
    database.transaction(async (tx) => {
      await claimEmail(tx, id);
      await revokeFamiliesOfUser(tx, { id, reason: 'email_claimed' });
    });
  expect(await signInWhile(claim)).toEqual({ outcome: 'INVALID_CREDENTIALS', live: 0 });
});

it('a user who is disabled while signing in has no session that would live again when enabled', async () => {
  const disable = (userId: string) => database.transaction((tx) => setDisabled(tx, { userId, disabled: true }));
  expect(await signInWhile(disable)).toEqual({ outcome: 'ACCOUNT_DISABLED', live: 0 });
});

it('a hash that another sign-in has just made stronger is as good', async () => {
  const weak = createPasswordHasher({ cost: lightCost, random: deps.random, algorithm: 'scrypt' });
  const email = 'twice@example.com';
  const { id } = await service.register({ email, password, name: 'Mina' });
  await database.query('UPDATE auth.users SET password_hash = $2 WHERE id = $1', [id, await weak.hash(password)]);
  meanwhile = () => service.login({ email, password, ip: '192.0.2.2' });
  expect((await service.login({ email, password, ip: '192.0.2.1' })).user.id).toBe(id);
});
