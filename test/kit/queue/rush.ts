import { createRedisStore } from '#modules/queue/storage/redis-store.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';

/**
 * A child process: enters its share of the crowd while it admits others, and gives slots back at once, so that each free
 * slot is fought for by all processes. Says when it is ready, is told what to do once all are, and tells when it is through.
 */
export interface RushOrder {
  readonly url: string;
  readonly eventId: string;
  readonly users: number;
  readonly entriesAtOnce: number;
}

export interface RushReport {
  /** The most slots that any step of this process said were live. */
  readonly mostActive: number;
  readonly shopped: number;
  readonly admitted: number;
  readonly error?: string;
}

const activeTtlMs = 60_000;
const step = {
  admitMax: 100,
  parkMax: 1_000,
  absentMs: 600_000,
  claimMs: 600_000,
  activeTtlMs,
  activeSeenTtlMs: null,
};

/** The first message of each process. Anyone who began alone would be through before the others had started. */
export type RushReady = 'ready';

process.once('message', (order: RushOrder) => {
  rush(order).then(
    (report) => process.send?.(report),
    (error: unknown) => process.send?.({ mostActive: 0, shopped: 0, admitted: 0, error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
process.send?.('ready' satisfies RushReady);

async function rush({ url, eventId, users, entriesAtOnce }: RushOrder): Promise<RushReport> {
  const redis = createRedis({ url, commandTimeoutMs: 30_000, logger: silentLogger });
  const store = createRedisStore({ redis });
  const ids = createIds({ clock: systemClock, random: systemRandom });
  const mine = Array.from({ length: users }, () => ids.next());
  const waiting = new Set<string>();
  let [mostActive, admitted, shopped, next] = [0, 0, 0, 0];

  async function enter(userId: string): Promise<void> {
    const call = { eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs } as const;
    const result = await store.enter(call);
    if (result.status === 'waiting') return void waiting.add(userId);
    if (result.status !== 'active') throw new Error(`${userId} is ${result.status}`);
    waiting.delete(userId);
    await store.leave({ eventId, userId });
    shopped += 1;
  }
  async function enterAll(): Promise<void> {
    for (let userId = mine[next++]; userId !== undefined; userId = mine[next++]) await enter(userId);
  }
  async function admit(): Promise<void> {
    while (shopped < users) {
      const result = await store.admit({ eventId, ...step });
      if (result.status !== 'ok') throw new Error(result.status);
      mostActive = Math.max(mostActive, result.active);
      admitted += result.admitted.length;
      const turn = [...waiting].slice(0, entriesAtOnce);
      await Promise.all(turn.map(enter));
    }
  }
  await Promise.all([...Array.from({ length: entriesAtOnce }, enterAll), admit()]);
  await redis.close();
  return { mostActive, shopped, admitted };
}
