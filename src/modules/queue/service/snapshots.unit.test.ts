import { expect, test } from 'vitest';
import { platformErrors } from '#platform/errors.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { aClock } from '#test/kit/clock.ts';
import type { EventFacts, EventStates, QueueStore } from '../ports.ts';
import { aBegin } from '../storage/conformance/harness.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { createDenySet } from './deny-set.ts';
import { createSnapshots } from './snapshots.ts';

const hourMs = 3_600_000;

/** Events on open sale with nobody in them, and a store that notes which of them it is asked for. */
async function aProcess({ events, viewsMax }: { events: number; viewsMax?: number }) {
  const clock = aClock();
  const store = createMemoryStore({ clock });
  const ids = Array.from({ length: events }, (_, n) => `event-${n}`);
  for (const eventId of ids) await store.begin(aBegin(eventId, { nowMs: clock.now() }));
  const asked: string[] = [];
  const away = { on: false };
  const snapshot: QueueStore['snapshot'] = async (call) => {
    if (away.on) throw platformErrors.fault('STORE_UNAVAILABLE');
    asked.push(call.eventId);
    return store.snapshot(call);
  };
  const activeEvents = async () => {
    if (away.on) throw platformErrors.fault('STORE_UNAVAILABLE');
    return store.activeEvents();
  };
  const states: EventStates = {
    // Every event is there: nothing is ever lost.
    withState: async (_, call) => (await call({ mayGrant: async () => true })) as never,
    suspectLoss: async () => undefined,
  };
  const snapshots = createSnapshots({
    store: { ...store, snapshot, activeEvents },
    states,
    watch: { look: async () => () => true, events: () => [] } as unknown as Parameters<
      typeof createSnapshots
    >[0]['watch'],
    known: { get: async (eventId) => factsOf(eventId, clock.now()), onSale: () => [], isOver: () => false },
    denied: createDenySet({ clock }),
    clock,
    logger: silentLogger,
    flusher: { id: 'process', isFlushed: () => true },
    ...(viewsMax !== undefined && { viewsMax }),
  });
  return {
    clock,
    away,
    snapshots,
    enter: (eventId: string) =>
      store.enter({ eventId, userId: 'ann', mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 }),
    /** Which events the store was asked for meanwhile. */
    async during(act: () => Promise<unknown>): Promise<string[]> {
      asked.length = 0;
      await act();
      return [...asked].sort();
    },
    /** As the job does. */
    async seconds(count: number) {
      for (let second = 0; second < count; second++) {
        clock.advance(1_000);
        await snapshots.refreshAll();
      }
    },
  };
}

function factsOf(eventId: string, nowMs: number): EventFacts {
  const [opensAtMs, closesAtMs] = [nowMs - hourMs, nowMs + hourMs];
  const said = { title: 'A', artist: 'B', startsAt: '', queueEnabled: true, threshold: null, hot: false };
  return { eventId, ...said, opensAtMs, closesAtMs, cancelled: false, version: 1 };
}

test('events that are merely looked at cost one look each, and none afterwards', async () => {
  const { snapshots, during, seconds } = await aProcess({ events: 1_500 });
  const looks = await during(() => Promise.all(Array.from({ length: 1_500 }, (_, n) => snapshots.get(`event-${n}`))));
  expect(looks).toHaveLength(1_500);
  expect(await during(() => seconds(10))).toEqual([]);
});

test('an event in which somebody is, is looked at each second, and one that is asked for again when it is old', async () => {
  const { snapshots, during, seconds, enter } = await aProcess({ events: 3 });
  for (const eventId of ['event-0', 'event-1', 'event-2']) await snapshots.get(eventId);
  await enter('event-1');
  expect(await during(() => seconds(3))).toEqual(['event-1', 'event-1', 'event-1']);
  expect(snapshots.peek('event-1')?.snapshot.waiting).toBe(1);
  expect(snapshots.peek('event-0')).toBeUndefined();
  const asks = () => Promise.all([snapshots.get('event-0'), snapshots.get('event-0'), snapshots.get('event-0')]);
  expect(await during(asks)).toEqual(['event-0']);
  expect(snapshots.peek('event-0')).toBeDefined();
});

test('a clock that is set back makes nothing seem fresh', async () => {
  const { snapshots, during, clock } = await aProcess({ events: 1 });
  await snapshots.get('event-0');
  clock.setBack(hourMs);
  expect(snapshots.peek('event-0')).toBeDefined();
  clock.advance(2_000);
  expect(snapshots.peek('event-0')).toBeUndefined();
  expect(await during(() => snapshots.get('event-0'))).toEqual(['event-0']);
});

test('a new event always gets a view: the least used one gives way, those in which nobody is first', async () => {
  const { snapshots, seconds, clock, enter } = await aProcess({ events: 5, viewsMax: 3 });
  await enter('event-0');
  for (const eventId of ['event-0', 'event-1', 'event-2']) {
    await snapshots.get(eventId);
    clock.advance(100);
  }
  await seconds(1);
  await snapshots.get('event-1');
  const known = () => [...snapshots.views()].map(({ eventId }) => eventId).sort();
  clock.advance(100);
  await snapshots.get('event-3');
  expect(known()).toEqual(['event-0', 'event-1', 'event-3']);
  expect(snapshots.peek('event-3')).toBeDefined();
  await snapshots.get('event-4');
  expect(known()).toEqual(['event-0', 'event-3', 'event-4']);
});

test('beyond the bound those events are kept fresh that are asked for here', async () => {
  const { snapshots, during, seconds, enter } = await aProcess({ events: 6, viewsMax: 3 });
  for (let n = 0; n < 6; n++) await enter(`event-${n}`);
  await seconds(1);
  for (const eventId of ['event-4', 'event-5']) await snapshots.get(eventId);
  const looks = await during(() => seconds(1));
  expect(looks).toHaveLength(3);
  expect(looks).toEqual(expect.arrayContaining(['event-4', 'event-5']));
  expect(snapshots.peek('event-5')).toBeDefined();
});

test('while the store is away every view stays at hand, and comes back with it', async () => {
  const { snapshots, seconds, enter, away, during } = await aProcess({ events: 2 });
  await enter('event-0');
  await seconds(1);
  await snapshots.get('event-1');
  away.on = true;
  await seconds(90);
  expect([snapshots.peek('event-0')?.stale, snapshots.peek('event-1')?.stale]).toEqual([true, true]);
  away.on = false;
  expect(await during(() => seconds(1))).toContain('event-0');
  expect(snapshots.peek('event-0')?.stale).toBe(false);
});
