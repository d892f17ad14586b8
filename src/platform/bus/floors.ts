import type { Queryable } from '../postgres/database.ts';
import { type LaneName, laneKey } from './outbox.ts';

/**
 * Keeps the floors of lanes near the rows that are left to relay. A published row's index entry cannot be removed while
 * any transaction of the database is older than it, so without a floor a report that runs for an hour makes every look
 * pass over an hour of entries.
 *
 * An id may be below a floor only when its transaction has ended, else its row would appear there and never be seen. Who
 * writes to the outbox locks the table before it draws an id, and holds that lock to its end. So: read the last id that was
 * drawn, then who holds such a lock; when all of those have ended, every id up to that one is settled.
 */
export interface Floors {
  /** So many rows of this lane have left the index since its floor was raised. */
  left(lane: LaneName, rows: number): void;
  /** One step, if it is time and worth it. */
  raise(lanes: readonly LaneName[]): Promise<void>;
}

/** Passing over fewer entries costs less than raising the floor. */
const worthRows = 1_000;
const stepEveryMs = 250;

export function createFloors({ on }: { on: Pick<Queryable, 'query'> }): Floors {
  const leftByLane = new Map<string, number>();
  let nextStepAt = 0;
  let waitingFor: { readonly settled: number; readonly writers: readonly string[] } | null = null;

  /** A lane that is new here may have any number of entries. */
  const isDue = (lane: LaneName) => (leftByLane.get(laneKey(lane)) ?? worthRows) >= worthRows;

  return {
    left(lane, rows) {
      const key = laneKey(lane);
      leftByLane.set(key, (leftByLane.get(key) ?? worthRows) + rows);
    },
    async raise(lanes) {
      const due = lanes.filter(isDue);
      if (due.length === 0 || performance.now() < nextStepAt) return;
      nextStepAt = performance.now() + stepEveryMs;
      // In this order: who draws an id after the first look is not asked for by the second.
      const settled = waitingFor?.settled ?? (await lastIdDrawn(on));
      const writers = await writersOfOutbox(on);
      const open = waitingFor === null ? writers : waitingFor.writers.filter((writer) => writers.includes(writer));
      waitingFor = { settled, writers: open };
      if (open.length > 0) return;
      waitingFor = null;
      for (const lane of due) leftByLane.set(laneKey(lane), 0);
      await on.query('SELECT urr.raise_lane_floors($1::text[], $2::integer[], $3)', [
        due.map(({ topic }) => topic),
        due.map(({ partition }) => partition),
        settled,
      ]);
    },
  };
}

async function lastIdDrawn(on: Pick<Queryable, 'query'>): Promise<number> {
  const { rows } = await on.query<{ last_value: number }>('SELECT last_value FROM urr.outbox_id_seq');
  return rows[0]?.last_value ?? 0;
}

/** Transactions that have written to the outbox, or are about to, and have not ended. */
async function writersOfOutbox(on: Pick<Queryable, 'query'>): Promise<string[]> {
  const { rows } = await on.query<{ transaction: string }>(
    `SELECT DISTINCT virtualtransaction AS transaction FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'urr.outbox'::regclass AND granted AND pid IS DISTINCT FROM pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
  );
  return rows.map(({ transaction }) => transaction);
}
