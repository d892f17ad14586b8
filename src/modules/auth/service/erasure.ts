import { platformErrors } from '#platform/errors.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { hashRefreshToken, isRefreshToken } from '../domain/refresh.ts';
import { authErrors } from '../errors.ts';
import type { AuthDeps } from '../ports.ts';
import { type AcceptedErasure, acceptErasure } from '../storage/erasures.ts';
import { findToken } from '../storage/refresh-tokens.ts';
import { findUserWithPassword, lockAdmins, lockUserWithPassword, type UserWithPassword } from '../storage/users.ts';
import type { Accounts } from './accounts.ts';

/**
 *   account ── DELETE /api/auth/me: proved, nothing stands against it ──▶ accepted ── access tokens over, every module has erased ──▶ done
 *      │                                                                   │  ▲
 *      └── 409 ACCOUNT_IN_USE: as before                                   └──┘ a module is away, or money is under way: asked again
 *
 * `accepted` is one transaction: the account, its links and its sessions are gone, the email is free, and the row in auth.erasures
 * says what is left to do. There is no way back, so nothing has to be undone. jobs/erasures.ts does the rest, and every call of it may be
 * repeated. Access tokens that were given out before last up to 15 minutes: they open nothing here, and ticketing takes no payment from them.
 */
export interface Erasure {
  request(call: ErasureRequest): Promise<AcceptedErasure>;
}

export interface ErasureRequest {
  readonly userId: string;
  readonly requestId: string;
  readonly ip: string;
  readonly password: string | undefined;
  /** Of this browser's session: how somebody without a password shows to have signed in just now. */
  readonly refreshToken: string | undefined;
}

/** Somebody who signs in through a provider only has to have done so within this time. */
const recentSignInMs = 10 * 60_000;
/** Clocks of processes differ a little. */
const accessMarginMs = 60_000;

type ErasureDeps = Pick<AuthDeps, 'database' | 'audit' | 'clock' | 'accessTokens' | 'keepers' | 'logger'> & {
  readonly accounts: Pick<Accounts, 'checkOwnPassword'>;
};

export function createErasure(deps: ErasureDeps): Erasure {
  const { database, audit, clock, accessTokens, keepers, logger, accounts } = deps;

  async function prove(found: UserWithPassword, call: ErasureRequest): Promise<UserWithPassword> {
    if (found.passwordHash === null) {
      if (!(await isSignedInJustNow(call))) throw authErrors.fault('SIGN_IN_AGAIN');
      return found;
    }
    if (call.password === undefined) throw authErrors.fault('PASSWORD_WRONG');
    const { email } = found.user;
    const proved = await accounts.checkOwnPassword({ email, password: call.password, ip: call.ip });
    if (proved === null) throw authErrors.fault('PASSWORD_WRONG');
    return proved;
  }

  async function isSignedInJustNow({ userId, refreshToken }: ErasureRequest): Promise<boolean> {
    if (refreshToken === undefined || !isRefreshToken(refreshToken)) return false;
    const token = await findToken(database, hashRefreshToken(refreshToken));
    if (token === null || token.userId !== userId || token.familyRevoked) return false;
    return token.nowMs - token.familyCreatedAtMs <= recentSignInMs;
  }

  async function askKeepers(userId: string): Promise<void> {
    const answers = await Promise.all(keepers.map(({ calls }) => calls.erasureObstacles({ userId })));
    const reasons = [...new Set(answers.flatMap((answer) => answer.reasons))].sort();
    if (reasons.length > 0) throw authErrors.fault('ACCOUNT_IN_USE', { extensions: { reasons } });
  }

  async function accept(tx: Transaction, { user, passwordHash }: UserWithPassword, requestId: string) {
    // Locks in the order of administration: all admins by id, then the user.
    if (user.role === 'admin') {
      const admins = await lockAdmins(tx);
      if (admins.length === 1 && admins[0] === user.id) throw authErrors.fault('LAST_ADMIN');
    }
    // The password, the role or the account itself may have been changed while it was checked.
    const locked = await lockUserWithPassword(tx, { userId: user.id, passwordHash });
    if (locked === null || locked.disabledAtMs !== null || locked.role !== user.role)
      throw platformErrors.fault('UNAUTHENTICATED');
    await audit.record(tx, {
      actorId: user.id,
      actorRole: user.role,
      action: 'auth.user.erase',
      subject: user.id,
      before: { role: user.role },
      after: null,
      requestId,
    });
    // A token that was signed a moment ago lasts the longest.
    const longest = accessTokens.sign({ sub: user.id, email: '', role: user.role }).expiresAt - clock.now();
    return acceptErasure(tx, { userId: user.id, email: user.email, accessMs: longest + accessMarginMs });
  }

  return {
    async request(call) {
      const found = await findUserWithPassword(database, call.userId);
      if (found === null || found.user.disabledAtMs !== null) throw platformErrors.fault('UNAUTHENTICATED');
      const proved = await prove(found, call);
      await askKeepers(call.userId);
      const accepted = await database.transaction((tx) => accept(tx, proved, call.requestId));
      logger.info({ userId: call.userId }, 'an account was given up; what else is kept of it is being erased');
      return accepted;
    },
  };
}
