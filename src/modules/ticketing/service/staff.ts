import { platformErrors } from '#platform/errors.ts';
import type { Identity } from '#platform/http/identity.ts';
import type { EventBook, EventBooks } from '../ports.ts';

/** An event's own seller, and operators and admins for all of them. */
export function isStaffOf(user: Pick<Identity, 'userId' | 'role'>, { facts }: Pick<EventBook, 'facts'>): boolean {
  if (user.role === 'operator' || user.role === 'admin') return true;
  return user.role === 'seller' && facts.sellerId === user.userId;
}

/** Another seller's event looks like one that does not exist. */
export async function eventOfStaff(books: EventBooks, user: Identity, eventId: string): Promise<EventBook> {
  const book = await books.get(eventId);
  if (book === null || !isStaffOf(user, book)) throw platformErrors.fault('NOT_FOUND');
  return book;
}
