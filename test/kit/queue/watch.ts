import { eventKeys } from '#modules/queue/storage/redis-keys.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';

export interface SlotWatch {
  readonly most: number;
  readonly samples: number;
  stop(): Promise<void>;
}

const liveSlots = `local time = redis.call('TIME')
return redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), '+inf')`;

/** Counts the live slots inside the store, over and over, each time in one atomic step. */
export function watchSlots(options: { url: string; eventId: string; everyMs: number }): SlotWatch {
  const redis = createRedis({ url: options.url, commandTimeoutMs: 5_000, logger: silentLogger });
  const watch = { most: 0, samples: 0, stop };
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      const live = await redis.command('EVAL', liveSlots, 1, eventKeys(options.eventId).active).catch(() => null);
      if (live !== null) watch.samples += 1;
      watch.most = Math.max(watch.most, Number(live));
      await new Promise((next) => setTimeout(next, options.everyMs));
    }
  })();
  async function stop(): Promise<void> {
    stopped = true;
    await running;
    await redis.close();
  }
  return watch;
}
