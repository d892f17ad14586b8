import type { Queryable } from '../postgres/database.ts';
import { type LaneName, laneKey } from './outbox.ts';

/**
 * Keeps the floors of lanes near the rows that are left to relay. A published row's index entry cannot be removed while
 * any transaction of the database is older than it, so without a floor a report that runs for an hour makes every look
 * pass over an hour of entries.
 *
 * An id may be below a floor only when its transaction has ended, else its row would appear there and never be seen. Who
 * writes to the outbox locks the table before it draws an id, and holds that lock to its end. So: read the last id that was
 * drawn, then who holds such a lock; when all of those have ended, every id up to that one is settled. What was read in
 * another session counts for nothing: after a crash of PostgreSQL the same ids are drawn once more.
 */
export interface Floors {
  /** So many rows of this lane have left the index since its floor was raised. */
  left(lane: LaneName, rows: number): void;
  /** One step, if it is time and worth it. */
  raise(lanes: readonly LaneName[]): Promise<void>;
}

/** Passing over fewer entries costs less than raising the floor. */
const worthRows = 1_000;

type Statements = Pick<Queryable, 'query'>;

interface LastId {
  /** The session that was asked. A crash ends it, and ids drawn before the crash may be drawn again after it. */
  readonly session: string;
  readonly last: number;
}

export function createFloors({ on, stepEveryMs = 250 }: { on: Statements; stepEveryMs?: number }): Floors {
  const leftByLane = new Map<string, number>();
  let nextStepAt = 0;
  let waitingFor: { readonly settled: LastId; readonly writers: readonly string[] } | null = null;

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
      const now = await writersOfOutbox(on);
      const known = waitingFor?.writers ?? now.writers;
      waitingFor = null;
      if (now.session !== settled.session || now.last < settled.last) return;
      const open = now.writers.filter((writer) => known.includes(writer) || isPrepared(writer));
      if (open.length > 0) {
        waitingFor = { settled, writers: open };
        return;
      }
      const { rows } = await on.query<{ raised: boolean }>(
        'SELECT urr.raise_lane_floors($1::text[], $2::integer[], $3, $4) AS raised',
        [due.map(({ topic }) => topic), due.map(({ partition }) => partition), settled.last, settled.session],
      );
      if (rows[0]?.raised === true) for (const lane of due) leftByLane.set(laneKey(lane), 0);
    },
  };
}

/** Lanes whose floor was above every id that was drawn, with that floor. It is 0 now, so that new rows are seen. */
export async function lowerLostFloors(on: Statements): Promise<(LaneName & { floor: number })[]> {
  const { rows } = await on.query<LaneName & { floor: number }>(
    'SELECT topic, partition, floor FROM urr.lower_lost_floors()',
  );
  return rows;
}

async function lastIdDrawn(on: Statements): Promise<LastId> {
  const { rows } = await on.query<LastId>('SELECT urr.session_name() AS session, urr.last_outbox_id() AS last');
  return rows[0] ?? { session: '', last: 0 };
}

/** Transactions that have written to the outbox, or are about to, and have not ended. */
async function writersOfOutbox(on: Statements): Promise<LastId & { writers: readonly string[] }> {
  const { rows } = await on.query<LastId & { writers: readonly string[] }>(
    `SELECT urr.session_name() AS session, urr.last_outbox_id() AS last, ARRAY(
       SELECT DISTINCT virtualtransaction FROM pg_locks
       WHERE locktype = 'relation' AND relation = 'urr.outbox'::regclass AND granted AND pid IS DISTINCT FROM pg_backend_pid()
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND mode IN ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS writers`,
  );
  return rows[0] ?? { session: '', last: 0, writers: [] };
}

/** PREPARE TRANSACTION gives a transaction this name in place of the one that it had. */
function isPrepared(writer: string): boolean {
  return writer.startsWith('-1/');
}
