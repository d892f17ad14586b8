import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { isFault, platformErrors } from '#platform/errors.ts';
import { aClock } from '#test/kit/clock.ts';
import { eventually } from '#test/kit/faults.ts';
import type { BeginCall, EnterResult, QueueStore } from '../ports.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess, someEventFacts } from '../testing/queue-processes.ts';
import { lateChanges } from './recent-changes.ts';

const { database, journal } = await aJournal();

function aSetting(wrap: (store: QueueStore) => Partial<QueueStore> = () => ({})) {
  const clock = aClock();
  const memory = createMemoryStore({ clock });
  const begins: BeginCall[] = [];
  const store: QueueStore = {
    ...memory,
    async begin(call) {
      const result = await memory.begin(call);
      if (result.begun) begins.push(call);
      return result;
    },
    ...wrap(memory),
  };
  return { clock, memory, store, begins, eventId: randomUUID() };
}

function slotOf(result: EnterResult) {
  if (result.status !== 'active') throw new Error(`expected a slot, got ${result.status}`);
  return result.slot;
}

async function snapshotOf(store: QueueStore, eventId: string) {
  const snapshot = await store.snapshot({ eventId });
  if (snapshot.status === 'lost') throw new Error('lost');
  return snapshot;
}

test('the first to enter begins the event with nobody to wait for', async () => {
  const { clock, store, begins, eventId } = aSetting();
  const facts = [someEventFacts(eventId, { threshold: 7 })];
  const process = aQueueProcess({ store, journal, clock, facts });
  expect((await process.enter(eventId, 'a')).status).toBe('active');
  expect(begins).toMatchObject([{ epoch: 1, era: 0, recoveringMs: 0, settings: { threshold: 7 } }]);
  expect(await journal.open(eventId)).toMatchObject({ begun: true, identity: 'memory', mine: false });
});

test('many processes that find a new event at once begin it once, and none recovers', async () => {
  const { clock, store, begins, eventId } = aSetting();
  const processes = Array.from({ length: 6 }, () => aQueueProcess({ store, journal, clock }));
  const results = await Promise.all(processes.map((process, n) => process.enter(eventId, `user-${n}`)));
  expect(results.map(({ status }) => status)).toEqual(Array(6).fill('active'));
  expect(begins.map(({ epoch }) => epoch)).toEqual([1]);
});

test('many processes that find the store lost at once bring it back once', async () => {
  const { clock, memory, store, begins, eventId } = aSetting();
  const first = aQueueProcess({ store, journal, clock });
  const processes = [first, ...Array.from({ length: 5 }, () => aQueueProcess({ store, journal, clock }))];
  const slot = slotOf(await first.enter(eventId, 'shopper'));
  await first.tick();
  memory.wipe();
  const results = await Promise.all(processes.map((process, n) => process.enter(eventId, `user-${n}`)));
  expect(results.map(({ status }) => status)).toEqual(Array(6).fill('waiting'));
  expect(begins.map(({ epoch, era }) => ({ epoch, era }))).toEqual([
    { epoch: 1, era: 0 },
    { epoch: 2, era: 1 },
  ]);
  expect(begins[1]).toMatchObject({ slots: [slot], recoveringMs: 75_000 });
});

test('a process that dies between raising the epoch and beginning it is replaced when its lease is over', async () => {
  const { clock, memory, store, begins, eventId } = aSetting();
  const process = aQueueProcess({ store, journal, clock });
  await process.enter(eventId, 'a');
  memory.wipe();
  // Another process won and died.
  expect((await journal.raiseEpoch(eventId, 1))?.epoch).toBe(2);
  const entering = process.enter(eventId, 'b');
  await new Promise((done) => setTimeout(done, 200));
  expect(begins).toHaveLength(1);
  await database.query('UPDATE queue.events SET lease_until = urr.now() WHERE event_id = $1', [eventId]);
  expect((await entering).status).toBe('waiting');
  expect(begins.map(({ epoch }) => epoch)).toEqual([1, 3]);
});

test('a process that never dealt with an event does not let its callers wait for the lease of a dead one', async () => {
  const { clock, store, eventId } = aSetting();
  // Another process made the event and died.
  expect((await journal.open(eventId)).mine).toBe(true);
  const process = aQueueProcess({ store, journal, clock });
  const refused = await process.enter(eventId, 'a').catch((error: unknown) => error);
  expect(isFault(refused, 'STORE_UNAVAILABLE')).toBe(true);
  expect(await journal.open(eventId)).toMatchObject({ leased: true });
  await eventually(async () => (await process.enter(eventId, 'a').catch(() => null))?.status === 'waiting', {
    withinMs: 60_000,
    what: 'the next one to begin it',
  });
});

test('a process that begins its epoch too late does not overwrite the one that replaced it', async () => {
  const { clock, memory, store, eventId } = aSetting();
  const process = aQueueProcess({ store, journal, clock });
  await process.enter(eventId, 'a');
  memory.wipe();
  await process.enter(eventId, 'b');
  const loaded = await journal.load(eventId);
  const settings = { threshold: 1, paused: false, closed: false, message: null };
  const late = { ...loaded, eventId, epoch: 1, era: 0, settings, recoveringMs: 0 };
  expect(await store.begin(late)).toEqual({ begun: false });
  expect((await snapshotOf(store, eventId)).epoch).toBe(2);
});

test('while the store is away a request is told so, and the next one finds it back', async () => {
  let away = false;
  const { clock, memory, store, eventId } = aSetting((inner) => ({
    async begin(call) {
      if (away) throw platformErrors.fault('STORE_UNAVAILABLE');
      return inner.begin(call);
    },
  }));
  const process = aQueueProcess({ store, journal, clock });
  await process.enter(eventId, 'a');
  memory.wipe();
  away = true;
  await expect(process.enter(eventId, 'b')).rejects.toSatisfy((error) => isFault(error, 'STORE_UNAVAILABLE'));
  away = false;
  // Its lease was given up, so nobody waits for it.
  expect(await journal.open(eventId)).toMatchObject({ begun: false, leased: false });
  expect((await process.enter(eventId, 'b')).status).toBe('waiting');
});

test('while the journal is away a lost queue stays closed', async () => {
  const { clock, memory, store, eventId } = aSetting();
  const away = { ...journal, open: () => Promise.reject(platformErrors.fault('DATABASE_UNAVAILABLE')) };
  await aQueueProcess({ store, journal, clock }).enter(eventId, 'a');
  memory.wipe();
  const process = aQueueProcess({ store, journal: away, clock });
  await expect(process.enter(eventId, 'b')).rejects.toSatisfy((error) => isFault(error, 'STORE_UNAVAILABLE'));
});

test('a stale copy of the store is replaced by the journal, once, however many processes notice', async () => {
  let server = 'first';
  const { clock, store, begins, eventId } = aSetting(() => ({
    identity: async () => server,
    servers: async () => ({ of: () => server, has: (identity) => identity === server, all: () => [server] }),
  }));
  const processes = Array.from({ length: 4 }, () => aQueueProcess({ store, journal, clock }));
  const [first] = processes;
  if (first === undefined) throw new Error('no process');
  const slot = slotOf(await first.enter(eventId, 'shopper'));
  for (const process of processes) await process.enter(eventId, 'shopper');
  await first.tick();
  // The copy does not know that the shopper left; the journal does.
  const read = await store.changes({ eventId, limit: 10 });
  if (read.status === 'lost') throw new Error('lost');
  await journal.write(eventId, {
    epoch: 1,
    from: read.from,
    changes: [{ kind: 'slot-ended', userId: 'shopper', slotId: slot.slotId }],
    crowd: null,
  });
  await Promise.all(processes.map(({ states }) => states.suspectLoss(eventId)));
  expect(begins).toHaveLength(1);
  server = 'second';
  await Promise.all(processes.map(({ states }) => states.suspectLoss(eventId)));
  expect(begins.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect((await snapshotOf(store, eventId)).active).toBe(0);
  expect(await journal.open(eventId)).toMatchObject({ epoch: 2, identity: 'second' });
});

test('a copy with an older epoch is stale on whatever server', async () => {
  const { clock, memory, store, begins, eventId } = aSetting();
  const process = aQueueProcess({ store, journal, clock });
  await process.enter(eventId, 'a');
  await journal.raiseEpoch(eventId, 1);
  await journal.markBegun(eventId, { epoch: 2, identity: 'memory' });
  expect((await snapshotOf(memory, eventId)).epoch).toBe(1);
  await process.states.suspectLoss(eventId);
  expect(begins.map(({ epoch }) => epoch)).toEqual([1, 3]);
});

/** Two processes; the second one brings the event back and cannot know what only the first was told. */
function aPair({ threshold = 10 } = {}) {
  const setting = aSetting();
  const facts = [someEventFacts(setting.eventId, { threshold })];
  const aProcess = () => aQueueProcess({ ...setting, journal, facts });
  const { store, eventId, memory } = setting;
  const place = async (userId: string) => {
    const trace = await store.trace({ eventId, userId });
    return trace.status === 'lost' ? 'lost' : trace.place;
  };
  return { ...setting, one: aProcess(), two: aProcess(), place, lose: () => memory.wipe() };
}

test('a slot given at once survives a loss before any tick, if the process that gave it lives', async () => {
  const { store, begins, eventId, one, two, place, lose } = aPair();
  const slot = slotOf(await one.enter(eventId, 'shopper'));
  lose();
  await two.enter(eventId, 'other');
  expect(await place('shopper')).toBe('none');
  // The first one learns of the new epoch by the next answer, and brings the slot after.
  await one.enter(eventId, 'third');
  await eventually(async () => (await place('shopper')) === 'active', { withinMs: 60_000, what: 'the slot' });
  expect(slotOf(await two.enter(eventId, 'shopper', slot.order))).toEqual(slot);
  // One loss, one new epoch: anyone who has come back meanwhile is still there.
  expect(begins.map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(await snapshotOf(store, eventId)).toMatchObject({ epoch: 2, waiting: 2, active: 1 });
});

test('anyone who finds the event lost and brings it back has the own slot at once', async () => {
  const { eventId, one, lose } = aPair();
  const slot = slotOf(await one.enter(eventId, 'shopper'));
  lose();
  expect(slotOf(await one.enter(eventId, 'shopper', slot.order))).toEqual(slot);
});

test('a late slot reaches the journal through the new epoch, and so survives the next loss', async () => {
  const { eventId, one, two, place, lose } = aPair();
  await one.enter(eventId, 'shopper');
  lose();
  await two.enter(eventId, 'other');
  await one.enter(eventId, 'third');
  await eventually(async () => (await place('shopper')) === 'active', { withinMs: 60_000, what: 'the slot' });
  await two.tick();
  lose();
  await two.enter(eventId, 'other');
  expect(await place('shopper')).toBe('active');
});

test('a place or a slot that was given up just before a loss stays given up', async () => {
  const { store, eventId, one, two, place, lose } = aPair({ threshold: 1 });
  const slot = slotOf(await one.enter(eventId, 'shopper'));
  const waited = await one.enter(eventId, 'waiter');
  if (waited.status !== 'waiting') throw new Error(waited.status);
  await one.tick();
  await one.leave(eventId, 'waiter');
  await one.leave(eventId, 'shopper');
  lose();
  // Other tabs still show the old tickets.
  await two.enter(eventId, 'shopper', slot.order);
  await two.enter(eventId, 'waiter', waited.order);
  await one.enter(eventId, 'third');
  await eventually(async () => (await place('shopper')) === 'none' && (await place('waiter')) === 'none', {
    withinMs: 60_000,
    what: 'both to be gone again',
  });
  const { denied, waiting, active } = await snapshotOf(store, eventId);
  expect(denied).toEqual([{ slotId: slot.slotId, untilMs: slot.endsAtMs }]);
  expect({ waiting, active }).toEqual({ waiting: 1, active: 0 });
});

test('changes that the journal refuses, because their epoch is over, are added to the next one', async () => {
  const { store, eventId, one, two, place, lose } = aPair();
  await one.enter(eventId, 'shopper');
  const read = await store.changes({ eventId, limit: 10 });
  if (read.status === 'lost') throw new Error('lost');
  lose();
  await two.enter(eventId, 'other');
  expect(await journal.write(eventId, { ...read, crowd: null })).toBe('stale');
  two.states.addLate(eventId, read.epoch, lateChanges(read.changes));
  await two.enter(eventId, 'other');
  await eventually(async () => (await place('shopper')) === 'active', { withinMs: 60_000, what: 'the slot' });
});

test('a slot that nobody had claimed comes back so; a claim before any tick is brought by the process that answered it', async () => {
  const { store, begins, eventId, one, two, lose } = aPair({ threshold: 1 });
  await one.enter(eventId, 'first');
  await one.enter(eventId, 'shopper');
  await store.leave({ eventId, userId: 'first' });
  await one.tick();
  await one.tick();
  const slot = slotOf(await one.enter(eventId, 'shopper'));
  lose();
  await two.enter(eventId, 'other');
  expect(begins.at(-1)).toMatchObject({ epoch: 2, slots: [{ ...slot, claimed: false }] });
  await one.enter(eventId, 'third');
  await eventually(
    async () => {
      const trace = await store.trace({ eventId, userId: 'shopper' });
      return trace.status === 'ok' && trace.slot?.claimed === true;
    },
    { withinMs: 60_000, what: 'the claim' },
  );
  expect(begins).toHaveLength(2);
});
