import { expect, it } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { redisClusterStores, redisStores } from '../testing/redis-stores.ts';
import { compareStores, type StoreFactory, type Tally } from './conformance.ts';
import { createMemoryStore } from './memory-store.ts';

const model: StoreFactory = {
  async create() {
    const store = createMemoryStore({ clock: aClock() });
    return { store, wipe: async () => store.wipe() };
  },
};

/** Finding the shortest operations that fail takes many more runs, and they must not be cut off before they are printed. */
const timeout = 900_000;

/** A failure prints `seed` and `path`; given here beside `runs` they play the same operations again. */
describeWith('redis', 'any operations, times and losses are answered as the memory store answers them', () => {
  it('by Redis', { timeout }, async () => {
    expectEverythingHappened(await compareStores({ model, subject: redisStores, runs: 150 }));
  });

  it('by a Redis Cluster of three', { timeout }, async () => {
    const tally = await compareStores({ model, subject: redisClusterStores, runs: 30 });
    // So few runs that the rarest of them need not occur.
    const { admitted, parked, returned, restored, crowded, over, lost, merged } = tally;
    expectEverythingHappened({ admitted, parked, returned, restored, crowded, over, lost, merged });
  });
});

/** Stores that never come to where the laws matter agree, too. */
function expectEverythingHappened(tally: Partial<Tally>): void {
  for (const [what, times] of Object.entries(tally)) expect(times, `how often ${what}`).toBeGreaterThan(0);
}
