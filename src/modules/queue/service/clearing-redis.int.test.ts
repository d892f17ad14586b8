import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { eventually } from '#test/kit/faults.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import { snapshotOf, untilJournaled } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess, type QueueProcess } from '../testing/queue-processes.ts';
import { redisStores } from '../testing/redis-stores.ts';
import { createClearing } from './clearing.ts';

const shopping = 5;
const waiting = 20_000;
const atOnce = 500;

/** By user. */
type HeldTickets = Map<string, PlaceOrder>;

async function enterAll(process: QueueProcess, eventId: string, users: readonly string[]): Promise<HeldTickets> {
  const tickets: HeldTickets = new Map();
  for (let first = 0; first < users.length; first += atOnce) {
    const some = users.slice(first, first + atOnce);
    const results = await Promise.all(some.map((userId) => process.enter(eventId, userId)));
    for (const [n, result] of results.entries()) {
      if (result.status === 'waiting') tickets.set(some[n] ?? '', result.order);
    }
  }
  return tickets;
}

describeWith('redis', 'clearing a long queue in Redis', () => {
  it('ends, against a crowd that comes back, and only who was there when it began', async () => {
    const { journal } = await aJournal();
    const { store, close } = await redisStores.create();
    atEnd(async () => close?.());
    const config = { threshold: shopping, recoveringMs: 1 };
    const process = aQueueProcess({ store, journal, clock: systemClock, config });
    const { states } = process;
    const eventId = randomUUID();
    const users = Array.from({ length: shopping + waiting }, () => randomUUID());
    const tickets = await enterAll(process, eventId, users);
    expect(tickets.size).toBe(waiting);

    const acts: unknown[] = [];
    // Nobody polls here, so nothing of a snapshot is needed.
    const snapshot = async () => undefined as never;
    const clearing = createClearing({
      store,
      states,
      snapshots: { get: snapshot, refresh: snapshot },
      logger: silentLogger,
      record: async (_, { action, before, after }) => void acts.push([action, before, after]),
    });
    atEnd(() => clearing.stop());

    const newcomers: string[] = [];
    let isCleared = false;
    const coming = (async () => {
      while (!isCleared) {
        // Those who have just been cleared enter again, without their tickets, and others for the first time.
        const some = [
          ...users.slice(shopping + newcomers.length).slice(0, 10),
          ...Array.from({ length: 10 }, randomUUID),
        ];
        const traces = await Promise.all(some.map((userId) => store.trace({ eventId, userId })));
        const free = some.filter((_, n) => traces[n]?.status === 'ok' && traces[n].place === 'none');
        if (acts.length > 0) newcomers.push(...(await enterAll(process, eventId, free)).keys());
        await process.tick();
      }
    })();
    const first = await clearing.clear(eventId, { userId: 'operator' });
    expect(first.cleared).toBeGreaterThan(0);
    await eventually(async () => acts.length === 2, { withinMs: 120_000, what: 'the clearing to end' });
    isCleared = true;
    await coming;

    const upTo = [0, Math.max(...tickets.values())];
    expect(acts).toEqual([
      ['queue.clear.begin', { places: waiting, upTo }, null],
      ['queue.clear', null, { cleared: waiting, left: 0 }],
    ]);
    expect(newcomers.length).toBeGreaterThan(0);
    expect(await snapshotOf(store, eventId)).toMatchObject({ active: shopping, waiting: newcomers.length, parked: 0 });
    const places = await Promise.all(newcomers.map((userId) => store.trace({ eventId, userId })));
    expect(places.every((trace) => trace.status === 'ok' && trace.place === 'waiting')).toBe(true);
    const look = { eventId, mode: 'look', lane: 1, roomOn: false, activeTtlMs: 1_000 } as const;
    const gone = [...tickets].filter(([userId]) => !newcomers.includes(userId));
    for (const [userId, ticketOrder] of [gone[0], gone.at(-1)].filter((one) => one !== undefined)) {
      expect(await store.enter({ ...look, userId, ticketOrder })).toMatchObject({ status: 'none', spent: true });
    }

    // And for good: the journal has it, too.
    await untilJournaled(process, store, eventId);
    const { spent } = await journal.load(eventId);
    expect(spent.reduce((sum, { bits }) => sum + bitsSet(bits), 0)).toBe(shopping + waiting);
  });
});

function bitsSet(bits: Buffer): number {
  let count = 0;
  for (const byte of bits) for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
  return count;
}
