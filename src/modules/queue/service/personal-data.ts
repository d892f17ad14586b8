import type { InternalHandlers } from '#platform/internal-call.ts';
import { auditSection, exportSections } from '#platform/personal-data.ts';
import type { personalDataCalls } from '#platform/personal-data-calls.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { queueInternalCalls } from '../internal-calls.ts';

/** The journal keeps slots for some minutes after their end and has no index by user: both tables stay small. */
const queries = {
  slots: `SELECT jsonb_build_object('eventId', event_id, 'endsAt', ends_at, 'claimed', claimed, 'endedAt', ended_at) AS item
    FROM queue.slots WHERE user_id = $1 ORDER BY ends_at DESC LIMIT $2`,
  withdrawnEntries: `SELECT jsonb_build_object('eventId', event_id, 'requestedAt', requested_at, 'withdrawnAt', noted_at) AS item
    FROM queue.withdrawn_entries WHERE user_id = $1 ORDER BY noted_at DESC LIMIT $2`,
  audit: auditSection('queue'),
};

const slotsMax = 100;

export function createPersonalData({
  database,
  endSlot,
}: {
  database: Database;
  endSlot: InternalHandlers<typeof queueInternalCalls>['endSlot'];
}): InternalHandlers<typeof personalDataCalls> {
  return {
    exportUser: ({ userId }) => exportSections(database, { userId, queries }),
    // A place in a queue is given up with the account.
    erasureObstacles: async () => ({ reasons: [] }),
    /** Names nobody by more than the id and forgets by itself. Slots go to those who wait. */
    async eraseUser({ userId }) {
      const { rows } = await database.query<{ eventId: string; slotId: string }>(
        `SELECT event_id AS "eventId", slot_id AS "slotId" FROM queue.slots
          WHERE user_id = $1 AND ended_at IS NULL AND ends_at > urr.now() LIMIT $2`,
        [userId, slotsMax],
      );
      for (const slot of rows) await endSlot({ ...slot, userId });
      return { erased: true };
    },
  };
}
