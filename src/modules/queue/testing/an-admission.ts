import { randomUUID } from 'node:crypto';
import { aClock } from '#test/kit/clock.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { QueueConfig, QueueJournal, QueueStore } from '../ports.ts';
import { createMemoryStore, type MemoryStore } from '../storage/memory-store.ts';
import { aQueueProcess, type QueueProcess, someEventFacts } from './queue-processes.ts';

/** A store in memory with a clock that the test owns, and processes on it. */
export function anAdmission(journal: QueueJournal, config: Partial<QueueConfig> = {}) {
  const clock = aClock();
  const memory = createMemoryStore({ clock });
  const eventId = randomUUID();
  const facts = [someEventFacts(eventId)];
  const start = (parts: { store?: QueueStore; journal?: QueueJournal; admission?: object } = {}) =>
    aQueueProcess({ store: memory, journal, clock, config, facts, ...parts });
  return { clock, memory, eventId, start };
}

export const usersOf = (count: number, name = 'user') => Array.from({ length: count }, (_, n) => `${name}-${n}`);

/** Everybody enters; answers with the orders of their tickets. */
export async function enterAll(
  process: QueueProcess,
  eventId: string,
  users: string[],
  tickets?: Map<string, PlaceOrder>,
) {
  const orders = new Map<string, PlaceOrder>();
  for (const user of users) {
    const result = await process.enter(eventId, user, tickets?.get(user));
    if (result.status === 'waiting') orders.set(user, result.order);
    else if (result.status === 'active') orders.set(user, result.slot.order);
  }
  return orders;
}

export async function activeUsers(store: MemoryStore, eventId: string, users: string[]): Promise<string[]> {
  const places = await Promise.all(users.map((userId) => store.trace({ eventId, userId })));
  return users.filter((_, n) => {
    const trace = places[n];
    return trace?.status === 'ok' && trace.place === 'active';
  });
}

export async function ticks(process: QueueProcess, clock: { advance(ms: number): void }, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    clock.advance(1_000);
    await process.tick();
  }
}
