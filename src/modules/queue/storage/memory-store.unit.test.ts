import { describe, expect, it } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { checkLaws, describeStore, type StoreFactory } from './conformance.ts';
import { createMemoryStore } from './memory-store.ts';

const memory: StoreFactory = {
  async create() {
    const store = createMemoryStore({ clock: aClock() });
    return { store, wipe: async () => store.wipe() };
  },
};

describeStore('the queues in memory', memory);

describe('the queues in memory, whatever happens', () => {
  it('keep the laws of the queue', async () => {
    const tally = await checkLaws({ subject: memory, runs: 600 });
    for (const [what, times] of Object.entries(tally)) expect(times, `how often ${what}`).toBeGreaterThan(0);
  });
});

describe('without a given time', () => {
  it('go by the clock of the process, and so does the lock', async () => {
    const clock = aClock();
    const store = createMemoryStore({ clock });
    const settings = { threshold: 1, paused: false, closed: false, message: null };
    const journaled = { slots: [], denied: [], spent: [], returned: [], sequence: 0, watermark: 0 };
    await store.begin({
      eventId: 'event',
      epoch: 1,
      era: 1,
      room: { on: false, era: 0, version: 0 },
      settings,
      ...journaled,
      recoveringMs: 0,
    });
    const call = {
      eventId: 'event',
      userId: 'ann',
      mode: 'enter',
      lane: 1,
      roomOn: false,
      activeTtlMs: 5_000,
    } as const;
    expect(await store.enter(call)).toMatchObject({ status: 'active', slot: { endsAtMs: clock.now() + 5_000 } });
    expect(await store.tryLock({ eventId: 'event', owner: 'one', ttlMs: 5_000 })).toBe(true);
    clock.advance(4_999);
    expect(await store.snapshot({ eventId: 'event' })).toMatchObject({ active: 1, atMs: clock.now() });
    expect(await store.tryLock({ eventId: 'event', owner: 'two', ttlMs: 5_000 })).toBe(false);
    clock.advance(1);
    expect(await store.snapshot({ eventId: 'event' })).toMatchObject({ active: 0 });
    expect(await store.tryLock({ eventId: 'event', owner: 'two', ttlMs: 5_000 })).toBe(true);
  });

  it('loses one event alone', async () => {
    const store = createMemoryStore({ clock: aClock() });
    const settings = { threshold: 1, paused: false, closed: false, message: null };
    const journaled = { slots: [], denied: [], spent: [], returned: [], sequence: 0, watermark: 0 };
    for (const eventId of ['one', 'two']) {
      await store.begin({
        eventId,
        epoch: 1,
        era: 1,
        room: { on: false, era: 0, version: 0 },
        settings,
        ...journaled,
        recoveringMs: 0,
      });
    }
    store.wipe('one');
    expect(await store.snapshot({ eventId: 'one' })).toEqual({ status: 'lost' });
    expect(await store.snapshot({ eventId: 'two' })).toMatchObject({ status: 'ok' });
  });
});
