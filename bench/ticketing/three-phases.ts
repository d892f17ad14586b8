import type { Database } from '#platform/postgres/database.ts';
import type { Redis } from '#platform/redis/port.ts';

export interface SeatWanted {
  readonly eventId: string;
  readonly seatId: string;
  readonly userId: string;
  /** Of this request. */
  readonly token: string;
}

const lockMs = 10_000;
const retryMs = 5;
const waitMaxMs = 10_000;

/** Frees the lock of this request only. KEYS: the lock. ARGV: its token. */
const unlock = {
  name: 'unlock',
  source: "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0",
  sha: '6fbe84d1140fd2047394924af9d845b83c070bec',
  readOnly: false,
};

/**
 * What most ticket shops do: a lock in Redis, then SELECT … FOR UPDATE, then an update that names the version. `waits`: for the lock,
 * as lock libraries do, so that everybody goes through all three; else anyone who meets the lock is refused at once. True: the seat is held.
 */
export async function holdInThreePhases(
  engines: { database: Database; redis: Redis; waits: boolean },
  wanted: SeatWanted,
): Promise<boolean> {
  const key = `bench:seat-lock:${wanted.eventId}:${wanted.seatId}`;
  if (!engines.waits) return holdUnderLock(engines, wanted, key);
  // Those of one process wait in line, which is quicker than asking Redis again and again.
  const turn = (lines.get(key) ?? Promise.resolve()).then(() => holdUnderLock(engines, wanted, key));
  lines.set(
    key,
    turn.catch(() => undefined),
  );
  return turn;
}

/** The last in line for each lock. */
const lines = new Map<string, Promise<unknown>>();

async function holdUnderLock(
  { database, redis, waits }: { database: Database; redis: Redis; waits: boolean },
  { eventId, seatId, userId, token }: SeatWanted,
  key: string,
): Promise<boolean> {
  const giveUpAtMs = performance.now() + waitMaxMs;
  while ((await redis.command('SET', key, token, 'NX', 'PX', lockMs)) === null) {
    if (!waits || performance.now() > giveUpAtMs) return false;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  try {
    return await database.transaction(async (tx) => {
      const { rows } = await tx.query<{ status: string; version: number }>(
        'SELECT status, version FROM bench.seats WHERE event_id = $1 AND seat_id = $2 FOR UPDATE',
        [eventId, seatId],
        { prepare: true },
      );
      const [seat] = rows;
      if (seat?.status !== 'available') return false;
      const { rowCount } = await tx.query(
        `UPDATE bench.seats SET status = 'held', user_id = $3, version = version + 1
         WHERE event_id = $1 AND seat_id = $2 AND version = $4`,
        [eventId, seatId, userId, seat.version],
        { prepare: true },
      );
      return rowCount === 1;
    });
  } finally {
    await redis.runScript(unlock, [key], [token]);
  }
}
