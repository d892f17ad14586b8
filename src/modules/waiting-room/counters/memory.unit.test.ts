import { systemClock } from '#platform/clock.ts';
import { describeCounters } from './conformance.ts';
import { createMemoryCounters } from './memory.ts';

describeCounters('counters in memory', {
  async create() {
    const counters = createMemoryCounters({ clock: systemClock });
    return { counters, wipe: async () => counters.forget() };
  },
});
