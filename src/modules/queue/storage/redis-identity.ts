import type { Redis } from '#platform/redis/port.ts';
import { createRedisServers } from '#platform/redis/servers.ts';
import { type QueueStore, StoreIsReplica } from '../ports.ts';
import { eventKeys, trialKey } from './redis-keys.ts';

const trialMs = 1_000;

/** Which server keeps an event, and which servers there are. */
export function createIdentity(
  redis: Redis,
): Pick<QueueStore, 'identity' | 'proveWritable' | 'servers' | 'connection' | 'reconnect'> {
  const servers = createRedisServers({ redis, replicaFault: (identity) => new StoreIsReplica(identity) });
  const keyOf = (eventId: string) => eventKeys(eventId).meta;
  return {
    identity: (eventId) => servers.identityOf(keyOf(eventId)),
    async servers() {
      const seen = await servers.look();
      return { ...seen, of: (eventId) => seen.of(keyOf(eventId)) };
    },
    connection: (eventId) => redis.connection(keyOf(eventId)),
    reconnect: redis.reconnect,
    async proveWritable(eventId) {
      await redis.command('SET', trialKey(eventId), '', 'PX', trialMs);
    },
  };
}
