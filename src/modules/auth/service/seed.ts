import type { Role } from '#platform/http/identity.ts';
import { parseEmail } from '../domain/profile.ts';
import type { User } from '../domain/user.ts';
import type { PasswordHasher } from '../passwords/hasher.ts';
import type { AuthDeps } from '../ports.ts';
import { findUsersByEmail, replacePasswordHash, setRole, type UserWithPassword } from '../storage/users.ts';
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

/** Users seeded before share a hash or two; trying more than that would cost more than a new one. */
const storedHashesTriedMax = 2;

/**
 * For demonstration data. Equal passwords share one hash, salt and all: the password is printed on the screen anyway, and
 * two dozen users then cost one hash instead of two dozen. The same holds for checking them at the second start.
 */
export function createSeeding(deps: Pick<AuthDeps, 'database' | 'bus' | 'ids'> & { hasher: PasswordHasher }): Seeding {
  const { database, bus, ids, hasher } = deps;

  async function findAll(emails: readonly string[]): Promise<Map<string, UserWithPassword>> {
    return new Map((await findUsersByEmail(database, emails)).map((found) => [found.user.email, found]));
  }

  async function create({ password, ...profile }: SeedUser, hashOf: HashOnce): Promise<User> {
    const user = { ...profile, id: ids.next(), passwordHash: await hashOf(password), emailVerified: false };
    const created = await database.transaction((tx) => createUser(tx, { bus, user, via: 'seed' }));
    // Null when another process seeds at the same moment: then it is as wanted already.
    const existing = created ?? (await findAll([profile.email])).get(profile.email)?.user;
    if (existing === undefined) throw new Error(`${profile.email} was neither created nor found`);
    return existing;
  }

  async function putRight({ user, passwordHash }: UserWithPassword, wanted: SeedUser, hashOf: HashOnce): Promise<User> {
    const passwordIsRight = passwordHash === (await hashOf(wanted.password));
    if (!passwordIsRight) {
      await replacePasswordHash(database, { userId: user.id, from: passwordHash, to: await hashOf(wanted.password) });
    }
    if (user.role === wanted.role) return user;
    return database.transaction((tx) => setRole(tx, { userId: user.id, role: wanted.role }));
  }

  return {
    async ensureUsers(given) {
      const users = given.map(normalise);
      const existing = await findAll(users.map((user) => user.email));
      const hashOf = hashOnce(hasher, [...existing.values()]);
      const ensured: User[] = [];
      for (const wanted of users) {
        const found = existing.get(wanted.email);
        ensured.push(found ? await putRight(found, wanted, hashOf) : await create(wanted, hashOf));
      }
      return ensured;
    },
  };
}

type HashOnce = (password: string) => Promise<string>;

/** The one hash for a password: that of an existing user if it matches, else a new one. */
function hashOnce(hasher: PasswordHasher, existing: readonly UserWithPassword[]): HashOnce {
  const stored = [...new Set(existing.flatMap(({ passwordHash }) => passwordHash ?? []))].slice(
    0,
    storedHashesTriedMax,
  );
  const known = new Map<string, Promise<string>>();
  const find = async (password: string) => {
    for (const hash of stored) if ((await hasher.check(password, hash)).matches) return hash;
    return hasher.hash(password);
  };
  return (password) => {
    const hash = known.get(password) ?? find(password);
    known.set(password, hash);
    return hash;
  };
}

/** In the spelling that signing in looks for. */
function normalise(user: SeedUser): SeedUser {
  const email = parseEmail(user.email);
  if (!email.ok) throw new Error(`${user.email} ${email.message}`);
  return { ...user, email: email.value, password: user.password.normalize('NFKC') };
}
