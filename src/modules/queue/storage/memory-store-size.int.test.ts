import { describe, expect, it } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import { keptHeapBytes } from '#test/kit/heap.ts';
import { packPlaceOrder } from '../domain/place-order.ts';
import { createMemoryStore } from './memory-store.ts';

const crowd = 1_000_000;
/** Guards against work that grows with the crowd, not limits of speed: a scan of a million takes far longer than either. */
const callMicrosecondsMax = 500;
const batchMicrosecondsMax = 50_000;
const bytesMax = 600;

const eventId = 'event';
const base = { eventId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 } as const;
const step = { absentMs: 90_000, claimMs: 120_000, activeTtlMs: 600_000, activeSeenTtlMs: null };

/** Every user once, far from the one before. */
const someone = (index: number) => `user ${(index * 7_919) % crowd}`;

describe('a million waiting in memory', () => {
  it('are entered, ranked, parked, admitted and forgotten at a cost that does not grow with them', async () => {
    const clock = aClock();
    const store = createMemoryStore({ clock });
    const settings = { threshold: 0, paused: false, closed: false, message: null };
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

    const heapBefore = keptHeapBytes();
    const entering = await cpuMicroseconds(crowd, (index) => {
      if (index % 10 === 0) clock.advance(1);
      return store.enter({ ...base, userId: `user ${index}` });
    });
    const bytes = (keptHeapBytes() - heapBefore) / crowd;
    expect(await store.enter({ ...base, userId: 'user 499999' })).toMatchObject({ position: 500_000 });
    clock.advance(1_000);

    const calls = {
      entering,
      looking: await cpuMicroseconds(20_000, (index) => store.enter({ ...base, mode: 'look', userId: someone(index) })),
      leaving: await cpuMicroseconds(10_000, (index) => store.leave({ eventId, userId: someone(index) })),
      'entering at an older order': await cpuMicroseconds(10_000, (index) => {
        const numbered = packPlaceOrder({ lane: 0, era: 1, number: 2 * crowd - index });
        return store.enter({ ...base, userId: `early ${index}`, numbered });
      }),
    };
    const { breakpoints } = ok(await store.snapshot({ eventId }));
    expect(breakpoints.at(-1)?.rank).toBe(crowd);

    await store.configure({ eventId, changes: { threshold: crowd } });
    const admit = (limits: { admitMax: number; parkMax: number }) => store.admit({ eventId, ...step, ...limits });
    const batches = {
      'a snapshot': await cpuMicroseconds(20, () => store.snapshot({ eventId })),
      'touching 500': await cpuMicroseconds(40, (index) => {
        return store.touch({ eventId, userIds: Array.from({ length: 500 }, (_, n) => someone(index * 500 + n)) });
      }),
      'admitting 100': await cpuMicroseconds(200, () => admit({ admitMax: 100, parkMax: 1_000 })),
      'parking 1,000': await cpuMicroseconds(100, async (index) => {
        for (let ms = 0; index === 0 && ms < 90_000; ms += 5_000) {
          clock.advance(5_000);
          await admit({ admitMax: 0, parkMax: 1 });
        }
        expect(ok(await admit({ admitMax: 100, parkMax: 1_000 })).parked).toBe(1_000);
      }),
      'forgetting 1,000': await cpuMicroseconds(100, () => store.forget({ eventId, seenTtlMs: 1, limit: 1_000 })),
    };
    expect(ok(await store.snapshot({ eventId })).totals).toMatchObject({ admitted: 20_000, forgotten: 100_000 });

    for (const [what, cost] of Object.entries(calls)) expect(cost, what).toBeLessThan(callMicrosecondsMax);
    for (const [what, cost] of Object.entries(batches)) expect(cost, what).toBeLessThan(batchMicrosecondsMax);
    expect(bytes).toBeLessThan(bytesMax);
  });
});

/** Of the processor and not of the wall: a busy machine must not turn a correct test red. */
async function cpuMicroseconds(times: number, call: (index: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) await call(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

function ok<Answer extends { status: string }>(answer: Answer): Exclude<Answer, { status: 'lost' }> {
  expect(answer.status).toBe('ok');
  // The line above has ruled the other member of the union out.
  return answer as Exclude<Answer, { status: 'lost' }>;
}
