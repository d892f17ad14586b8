import type { Role } from '#platform/http/identity.ts';
import { parseEmail } from '../domain/profile.ts';
import type { User } from '../domain/user.ts';
import type { PasswordHasher } from '../passwords/hasher.ts';
import type { AuthDeps } from '../ports.ts';
import { findUsersByEmail, replacePasswordHash, setRole } from '../storage/users.ts';
import { createUser } from './new-user.ts';

export interface SeedUser {
  readonly email: string;
  readonly password: string;
  readonly name: string;
  readonly role: Role;
}

export interface Seeding {
  /** Makes sure that these users exist with this role and password, and answers with them in the same order. */
  ensureUsers(users: readonly SeedUser[]): Promise<User[]>;
}

/**
 * For demonstration data. Equal passwords share one hash, salt and all: the password is printed on the screen anyway, and
 * two dozen users then cost one hash instead of two dozen. The same holds for checking them at the second start.
 */
export function createSeeding(deps: Pick<AuthDeps, 'database' | 'bus' | 'ids'> & { hasher: PasswordHasher }): Seeding {
  const { database, bus, ids, hasher } = deps;
  return {
    async ensureUsers(given) {
      const users = given.map(normalise);
      const hashOf = remember((password: string) => hasher.hash(password));
      const isRight = remember(async (key: string) => {
        const { password, stored } = JSON.parse(key) as { password: string; stored: string | null };
        return (await hasher.check(password, stored)).matches;
      });
      const existing = new Map(
        (
          await findUsersByEmail(
            database,
            users.map((user) => user.email),
          )
        ).map((found) => [found.user.email, found]),
      );
      const ensured: User[] = [];
      for (const wanted of users) {
        const found = existing.get(wanted.email);
        if (found === undefined) {
          const { password, ...profile } = wanted;
          const user = { ...profile, id: ids.next(), passwordHash: await hashOf(password), emailVerified: false };
          const created = await database.transaction((tx) => createUser(tx, { bus, user, via: 'seed' }));
          // Another process seeds at the same moment: then it is as wanted already.
          ensured.push(created ?? (await findExisting(wanted.email)));
          continue;
        }
        if (!(await isRight(JSON.stringify({ password: wanted.password, stored: found.passwordHash })))) {
          const change = { userId: found.user.id, from: found.passwordHash, to: await hashOf(wanted.password) };
          await replacePasswordHash(database, change);
        }
        const differs = found.user.role !== wanted.role;
        ensured.push(
          differs
            ? await database.transaction((tx) => setRole(tx, { userId: found.user.id, role: wanted.role }))
            : found.user,
        );
      }
      return ensured;
    },
  };

  async function findExisting(email: string): Promise<User> {
    const [found] = await findUsersByEmail(database, [email]);
    if (found === undefined) throw new Error(`user ${email} was neither created nor found`);
    return found.user;
  }
}

/** In the spelling that signing in looks for. */
function normalise(user: SeedUser): SeedUser {
  const email = parseEmail(user.email);
  if (!email.ok) throw new Error(`${user.email} ${email.message}`);
  return { ...user, email: email.value, password: user.password.normalize('NFKC') };
}

function remember<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const promise = known.get(key) ?? work(key);
    known.set(key, promise);
    return promise;
  };
}
