import { expect, test } from 'vitest';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { createDeniedEntries } from './denied-entries.ts';
import { createDenySet } from './deny-set.ts';

test('a slot is denied until its own end and forgotten after it', () => {
  const clock = aClock();
  const denied = createDenySet({ clock });
  denied.add([{ slotId: 'a', untilMs: clock.now() + 1_000 }]);
  expect([denied.has('a'), denied.has('b')]).toEqual([true, false]);
  clock.advance(1_000);
  expect(denied.has('a')).toBe(false);
  denied.forgetEnded();
  clock.advance(-1_000);
  expect(denied.has('a')).toBe(false);
});

test('of too many slots those are forgotten that end first', () => {
  const clock = aClock();
  const denied = createDenySet({ clock });
  const slots = Array.from({ length: 200_003 }, (_, n) => ({
    slotId: `slot-${n}`,
    untilMs: clock.now() + 60_000 - (n % 7) * 1_000,
  }));
  denied.add(slots);
  const forgotten = slots.filter(({ slotId }) => !denied.has(slotId));
  expect(forgotten).toHaveLength(3);
  expect(new Set(forgotten.map(({ untilMs }) => untilMs))).toEqual(new Set([clock.now() + 54_000]));
  clock.advance(60_000);
  denied.forgetEnded();
  denied.add([{ slotId: 'slot-1', untilMs: clock.now() + 1_000 }]);
  expect(denied.has('slot-1')).toBe(true);
});

test('a gateway without the queue learns of slots that were given up, and survives a store that is away', async () => {
  const clock = aClock();
  const store = createMemoryStore({ clock });
  const [eventId, userId] = ['event', 'ann'];
  await store.begin({
    eventId,
    epoch: 1,
    era: 0,
    room: { on: false, era: 0, version: 0 },
    settings: { threshold: 5, paused: false, closed: false, message: null },
    slots: [],
    denied: [],
    spent: [],
    returned: [],
    sequence: 0,
    watermark: 0,
    recoveringMs: 0,
  });
  const entered = await store.enter({ eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 60_000 });
  if (entered.status !== 'active') throw new Error('there is room');
  const away = { on: false };
  const passedOn: number[] = [];
  const { denied, job } = createDeniedEntries({
    store: {
      activeEvents: () => (away.on ? Promise.reject(new Error('away')) : store.activeEvents()),
      async snapshot(call) {
        const snapshot = await store.snapshot(call);
        if (snapshot.status === 'ok') passedOn.push(snapshot.denied.length);
        return snapshot;
      },
    },
    clock,
    logger: silentLogger,
  });
  // The runner starts a job up to a tenth late.
  expect(job.everyMs * 1.1).toBeLessThan(1_000);
  const { signal } = new AbortController();
  await job.run(signal);
  expect(denied.has(entered.slot.slotId)).toBe(false);
  await store.leave({ eventId, userId });
  await job.run(signal);
  expect(denied.has(entered.slot.slotId)).toBe(true);
  await job.run(signal);
  // Before it left, when it was new, and when it was known.
  expect(passedOn).toEqual([0, 1, 0]);
  away.on = true;
  await expect(job.run(signal)).rejects.toThrow('away');
  expect(denied.has(entered.slot.slotId)).toBe(true);
});
