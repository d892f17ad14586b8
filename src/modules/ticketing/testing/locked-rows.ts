import type { Database } from '#platform/postgres/database.ts';

export interface Lock {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Another session has these rows, or keys, in hand while `work` runs. */
export async function whileLocked<T>(database: Database, locks: readonly Lock[], work: () => Promise<T>): Promise<T> {
  const locked = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const holder = database.transaction(async (tx) => {
    for (const { text, values } of locks) await tx.query(text, values);
    locked.resolve();
    await done.promise;
  });
  try {
    await Promise.race([locked.promise, holder]);
    return await work();
  } finally {
    done.resolve();
    await holder;
  }
}

/** How many calls of this function of the database wait for a lock. */
export async function waitingCalls(database: Database, name: string): Promise<number> {
  const { rows } = await database.query<{ waiting: number }>(
    `SELECT count(*)::integer AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND wait_event_type = 'Lock' AND strpos(query, $1) > 0`,
    [`ticketing.${name}(`],
  );
  return rows[0]?.waiting ?? 0;
}

export const lockSeats = (eventId: string): Lock => ({
  text: 'SELECT FROM ticketing.seats WHERE event_id = $1 ORDER BY seat_no FOR UPDATE',
  values: [eventId],
});

export const lockShards = (ticketTypeId: string): Lock => ({
  text: 'SELECT FROM ticketing.shards WHERE ticket_type_id = $1 ORDER BY shard_no FOR UPDATE',
  values: [ticketTypeId],
});
