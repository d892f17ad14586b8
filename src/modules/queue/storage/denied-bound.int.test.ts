import { expect, it } from 'vitest';
import { atEnd } from '#test/kit/at-end.ts';
import { aClock } from '#test/kit/clock.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { deniedMax, type QueueStore } from '../ports.ts';
import { redisStores } from '../testing/redis-stores.ts';
import { aBegin, ids, present, startMs } from './conformance/harness.ts';
import { createMemoryStore } from './memory-store.ts';
import { eventKeys } from './redis-keys.ts';

const tooMany = 50;
const endMs = startMs + 600_000;
const step = { absentMs: 90_000, claimMs: 120_000, activeTtlMs: 600_000, activeSeenTtlMs: null };

async function deniedAfterStep(store: QueueStore, eventId: string): Promise<string[]> {
  await store.admit({ eventId, ...step, admitMax: 1, parkMax: 1, nowMs: startMs + 1 });
  const { denied } = present(await store.snapshot({ eventId, nowMs: startMs + 1 }));
  return denied.map(({ slotId }) => slotId);
}

it('people who enter and leave without end fill no more than the bound, in memory', async () => {
  const store = createMemoryStore({ clock: aClock() });
  const eventId = ids.next();
  const settings = { threshold: 1, paused: false, closed: false, message: null };
  await store.begin(aBegin(eventId, { settings }));
  let last = '';
  for (let n = 0; n < deniedMax + tooMany; n++) {
    const call = { eventId, userId: `user-${n}`, nowMs: startMs };
    const entered = await store.enter({ ...call, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 + n });
    if (entered.status === 'active') last = entered.slot.slotId;
    await store.leave(call);
  }
  const denied = await deniedAfterStep(store, eventId);
  expect(denied).toHaveLength(deniedMax);
  expect(denied).toContain(last);
});

describeWith('redis', 'in Redis', () => {
  it('they fill no more than the bound, and the last ones are denied', async () => {
    const { store, redis, close } = await redisStores.create();
    atEnd(async () => close?.());
    const eventId = ids.next();
    await store.begin(aBegin(eventId));
    const { denied: key, meta } = eventKeys(eventId);
    for (let serial = 1; serial <= deniedMax + tooMany; serial += 1_000) {
      const count = Math.min(1_000, deniedMax + tooMany + 1 - serial);
      const pairs = Array.from({ length: count }, (_, n) => [serial + n, `${endMs} slot-${serial + n}`]);
      await redis.command('ZADD', key, ...pairs.flat());
    }
    await redis.command('HSET', meta, 'denials', deniedMax + tooMany);
    const denied = await deniedAfterStep(store, eventId);
    expect(denied).toHaveLength(deniedMax);
    expect(denied).toContain(`slot-${deniedMax + tooMany}`);
    expect(denied).not.toContain(`slot-${tooMany}`);
    expect(await redis.command('ZCARD', key)).toBe(deniedMax);
  });
});
