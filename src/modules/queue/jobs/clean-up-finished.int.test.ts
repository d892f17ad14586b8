import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { aClock } from '#test/kit/clock.ts';
import type { QueueStore } from '../ports.ts';
import { saveFacts } from '../storage/facts.ts';
import { createMemoryStore } from '../storage/memory-store.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess, someEventFacts } from '../testing/queue-processes.ts';

const { journal, database } = await aJournal();
const signal = new AbortController().signal;

/** A sale that ends in an hour: one shops, one has left, one waits. */
async function aSale(changes: { cancelled?: boolean } = {}) {
  const clock = aClock(Date.now());
  const memory = createMemoryStore({ clock });
  const eventId = randomUUID();
  const facts = [someEventFacts(eventId, { closesAtMs: clock.now() + 3_600_000, ...changes })];
  await saveFacts(database, facts);
  const start = (store: QueueStore = memory) =>
    aQueueProcess({ store, journal, clock, facts, config: { threshold: 1 } });
  const process = start();
  const orders = new Map<string, number>();
  for (const userId of ['shopper', 'left', 'waiting']) {
    const entered = await process.enter(eventId, userId);
    if (entered.status === 'active') orders.set(userId, entered.slot.order);
    else if (entered.status === 'waiting') orders.set(userId, entered.order);
  }
  await memory.leave({ eventId, userId: 'left' });
  return { clock, memory, eventId, facts, process, start, orders };
}

/** Everybody is gone: the slot has ended and the one who waits was forgotten. */
async function endOf({ clock, process }: Awaited<ReturnType<typeof aSale>>): Promise<void> {
  // Nobody is forgotten by a process that has not watched for a while.
  await process.cleanUp.run(signal);
  for (let n = 0; n < 3; n++) {
    await process.tick();
    clock.advance(700_000);
    await process.cleanUp.run(signal);
  }
  await process.tick();
}

test('an event leaves the store some minutes after its sale, when nobody is there any more', async () => {
  const sale = await aSale();
  const { clock, memory, eventId, process } = sale;
  await endOf(sale);
  await process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toMatchObject({ status: 'ok', waiting: 0, active: 0 });
  clock.advance(3_600_000 - 2_100_000);
  await process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toMatchObject({ status: 'ok' });
  clock.advance(600_000);
  await process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toEqual({ status: 'lost' });
  expect(await journal.open(eventId)).toMatchObject({ epoch: 1, begun: false, leased: false });
  expect(await journal.finished({ byMs: clock.now(), limit: 1_000 })).not.toContain(eventId);
});

test('after that a late ticket is judged as before: spent stays spent, and an unspent place comes back', async () => {
  const sale = await aSale();
  const { clock, memory, eventId, facts, process, orders, start } = sale;
  await endOf(sale);
  clock.advance(3_600_000);
  await process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toEqual({ status: 'lost' });

  // The seller opens the sale again.
  facts[0] = someEventFacts(eventId, { version: 2 });
  await saveFacts(database, facts);
  const other = start();
  for (const userId of ['shopper', 'left']) {
    const spent = await other.enter(eventId, userId, orders.get(userId));
    expect(spent).toMatchObject({ status: 'waiting', epoch: 2, fresh: true });
    expect(spent).not.toMatchObject({ order: orders.get(userId) });
  }
  expect(await other.enter(eventId, 'waiting', orders.get('waiting'))).toMatchObject({
    status: 'waiting',
    order: orders.get('waiting'),
    position: 1,
  });
  // Nobody was waiting when it went, so nobody has to be waited for.
  for (let second = 0; second < 10; second++) {
    clock.advance(1_000);
    await other.tick();
  }
  expect(await memory.snapshot({ eventId })).toMatchObject({ recovering: false, active: 1 });
  expect(await memory.trace({ eventId, userId: 'waiting' })).toMatchObject({ place: 'active' });
});

test('a cancelled event leaves as soon as nobody is there', async () => {
  const sale = await aSale({ cancelled: true });
  await endOf(sale);
  await sale.process.cleanUp.run(signal);
  expect(await sale.memory.snapshot({ eventId: sale.eventId })).toEqual({ status: 'lost' });
});

test('a process that dies before it has said so leaves only that undone', async () => {
  const sale = await aSale();
  const { clock, memory, eventId, start } = sale;
  await endOf(sale);
  clock.advance(3_600_000);
  const dies = start({
    ...memory,
    remove: (call) => memory.remove(call).then(() => Promise.reject(new Error('killed'))),
  });
  await dies.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toEqual({ status: 'lost' });
  expect(await journal.open(eventId)).toMatchObject({ begun: true });
  await sale.process.cleanUp.run(signal);
  expect(await journal.open(eventId)).toMatchObject({ epoch: 1, begun: false });
});

test('anyone who shops past the end of the sale is not touched', async () => {
  const { clock, memory, eventId, process } = await aSale();
  await process.tick();
  clock.advance(3_600_000 + 500_000);
  // The first one's slot is over, so the one who waits has it.
  await process.tick();
  clock.advance(110_000);
  expect(await journal.finished({ byMs: clock.now() - 600_000, limit: 1_000 })).toContain(eventId);
  await process.cleanUp.run(signal);
  expect(await memory.trace({ eventId, userId: 'waiting' })).toMatchObject({ place: 'active' });
});

test('neither a server that restarts nor hints that are away bring it back; who needs it does', async () => {
  const sale = await aSale();
  const { clock, memory, eventId, facts, start } = sale;
  let identity = 'memory';
  let hintsAreAway = false;
  const process = start({
    ...memory,
    identity: async () => identity,
    servers: async () => ({ of: () => identity, has: (other) => other === identity, all: () => [identity] }),
    activeEvents: () => (hintsAreAway ? Promise.reject(new Error('away')) : memory.activeEvents()),
  });
  // Both processes deal with it.
  await process.tick();
  await endOf(sale);
  clock.advance(3_600_000);
  await sale.process.cleanUp.run(signal);
  expect(await memory.snapshot({ eventId })).toEqual({ status: 'lost' });

  identity = 'restarted';
  await process.tick();
  hintsAreAway = true;
  await process.tick();
  expect(await memory.snapshot({ eventId })).toEqual({ status: 'lost' });
  expect(await journal.open(eventId)).toMatchObject({ epoch: 1, begun: false });

  facts[0] = someEventFacts(eventId, { version: 2 });
  expect(await process.enter(eventId, 'newcomer')).toMatchObject({ status: 'waiting', epoch: 2 });
  expect(await journal.open(eventId)).toMatchObject({ epoch: 2, begun: true, identity: 'restarted' });
});

test('what is lost after the sale, while somebody shops, comes back', async () => {
  const { clock, memory, eventId, process } = await aSale();
  await process.tick();
  clock.advance(3_600_000 + 500_000);
  await process.tick();
  memory.wipe(eventId);
  for (let second = 0; second < 2; second++) {
    clock.advance(1_000);
    await process.tick();
  }
  expect(await memory.trace({ eventId, userId: 'waiting' })).toMatchObject({ place: 'active' });
  expect(await memory.activeEvents()).toContain(eventId);
});
