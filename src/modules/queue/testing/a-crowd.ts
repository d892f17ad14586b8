import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { QueueStore, StoreSnapshot } from '../ports.ts';
import type { QueueProcess } from './queue-processes.ts';

/** Who shops and who waits, in order, and the tickets that they hold. What a test does to them it writes down here. */
export interface Crowd {
  readonly eventId: string;
  readonly tickets: ReadonlyMap<string, PlaceOrder>;
  readonly shopping: readonly string[];
  readonly waiting: readonly string[];
  readonly gone: readonly string[];
}

export interface CrowdOptions {
  readonly eventId?: string;
  readonly shopping: number;
  readonly waiting: number;
}

/** The first come shop, the others wait; the journal knows all of it. */
export async function aCrowd(process: QueueProcess, store: QueueStore, options: CrowdOptions): Promise<Crowd> {
  const eventId = options.eventId ?? randomUUID();
  const tickets = new Map<string, PlaceOrder>();
  const shopping: string[] = [];
  const waiting: string[] = [];
  for (let n = 0; n < options.shopping + options.waiting; n++) {
    const userId = randomUUID();
    const result = await process.enter(eventId, userId);
    expect(result.status).toBe(n < options.shopping ? 'active' : 'waiting');
    if (result.status === 'active') tickets.set(userId, result.slot.order);
    if (result.status === 'waiting') tickets.set(userId, result.order);
    (result.status === 'active' ? shopping : waiting).push(userId);
  }
  await untilJournaled(process, store, eventId);
  return { eventId, tickets, shopping, waiting, gone: [] };
}

/**
 * Time passes: some shoppers are done and the first in line take their slots, some at the end of the line give up, and as many
 * newcomers enter. The journal knows all of it.
 */
export async function moveOn(process: QueueProcess, store: QueueStore, crowd: Crowd, count: number): Promise<Crowd> {
  const { eventId } = crowd;
  const done = crowd.shopping.slice(0, count);
  const gaveUp = crowd.waiting.slice(-count);
  const admitted = crowd.waiting.slice(0, count);
  for (const userId of [...done, ...gaveUp])
    await process.states.withState(eventId, () => store.leave({ eventId, userId }));
  await eventually(
    async () => {
      await process.tick();
      return (await shoppers(store, crowd)).includes(admitted.at(-1) ?? '');
    },
    { withinMs: 60_000, what: 'the next in line to have a slot' },
  );
  const newcomers = Array.from({ length: count }, () => randomUUID());
  const tickets = new Map(crowd.tickets);
  for (const userId of newcomers) {
    const result = await process.enter(eventId, userId);
    if (result.status === 'waiting') tickets.set(userId, result.order);
  }
  await untilJournaled(process, store, eventId);
  return {
    eventId,
    tickets,
    shopping: [...crowd.shopping.slice(count), ...admitted],
    waiting: [...crowd.waiting.slice(count, -count), ...newcomers],
    gone: [...done, ...gaveUp],
  };
}

export async function untilJournaled(process: QueueProcess, store: QueueStore, eventId: string): Promise<void> {
  await eventually(
    async () => {
      await process.tick();
      const read = await store.changes({ eventId, limit: 1 });
      return read.status === 'ok' && read.backlog === 0;
    },
    { withinMs: 60_000, what: 'the journal to have everything' },
  );
}

/** Everybody who has a ticket and did not leave comes with it, all at once, each to one of the processes. */
export async function comeBack(processes: readonly QueueProcess[], { eventId, tickets, gone }: Crowd) {
  const back = [...tickets].filter(([userId]) => !gone.includes(userId));
  return Promise.all(
    back.map(async ([userId, order], n) => {
      const process = processes[n % processes.length];
      if (process === undefined) throw new Error('no process');
      return { userId, result: await process.enter(eventId, userId, order) };
    }),
  );
}

export async function shoppers(store: QueueStore, { eventId, tickets }: Crowd): Promise<string[]> {
  const users = [...tickets.keys()];
  const traces = await Promise.all(users.map((userId) => store.trace({ eventId, userId })));
  return users.filter((_, n) => {
    const trace = traces[n];
    return trace?.status === 'ok' && trace.place === 'active';
  });
}

/** Everybody is where they were: the same people shop, the others wait in the same order, and who left is gone for good. */
export async function expectAsBefore(store: QueueStore, crowd: Crowd): Promise<void> {
  const { eventId, tickets, shopping, waiting, gone } = crowd;
  expect(new Set(await shoppers(store, crowd))).toEqual(new Set(shopping));
  const traces = await Promise.all(waiting.map((userId) => store.trace({ eventId, userId })));
  expect(traces.map((trace) => trace.status === 'ok' && [trace.place, trace.position])).toEqual(
    waiting.map((_, n) => ['waiting', n + 1]),
  );
  const look = { eventId, mode: 'look', lane: 1, roomOn: false, activeTtlMs: 1_000 } as const;
  for (const userId of gone) {
    const ticketOrder = tickets.get(userId) ?? 0;
    expect(await store.enter({ ...look, userId, ticketOrder })).toMatchObject({ status: 'none', spent: true });
  }
}

export async function snapshotOf(store: QueueStore, eventId: string): Promise<StoreSnapshot> {
  const snapshot = await store.snapshot({ eventId });
  if (snapshot.status === 'lost') throw new Error(`event ${eventId} is lost`);
  return snapshot;
}

/** The most slots that were live at any sampled instant, until `stop`. While the store is away there is nothing to see. */
export function watchActive(store: QueueStore, eventId: string) {
  let most = 0;
  let samples = 0;
  let going = true;
  const sampler = (async () => {
    while (going) {
      const snapshot = await store.snapshot({ eventId }).catch(() => null);
      if (snapshot?.status === 'ok') {
        most = Math.max(most, snapshot.active);
        samples += 1;
      }
      await new Promise((done) => setTimeout(done, 2));
    }
  })();
  return {
    async stop() {
      going = false;
      await sampler;
      return { most, samples };
    },
  };
}
