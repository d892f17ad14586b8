import type { InternalHandlers } from '#platform/internal-call.ts';
import type { personalDataCalls } from '#platform/personal-data-calls.ts';
import type { TicketingDeps } from '../ports.ts';
import { bar, exportedTickets, standingOf } from '../storage/personal-data.ts';

/** What is kept of a user: ids, seats, amounts and times. They stay, since the ledger is checked against them; nobody can be found by them. */
export function createPersonalData({
  database,
}: Pick<TicketingDeps, 'database'>): InternalHandlers<typeof personalDataCalls> {
  return {
    exportUser: ({ userId }) => exportedTickets(database, userId),
    async erasureObstacles({ userId }) {
      const standing = await standingOf(database, userId);
      return {
        reasons: [
          ...(standing.has_holds ? ['live_holds'] : []),
          ...(standing.has_money_under_way ? ['money_under_way'] : []),
          ...(standing.has_tickets_to_come ? ['tickets_to_come'] : []),
        ],
      };
    },
    async eraseUser({ userId }) {
      await bar(database, userId);
      // Where the money goes back to is known to payments, which is asked only after this.
      return { erased: !(await standingOf(database, userId)).has_money_under_way };
    },
  };
}
