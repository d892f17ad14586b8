import { assertNever } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import {
  deriveSuccessor,
  encodeRefreshToken,
  hashRefreshToken,
  isRefreshToken,
  judgeRefresh,
  type RefreshPolicy,
} from '../domain/refresh.ts';
import type { User } from '../domain/user.ts';
import { authErrors } from '../errors.ts';
import type { AuthDeps } from '../ports.ts';
import { findToken, insertFamily, revokeFamily, revokeFamilyOfToken, spendToken } from '../storage/refresh-tokens.ts';
import { findUser } from '../storage/users.ts';

export interface Session {
  readonly user: User;
  readonly accessToken: string;
  readonly accessExpiresAtMs: number;
  readonly refreshToken: string;
  readonly refreshExpiresAtMs: number;
}

export interface Sessions {
  /** Begins a new family. `on`: the transaction that found the user, or the database. */
  open(on: Queryable, user: User): Promise<Session>;
  refresh(token: string | undefined): Promise<Session>;
  /** Ends the family of this token; any other token, or none, ends nothing and is no error. */
  close(token: string | undefined): Promise<void>;
}

type SessionDeps = Pick<AuthDeps, 'database' | 'ids' | 'random' | 'accessTokens' | 'logger'> & {
  readonly policy: RefreshPolicy;
};

const secretBytes = 32;
/** The second try is for a token that became live between the two reads (a user enabled again); there is no third reason. */
const triesMax = 2;

export function createSessions(deps: SessionDeps): Sessions {
  const { database, ids, random, accessTokens, logger, policy } = deps;

  function issue(user: User, refresh: { token: string; expiresAtMs: number }): Session {
    const access = accessTokens.sign({ sub: user.id, email: user.email, role: user.role });
    return {
      user,
      accessToken: access.token,
      accessExpiresAtMs: access.expiresAt,
      refreshToken: refresh.token,
      refreshExpiresAtMs: refresh.expiresAtMs,
    };
  }

  /** The user as of now, so that a changed role takes effect with the next access token. */
  async function issueTo(userId: string, refresh: { token: string; expiresAtMs: number }): Promise<Session> {
    const user = await findUser(database, userId);
    if (user === null || user.disabledAtMs !== null) throw authErrors.fault('REFRESH_INVALID');
    return issue(user, refresh);
  }

  async function rotate(token: string): Promise<Session | null> {
    const salt = random.bytes(secretBytes);
    const successor = deriveSuccessor(token, salt);
    const spent = await spendToken(database, {
      tokenHash: hashRefreshToken(token),
      successorHash: hashRefreshToken(successor),
      successorSalt: salt,
      policy,
    });
    return spent && issueTo(spent.userId, { token: successor, expiresAtMs: spent.expiresAtMs });
  }

  /** What to do with a token that could not be spent. Null: it can be, after all. */
  async function settle(token: string): Promise<Session | null> {
    const found = await findToken(database, hashRefreshToken(token));
    if (found === null) throw authErrors.fault('REFRESH_INVALID');
    const verdict = judgeRefresh(found, policy);
    switch (verdict.kind) {
      case 'rotate':
        return null;
      case 'repeat':
        return issueTo(found.userId, {
          token: deriveSuccessor(token, verdict.successorSalt),
          expiresAtMs: found.successorExpiresAtMs ?? found.expiresAtMs,
        });
      case 'superseded':
        throw authErrors.fault('REFRESH_SUPERSEDED');
      case 'reused':
        await revokeFamily(database, { id: found.familyId, reason: 'reused' });
        logger.warn(
          { userId: found.userId, familyId: found.familyId },
          'a spent refresh token came back; session revoked',
        );
        throw authErrors.fault('REFRESH_REUSED');
      case 'refused':
        throw authErrors.fault('REFRESH_INVALID');
      default:
        return assertNever(verdict);
    }
  }

  return {
    async open(on, user) {
      const token = encodeRefreshToken(random.bytes(secretBytes));
      const family = { id: ids.next(), userId: user.id, tokenHash: hashRefreshToken(token), policy };
      const issued = await insertFamily(on, family);
      return issue(user, { token, expiresAtMs: issued.expiresAtMs });
    },
    async refresh(token) {
      if (token === undefined || !isRefreshToken(token)) throw authErrors.fault('REFRESH_INVALID');
      for (let tried = 0; tried < triesMax; tried++) {
        const session = (await rotate(token)) ?? (await settle(token));
        if (session !== null) return session;
      }
      throw platformErrors.fault('CONFLICT');
    },
    async close(token) {
      if (token === undefined || !isRefreshToken(token)) return;
      await revokeFamilyOfToken(database, { hash: hashRefreshToken(token), reason: 'signed_out' });
    },
  };
}
