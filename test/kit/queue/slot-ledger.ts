import { Redis } from 'ioredis';

export interface SlotLedger {
  stop(): Promise<{ most: number; added: number }>;
}

/**
 * Follows every single change of one zset by the server's own notifications, so that no instant between two looks is
 * missed: notifications come in the order of the commands, those inside scripts included.
 */
export async function createSlotLedger(options: { url: string; key: string }): Promise<SlotLedger> {
  const settings = new Redis(options.url);
  await settings.config('SET', 'notify-keyspace-events', 'Kz');
  await settings.quit();
  const listener = new Redis(options.url);
  const counted = { now: 0, most: 0, added: 0 };
  listener.on('message', (_channel, event: string) => {
    if (event === 'zadd') {
      counted.now += 1;
      counted.added += 1;
    }
    if (event === 'zrem') counted.now -= 1;
    counted.most = Math.max(counted.most, counted.now);
  });
  await listener.subscribe(`__keyspace@0__:${options.key}`);
  return {
    async stop() {
      // Whatever was sent before this answer has arrived with it.
      await listener.unsubscribe();
      listener.disconnect();
      return { most: counted.most, added: counted.added };
    },
  };
}
