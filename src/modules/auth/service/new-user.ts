import { isoTime } from '#platform/clock.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import type { RegisteredVia, User } from '../domain/user.ts';
import type { AuthDeps } from '../ports.ts';
import { insertUser, type NewUser } from '../storage/users.ts';
import { userEventsTopic } from '../topics.ts';

/** The one way a user comes to be: the row, then its event, in one transaction. Null: the email is taken. */
export async function createUser(
  tx: Transaction,
  { bus, user, via }: { bus: AuthDeps['bus']; user: NewUser; via: RegisteredVia },
): Promise<User | null> {
  const created = await insertUser(tx, user);
  if (created === null) return null;
  const data = { userId: created.id, role: created.role, registeredAt: isoTime(created.createdAtMs), via };
  await bus.publish(tx, userEventsTopic, [{ type: 'USER_REGISTERED', key: created.id, data }]);
  return created;
}
