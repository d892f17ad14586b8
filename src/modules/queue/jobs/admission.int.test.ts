import { expect, test } from 'vitest';
import type { QueueConfig, QueueJournal, QueueStore, Slot } from '../ports.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import { snapshotOf } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { activeUsers, anAdmission, enterAll, ticks, usersOf } from '../testing/an-admission.ts';
import { aQueueProcess, someEventFacts } from '../testing/queue-processes.ts';

const { journal } = await aJournal();

const aSetting = (config: Partial<QueueConfig> = {}) => anAdmission(journal, config);

test('people are admitted in order as slots come free, and the journal has every slot', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 3 });
  const process = start();
  const users = usersOf(6);
  await enterAll(process, eventId, users);
  await process.tick();
  expect(await activeUsers(memory, eventId, users)).toEqual(users.slice(0, 3));
  await memory.leave({ eventId, userId: 'user-1' });
  await ticks(process, clock, 1);
  expect(await activeUsers(memory, eventId, users)).toEqual(['user-0', 'user-2', 'user-3']);
  const { slots } = await journal.load(eventId);
  expect(slots.map(({ userId }) => userId).sort()).toEqual(['user-0', 'user-2', 'user-3']);
  expect(await memory.changes({ eventId, limit: 10 })).toMatchObject({ changes: [], backlog: 0 });
});

test('after everything is lost with 100 shoppers, no old ticket gives a second slot and no more than the threshold shop', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 100 });
  const [one, two] = [start(), start()];
  const shoppers = usersOf(100, 'shopper');
  const waiters = usersOf(50, 'waiter');
  const tickets = await enterAll(one, eventId, [...shoppers, ...waiters]);
  await ticks(one, clock, 1);
  const everybody = [...shoppers, ...waiters];
  expect(await activeUsers(memory, eventId, everybody)).toEqual(shoppers);
  // Ten shoppers are done before the loss: their tickets are worth nothing any more.
  for (const userId of shoppers.slice(0, 10)) await memory.leave({ eventId, userId });
  await ticks(two, clock, 1);
  const shopping = await activeUsers(memory, eventId, everybody);
  expect(shopping).toEqual([...shoppers.slice(10), ...waiters.slice(0, 10)]);
  const before = await Promise.all(shopping.map((userId) => memory.trace({ eventId, userId })));

  memory.wipe();
  const again = await Promise.all(
    everybody.map((user, n) => (n % 2 ? one : two).enter(eventId, user, tickets.get(user))),
  );
  expect(await activeUsers(memory, eventId, everybody)).toEqual(shopping);
  const slotIds = (traces: readonly { status: string }[]) =>
    traces.map((trace) => ('slot' in trace ? (trace.slot as Slot | null)?.slotId : undefined));
  const after = await Promise.all(shopping.map((userId) => memory.trace({ eventId, userId })));
  expect(slotIds(after)).toEqual(slotIds(before));
  // Those who were done are new people at the very end; those who waited stand where they stood.
  expect(again.slice(110).map((result) => result.status === 'waiting' && result.order)).toEqual(
    waiters.slice(10).map((user) => tickets.get(user)),
  );
  const spent = again.slice(0, 10).map((result) => (result.status === 'waiting' ? result.order : 0));
  expect(Math.min(...spent)).toBeGreaterThan(Math.max(...tickets.values()));

  for (let second = 0; second < 100; second++) {
    await ticks(second % 2 ? one : two, clock, 1);
    expect((await snapshotOf(memory, eventId)).active).toBeLessThanOrEqual(100);
  }
  expect(await activeUsers(memory, eventId, everybody)).toEqual(shopping);
});

test('newcomers neither count for those who are still missing nor hide that these are back', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 10 });
  const process = start();
  const waiters = usersOf(60, 'waiter');
  const shoppers = usersOf(10, 'shopper');
  const tickets = await enterAll(process, eventId, [...shoppers, ...waiters]);
  await ticks(process, clock, 1);
  await memory.leave({ eventId, userId: 'shopper-0' });
  await memory.configure({ eventId, changes: { paused: true } });
  await ticks(process, clock, 1);
  memory.wipe();
  await enterAll(process, eventId, usersOf(80, 'newcomer'));
  await ticks(process, clock, 10);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ recovering: true, active: 9 });
  await enterAll(process, eventId, waiters.slice(1), tickets);
  await ticks(process, clock, 2);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ recovering: true });
  await enterAll(process, eventId, waiters.slice(0, 1), tickets);
  await ticks(process, clock, 2);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ recovering: false });
  expect(await activeUsers(memory, eventId, waiters)).toEqual(['waiter-0']);
});

test('recovery of a crowd that is back ends after seconds', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 10 });
  const process = start();
  const waiters = usersOf(60, 'waiter');
  const tickets = await enterAll(process, eventId, [...usersOf(10, 'shopper'), ...waiters]);
  await ticks(process, clock, 1);
  memory.wipe();
  await enterAll(process, eventId, waiters, tickets);
  await ticks(process, clock, 4);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ recovering: true });
  await ticks(process, clock, 4);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ recovering: false, waiting: 60 });
});

test('slots admitted in the very step in which the store is lost are not given again', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 5 });
  const other = start();
  const users = usersOf(20);
  let armed = false;
  const store: QueueStore = {
    ...memory,
    async admit(call) {
      const result = await memory.admit(call);
      if (armed && result.status === 'ok' && result.admitted.length > 0) {
        armed = false;
        memory.wipe();
        // Another process brings the event back before this one has written what it admitted.
        await other.enter(eventId, 'somebody');
      }
      return result;
    },
  };
  const admitted: Slot[] = [];
  const observe = { admitted: (_: string, slots: readonly Slot[]) => void admitted.push(...slots) };
  const process = start({ store, admission: { observe } });
  const tickets = await enterAll(process, eventId, users);
  await ticks(process, clock, 1);
  for (const userId of ['user-0', 'user-1']) await memory.leave({ eventId, userId });
  armed = true;
  await ticks(process, clock, 1);
  expect(armed).toBe(false);
  expect(admitted.map(({ userId }) => userId)).toEqual(['user-5', 'user-6']);
  await enterAll(other, eventId, users, tickets);
  expect(await activeUsers(memory, eventId, users)).toEqual(users.slice(2, 7));
  await ticks(process, clock, 80);
  expect((await snapshotOf(memory, eventId)).active).toBe(5);
});

test('a process that dies after any step leaves nothing undone for the next one', async () => {
  const dies = () => Promise.reject(new Error('killed'));
  const deaths: ((memory: MemoryStore) => { store?: QueueStore; journal?: QueueJournal })[] = [
    (memory) => ({ store: { ...memory, admit: (call) => memory.admit(call).then(dies) } }),
    () => ({ journal: { ...journal, write: (...batch) => journal.write(...batch).then(dies) } }),
    (memory) => ({ store: { ...memory, acknowledge: dies } }),
    (memory) => ({ store: { ...memory, acknowledge: (call) => memory.acknowledge(call).then(dies) } }),
  ];
  for (const die of deaths) {
    const { clock, memory, eventId, start } = aSetting({ threshold: 2 });
    const users = usersOf(5);
    await enterAll(start(), eventId, users);
    await memory.leave({ eventId, userId: 'user-0' });
    await start(die(memory)).tick();
    clock.advance(10_000);
    const survivor = start();
    await survivor.tick();
    expect(await activeUsers(memory, eventId, users)).toEqual(['user-1', 'user-2']);
    expect((await journal.load(eventId)).slots.map(({ userId }) => userId).sort()).toEqual(['user-1', 'user-2']);
    expect(await memory.changes({ eventId, limit: 10 })).toMatchObject({ backlog: 0 });
  }
});

test('two processes that journal the same changes at once drop none', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 50 });
  const [one, two] = [start(), start()];
  await enterAll(one, eventId, usersOf(200));
  // Without the locks, as if they had run out.
  const store: QueueStore = { ...memory, tryLock: async () => true };
  const unlocked = [start({ store }), start({ store }), start({ store })];
  for (let n = 0; n < 10; n++) {
    clock.advance(1_000);
    const leaving = usersOf(200).slice(n * 5, n * 5 + 5);
    await Promise.all([
      ...unlocked.map((process) => process.tick()),
      ...leaving.map((userId) => memory.leave({ eventId, userId })),
    ]);
  }
  await ticks(two, clock, 2);
  const users = usersOf(200);
  const active = await activeUsers(memory, eventId, users);
  expect(active).toHaveLength(50);
  const { slots } = await journal.load(eventId);
  expect(slots.map(({ userId }) => userId).sort()).toEqual([...active].sort());
});

test('several processes keep the pace of one', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 1_000, admissionBatch: 10 });
  const processes = [start(), start(), start(), start()];
  await memory.snapshot({ eventId });
  const [first] = processes;
  if (first === undefined) throw new Error('none');
  await first.enter(eventId, 'opener');
  await memory.configure({ eventId, changes: { paused: true } });
  await enterAll(first, eventId, usersOf(200));
  await memory.configure({ eventId, changes: { paused: false } });
  for (let n = 0; n < 5; n++) {
    clock.advance(1_000);
    await Promise.all(processes.map((process) => process.tick()));
  }
  expect((await snapshotOf(memory, eventId)).active).toBe(1 + 50);
});

test('however long the interval: the absent are passed over, and the journal is written each second', async () => {
  for (const admission of [
    { pace: { mode: 'fixed', intervalMs: 10_000, shortIntervalMs: 1_000, longIntervalMs: 1_000, batch: 100 } },
    { pace: { mode: 'adaptive', intervalMs: 1_000, shortIntervalMs: 1_000, longIntervalMs: 10_000, batch: 100 } },
  ] as const) {
    const { clock, memory, eventId, start } = aSetting({ threshold: 1 });
    const process = start({ admission });
    await enterAll(process, eventId, ['shopper', 'asleep', 'awake']);
    for (let second = 1; second <= 101; second++) {
      clock.advance(1_000);
      await memory.touch({ eventId, userIds: ['awake'] });
      if (second === 95) await memory.leave({ eventId, userId: 'shopper' });
      await process.tick();
      expect(await memory.changes({ eventId, limit: 0 })).toMatchObject({ backlog: 0 });
    }
    expect(process.admission.everyMs).toBe(1_000);
    expect(await activeUsers(memory, eventId, ['asleep', 'awake'])).toEqual(['awake']);
    expect((await journal.load(eventId)).slots.map(({ userId }) => userId)).toEqual(['awake']);
  }
});

test('a long interval is kept, and not a beat early', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 1_000 });
  const pace = { mode: 'fixed', intervalMs: 5_000, shortIntervalMs: 50, longIntervalMs: 50, batch: 1 } as const;
  const processes = [start({ admission: { pace } }), start({ admission: { pace } })];
  const [first] = processes;
  await first?.enter(eventId, 'opener');
  await memory.configure({ eventId, changes: { paused: true } });
  if (first !== undefined) await enterAll(first, eventId, usersOf(20));
  await memory.configure({ eventId, changes: { paused: false } });
  for (let second = 0; second < 50; second++) {
    clock.advance(1_000);
    for (const process of processes) await process.tick();
  }
  expect((await snapshotOf(memory, eventId)).active).toBe(1 + 10);
});

test('twenty thousand absent heads delay the present ones by a tick', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 1 });
  const process = start();
  await process.enter(eventId, 'shopper');
  await process.tick();
  for (const userId of usersOf(20_000, 'asleep')) {
    await memory.enter({ eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 600_000 });
  }
  for (let n = 0; n < 100; n++) {
    clock.advance(1_000);
    await memory.touch({ eventId, userIds: ['shopper'] });
    await process.tick();
  }
  await process.enter(eventId, 'awake');
  await memory.leave({ eventId, userId: 'shopper' });
  await ticks(process, clock, 2);
  expect(await activeUsers(memory, eventId, ['awake'])).toEqual(['awake']);
});

test('an orphaned queue is found by the events on sale', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 1 });
  const process = start();
  await enterAll(process, eventId, usersOf(2));
  await process.tick();
  memory.wipe();
  await ticks(process, clock, 11);
  expect(await snapshotOf(memory, eventId)).toMatchObject({ epoch: 2, active: 1 });
});

test('the store follows a threshold that the seller changes, and the operator has the last word', async () => {
  const { clock, memory, eventId } = aSetting();
  const facts = [someEventFacts(eventId, { threshold: 5 })];
  const process = aQueueProcess({ store: memory, journal, clock, facts });
  await process.enter(eventId, 'a');
  await process.tick();
  facts[0] = someEventFacts(eventId, { threshold: 9, version: 2 });
  await ticks(process, clock, 2);
  expect((await snapshotOf(memory, eventId)).settings.threshold).toBe(9);
  // The operator's change is in the store a moment before it is in the journal.
  await memory.configure({ eventId, changes: { threshold: 2 } });
  await ticks(process, clock, 1);
  expect((await snapshotOf(memory, eventId)).settings.threshold).toBe(2);
  await journal.saveSettings(eventId, { threshold: 2 });
  facts[0] = someEventFacts(eventId, { threshold: 50, version: 3 });
  await ticks(process, clock, 5);
  expect((await snapshotOf(memory, eventId)).settings.threshold).toBe(2);
});

test('for demonstrations a few slots turn over at every tick', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 10 });
  const process = start({ admission: { turnoverPerTick: 2 } });
  const users = usersOf(30);
  await enterAll(process, eventId, users);
  await process.tick();
  await ticks(process, clock, 3);
  const { totals, active } = await snapshotOf(memory, eventId);
  expect(active).toBe(10);
  expect(totals.admitted).toBeGreaterThanOrEqual(14);
});

test('people are admitted while the clock of the process is set back, and all events are looked at', async () => {
  const { clock, memory, eventId, start } = aSetting({ threshold: 1 });
  const process = start();
  await enterAll(process, eventId, ['first', 'second']);
  await process.tick();
  expect(await activeUsers(memory, eventId, ['first', 'second'])).toEqual(['first']);
  clock.setBack(3_600_000);
  await memory.leave({ eventId, userId: 'first' });
  await ticks(process, clock, 2);
  expect(await activeUsers(memory, eventId, ['first', 'second'])).toEqual(['second']);

  // Another process whose hints are lost finds the queue by its looks at all events.
  const other = start({ store: { ...memory, activeEvents: async () => [] } });
  await other.tick();
  clock.setBack(3_600_000);
  await enterAll(process, eventId, ['third']);
  await memory.leave({ eventId, userId: 'second' });
  await ticks(other, clock, 12);
  expect(await activeUsers(memory, eventId, ['third'])).toEqual(['third']);
});
