import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { BufferedEntryName, WithdrawnEntries } from '../ports.ts';

/** Longer than an entry stays on its topic. */
const keptHours = 25;
const pruneMax = 5_000;

export function createWithdrawnEntries(deps: { database: Pick<Database, 'query'>; logger: Logger }): WithdrawnEntries {
  const { database, logger } = deps;

  async function noted(eventId: string, userIds: readonly string[]): Promise<BufferedEntryName[]> {
    const { rows } = await database.query<{ user_id: string; requested_at: Date }>(
      'SELECT user_id, requested_at FROM queue.withdrawn_entries WHERE event_id = $1 AND user_id = ANY($2::text[])',
      [eventId, userIds],
    );
    return rows.map((row) => ({ userId: row.user_id, requestedAtMs: row.requested_at.getTime() }));
  }

  return {
    async note(eventId, { userId, requestedAtMs }) {
      await database.query(
        `INSERT INTO queue.withdrawn_entries (event_id, user_id, requested_at) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING`,
        [eventId, userId, new Date(requestedAtMs)],
      );
    },

    async among(eventId, entries) {
      const userIds = entries.map(({ userId }) => userId);
      const known = await noted(eventId, userIds).catch((error: unknown) => {
        logger.warn({ err: error, eventId }, 'nobody knows which buffered entries were withdrawn; all are placed');
        return [];
      });
      const withdrawn = new Set(known.map(keyOf));
      return (entry) => withdrawn.has(keyOf(entry));
    },

    async prune() {
      const { rowCount } = await database.query(
        `DELETE FROM queue.withdrawn_entries WHERE (event_id, user_id, requested_at) IN (
           SELECT event_id, user_id, requested_at FROM queue.withdrawn_entries
            WHERE noted_at < urr.now() - interval '${keptHours} hours' ORDER BY noted_at LIMIT ${pruneMax})`,
      );
      return rowCount;
    },
  };
}

function keyOf({ userId, requestedAtMs }: BufferedEntryName): string {
  return `${userId} ${requestedAtMs}`;
}
