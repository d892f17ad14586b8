import { expect, test } from 'vitest';
import { outageMs } from '#modules/queue/ports.ts';
import { eventKeys } from '#modules/queue/storage/redis-keys.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { aDatabase } from '#test/kit/engines/database.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { freePort } from '#test/kit/engines/ports.ts';
import { ask, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { startTcpProxy } from '#test/kit/engines/tcp-proxy.ts';
import { eventually } from '#test/kit/faults.ts';
import { startUrrProcess } from '#test/kit/processes.ts';
import { createQueueCaller } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';

/** So long that nobody becomes absent by the machine's slowness. The test makes somebody so by hand. */
const absentMs = 600_000;
const env = {
  URR_QUEUE_THRESHOLD: '1',
  URR_QUEUE_ABSENT_SECONDS: String(absentMs / 1_000),
  URR_QUEUE_SEEN_TTL_SECONDS: '86400',
  URR_QUEUE_CLAIM_SECONDS: '300',
  URR_QUEUE_ADMISSION_INTERVAL_MS: '250',
  URR_RATE_POLL_PER_MINUTE: '1000000',
};

describeWith('redis', 'a process that cannot tell its signs of life', () => {
  test('makes nobody absent who polls there, while another process admits', async () => {
    const database = await aDatabase();
    const redis = await startRedis({ dir: await aFolder('silent-redis'), args: ['--appendonly', 'no'] });
    atEnd(() => redis.stop());
    const proxy = await startTcpProxy(redis.port);
    atEnd(() => proxy.close());
    const start = (url: string) =>
      startUrrProcess({ env: { ...env, URR_DATABASE_URL: database.url, URR_REDIS_URL: url } });
    const cutOff = await start(`redis://127.0.0.1:${proxy.port}`);
    const whole = await start(redis.url);
    const eventId = await aShowOnSale(whole.url);
    const here = createQueueCaller(eventId, () => cutOff.url);
    const elsewhere = createQueueCaller(eventId, () => whole.url);

    const shopper = aSignedIn();
    expect((await elsewhere.check(shopper)).answer?.status).toBe('active');
    const first = aSignedIn();
    const firstTicket = (await here.check(first)).answer?.ticket ?? '';
    const second = aSignedIn();
    const secondTicket = (await elsewhere.check(second)).answer?.ticket ?? '';
    const { meta, active, flushers, seen, parked } = eventKeys(eventId);
    await eventually(async () => (await ask(redis.port, 'ZCARD', flushers)) === 2, {
      withinMs: 60_000,
      what: 'both processes to say that they flush',
    });

    proxy.pointTo(await freePort());
    await eventually(async () => (await here.status(first, firstTicket)).answer?.stale === true, {
      withinMs: 60_000,
      what: 'polls to be answered without the store',
    });
    const lastWordMs = async () => {
      const [mostSilent] = (await ask(redis.port, 'ZRANGE', flushers, 0, 0, 'WITHSCORES')) as [string, string][];
      return Number(mostSilent?.[1]);
    };
    await eventually(async () => Date.now() - (await lastWordMs()) > outageMs, {
      withinMs: 60_000,
      what: 'the process to have been silent for long',
    });
    // Both poll on, but the store hears of one of them only. The other was last seen long ago, in a time in which nothing else
    // was away: only the silence of that process speaks for them.
    const longAgoMs = Date.now() - 2 * absentMs;
    await ask(redis.port, 'HSET', meta, 'seenFloorMs', longAgoMs);
    await ask(redis.port, 'ZADD', seen, 'XX', longAgoMs, first.userId);
    expect((await here.status(first, firstTicket)).answer).toMatchObject({ status: 'waiting', stale: true });
    expect((await elsewhere.status(second, secondTicket)).answer?.status).toBe('waiting');
    expect(Number(await ask(redis.port, 'ZSCORE', seen, first.userId))).toBe(longAgoMs);

    expect((await elsewhere.leave(shopper)).http).toBe(200);
    await eventually(async () => (await ask(redis.port, 'ZCARD', active)) === 1, {
      withinMs: 60_000,
      what: 'the next one to be admitted',
    });
    expect(await ask(redis.port, 'ZCARD', parked)).toBe(0);
    expect((await elsewhere.status(second, secondTicket)).answer?.status).toBe('waiting');

    proxy.pointTo(redis.port);
    await eventually(async () => (await here.status(first, firstTicket)).answer?.status === 'active', {
      withinMs: 60_000,
      what: 'the first in line to have the slot',
    });
    // A process that ends says so: nobody waits for its next word.
    await whole.stop();
    expect(await ask(redis.port, 'ZCARD', flushers)).toBe(1);
  });
});
