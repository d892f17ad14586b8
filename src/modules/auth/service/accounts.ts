import { platformErrors } from '#platform/errors.ts';
import { attemptAddress } from '../domain/address.ts';
import { type Parsed, parseEmail, parseName, parsePassword } from '../domain/profile.ts';
import type { User } from '../domain/user.ts';
import { authErrors } from '../errors.ts';
import type { SignInGate } from '../passwords/gate.ts';
import type { PasswordHasher } from '../passwords/hasher.ts';
import type { AuthDeps } from '../ports.ts';
import type { SignInAttempts } from '../storage/sign-in-attempts.ts';
import {
  findUsersByEmail,
  holdUserWithPassword,
  replacePasswordHash,
  type UserWithPassword,
} from '../storage/users.ts';
import type { Devices } from './devices.ts';
import { createUser } from './new-user.ts';
import type { Session, Sessions } from './sessions.ts';

export interface Accounts {
  register(input: { email: string; password: string; name: string }): Promise<User>;
  login(input: LoginInput): Promise<Session>;
  /** Of somebody who is signed in and says the password once more. Null: it is wrong. */
  checkOwnPassword(input: { email: string; password: string; ip: string }): Promise<UserWithPassword | null>;
}

export interface LoginInput {
  readonly email: string;
  readonly password: string;
  readonly ip: string;
  /** The proofs that this browser sent for the account of this email. One of them may be good. */
  readonly deviceTokens?: (email: string) => readonly string[];
}

type AccountDeps = Pick<AuthDeps, 'database' | 'bus' | 'ids' | 'logger'> & {
  readonly hasher: PasswordHasher;
  readonly gate: SignInGate;
  readonly attempts: SignInAttempts;
  readonly devices: Devices;
  readonly sessions: Sessions;
};

export function createAccounts(deps: AccountDeps): Accounts {
  const { database, bus, ids, logger, hasher, gate, attempts, devices, sessions } = deps;

  /** Exactly one hash whatever is known about the email, so that neither time nor load tells whether it exists. */
  async function checkPassword(email: string, password: string): Promise<UserWithPassword | null> {
    const [found] = await findUsersByEmail(database, [email]);
    const { matches, outdated } = await hasher.check(password, found?.passwordHash ?? null);
    if (found === undefined || !matches) return null;
    return outdated ? strengthen(found, password) : found;
  }

  /** Only the owner of the right password gets here, and signing in does not depend on it. */
  async function strengthen(found: UserWithPassword, password: string): Promise<UserWithPassword> {
    const { user, passwordHash } = found;
    const stronger = await hasher.hash(password);
    // Somebody who signs in twice at once does this twice; the slower one goes on with what the faster one stored.
    if (!(await replacePasswordHash(database, { userId: user.id, from: passwordHash, to: stronger }))) {
      const [now] = await findUsersByEmail(database, [user.email]);
      return now && (await hasher.check(password, now.passwordHash)).matches ? now : found;
    }
    logger.info({ userId: user.id }, 'password hash made anew at a higher cost');
    return { user, passwordHash: stronger };
  }

  /** A guess like any other: it is counted before it is looked at. */
  async function countedCheck(guess: {
    email: string;
    password: string;
    ip: string;
    deviceId: string | null;
  }): Promise<UserWithPassword | null> {
    const { email, password, ip, deviceId } = guess;
    const attempt = await attempts.begin({ email, address: attemptAddress(ip), deviceId });
    if (attempt.status === 'blocked') {
      throw authErrors.fault('TOO_MANY_ATTEMPTS', { retryAfterSeconds: Math.ceil(attempt.waitMs / 1000) });
    }
    let found: UserWithPassword | null;
    try {
      found = await checkPassword(email, password);
    } catch (error) {
      await attempt.close('withdrawn');
      throw error;
    }
    await attempt.close(found === null ? 'failed' : 'succeeded');
    return found;
  }

  /** Checking took a while, and the password or the account may have been taken away meanwhile. */
  function openSession({ user: { id: userId }, passwordHash }: UserWithPassword): Promise<Session> {
    return database.transaction(async (tx) => {
      const user = await holdUserWithPassword(tx, { userId, passwordHash });
      if (user === null) throw authErrors.fault('INVALID_CREDENTIALS');
      if (user.disabledAtMs !== null) throw authErrors.fault('ACCOUNT_DISABLED');
      return sessions.open(tx, user);
    });
  }

  return {
    async register(input) {
      const { email, password, name } = parseFields({
        email: parseEmail(input.email),
        password: parsePassword(input.password),
        name: parseName(input.name),
      });
      return gate.run(async () => {
        // Before the email is looked at: a taken one must cost the same.
        const passwordHash = await hasher.hash(password);
        const user = { id: ids.next(), email, name, role: 'buyer', passwordHash, emailVerified: false } as const;
        const created = await database.transaction((tx) => createUser(tx, { bus, user, via: 'password' }));
        if (created === null) throw authErrors.fault('EMAIL_TAKEN');
        return created;
      });
    },

    checkOwnPassword: ({ email, password, ip }) =>
      gate.run(() => countedCheck({ email, password: password.normalize('NFKC'), ip, deviceId: null })),

    async login(input) {
      const { email } = parseFields({ email: parseEmail(input.email) });
      const password = input.password.normalize('NFKC');
      return gate.run(async () => {
        const deviceId = devices.recognise(email, input.deviceTokens?.(email) ?? []);
        const found = await countedCheck({ email, password, ip: input.ip, deviceId });
        if (found === null) throw authErrors.fault('INVALID_CREDENTIALS');
        return openSession(found);
      });
    },
  };
}

/** All that is wrong with the fields, together. */
function parseFields<Name extends string>(fields: Record<Name, Parsed>): Record<Name, string> {
  const errors: { field: string; message: string }[] = [];
  const values: Partial<Record<Name, string>> = {};
  for (const [name, parsed] of Object.entries(fields) as [Name, Parsed][]) {
    if (parsed.ok) values[name] = parsed.value;
    else errors.push({ field: `body.${name}`, message: parsed.message });
  }
  if (errors.length > 0) {
    const detail = errors.map((error) => `${error.field} ${error.message}`).join('; ');
    throw platformErrors.fault('VALIDATION_FAILED', { detail, extensions: { errors } });
  }
  // Every name either has a value or made an error above.
  return values as Record<Name, string>;
}
