import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedisStore, type QueueStore } from '#modules/queue/index.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds, type Ids } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import type { Redis } from '#platform/redis/port.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { startRedis } from '#test/kit/engines/redis.ts';

export interface StoreAlone {
  readonly port: number;
  readonly redis: Redis;
  readonly store: QueueStore;
  readonly ids: Ids;
  /** A new event, which has begun. */
  begin(threshold: number): Promise<string>;
  stop(): Promise<void>;
}

const commandTimeoutMs = 30_000;

/** A server of its own, where no process but the benchmark admits anybody. */
export async function aStoreAlone(folder: string): Promise<StoreAlone> {
  const dir = join(folder, 'redis-alone');
  await mkdir(dir);
  const engine = await startRedis({ dir, args: ['--appendonly', 'no'] });
  const redis = createRedis({ url: engine.url, commandTimeoutMs, logger: silentLogger });
  const store = createRedisStore({ redis });
  const ids = createIds({ clock: systemClock, random: systemRandom });
  return {
    port: engine.port,
    redis,
    store,
    ids,
    async begin(threshold) {
      const eventId = ids.next();
      const settings = { threshold, paused: false, closed: false, message: null };
      const journaled = { slots: [], denied: [], spent: [], returned: [], sequence: 0, watermark: 0 };
      await store.begin({
        eventId,
        epoch: 1,
        era: 1,
        room: { on: false, era: 0, version: 0 },
        settings,
        ...journaled,
        recoveringMs: 0,
      });
      return eventId;
    },
    async stop() {
      await redis.close();
      await engine.stop();
    },
  };
}
