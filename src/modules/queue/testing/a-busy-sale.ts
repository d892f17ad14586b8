import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isFault } from '#platform/errors.ts';
import type { PlaceOrder } from '../domain/place-order.ts';
import type { QueueStore } from '../ports.ts';
import type { QueueProcess } from './queue-processes.ts';

export interface BusySale {
  /** How many have shopped and left. */
  readonly done: number;
  /** How long each call took that was refused because the store was away. */
  readonly refusedMs: readonly number[];
  /** Everything that should not have happened to anybody, in words. */
  readonly complaints: readonly string[];
  /** Lets those come who were held back. */
  letTheRestCome(): void;
  /** Everybody is through, or it is said who is not. */
  untilOver(withinMs: number): Promise<void>;
}

const askEveryMs = 15;
const shopMs = 20;

/** People enter, ask again, shop for a moment and leave, each at one of the processes, while these admit. */
export function aBusySale(
  processes: readonly (QueueProcess & { store: QueueStore })[],
  options: {
    eventId: string;
    people: number;
    /** So many come only when they are let, so that the sale cannot end before. */
    heldBack?: number;
  },
): BusySale {
  const { eventId, people, heldBack = 0 } = options;
  const rest = Promise.withResolvers<void>();
  const refusedMs: number[] = [];
  const complaints: string[] = [];
  let done = 0;
  let over = false;

  /** Repeats what the store was away for, as a page does that was answered 503. */
  async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const startedAt = performance.now();
      try {
        return await call();
      } catch (error) {
        if (!isFault(error, 'STORE_UNAVAILABLE') || over) throw error;
        refusedMs.push(performance.now() - startedAt);
        await delay(askEveryMs);
      }
    }
  }

  async function walk(process: QueueProcess & { store: QueueStore }): Promise<void> {
    const userId = randomUUID();
    let ticket: PlaceOrder | undefined;
    while (!over) {
      const result = await insist(() => process.enter(eventId, userId, ticket));
      if (result.status !== 'waiting' && result.status !== 'active') throw new Error(`was told ${result.status}`);
      const order = result.status === 'waiting' ? result.order : result.slot.order;
      if (ticket !== undefined && order !== ticket) throw new Error(`was moved from ${ticket} to ${order}`);
      ticket = order;
      if (result.status === 'active') break;
      await delay(askEveryMs);
    }
    await delay(shopMs);
    await insist(() => process.states.withState(eventId, () => process.store.leave({ eventId, userId })));
    done += 1;
  }

  async function admit(process: QueueProcess): Promise<void> {
    while (!over) {
      await process.tick().catch(() => undefined);
      await delay(askEveryMs);
    }
  }

  const walks = Array.from({ length: people }, async (_, n) => {
    const process = processes[n % processes.length];
    if (process === undefined) throw new Error('no process');
    if (n >= people - heldBack) await rest.promise;
    return walk(process).catch((error: unknown) => void complaints.push(String(error)));
  });
  const admissions = processes.map(admit);

  return {
    refusedMs,
    complaints,
    get done() {
      return done;
    },
    letTheRestCome: () => rest.resolve(),
    async untilOver(withinMs) {
      rest.resolve();
      const timer = setTimeout(() => {
        over = true;
        complaints.push(`only ${done} of ${people} were through after ${withinMs} ms`);
      }, withinMs);
      await Promise.all(walks);
      clearTimeout(timer);
      over = true;
      await Promise.all(admissions);
    },
  };
}
