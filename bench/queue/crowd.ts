import { createWaitingTickets } from '#modules/queue/service/waiting-tickets.ts';
import { eventKeys } from '#modules/queue/storage/redis-keys.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import type { Redis } from '#platform/redis/port.ts';
import { testSecrets } from '#test/kit/secrets.ts';
import type { QueueStage } from './stage.ts';

export interface Waiting {
  readonly userId: string;
  readonly order: number;
  readonly epoch: number;
}

export interface TicketHolder {
  readonly userId: string;
  readonly ticket: string;
}

export interface Crowd {
  readonly size: number;
  /** Some from the very front. */
  first(count: number): readonly Waiting[];
  /** People spread evenly over the line, with their tickets. */
  sample(count: number): TicketHolder[];
  /** More people enter, as the queue itself lets them in. */
  growTo(size: number): Promise<void>;
}

const ids = createIds({ clock: systemClock, random: systemRandom });
const entriesAtOnce = 1_000;
/** Of the line only every so many-th person is remembered: samples need no more. */
const rememberEvery = 5;

export function aCrowd({ store, eventId }: QueueStage): Crowd {
  const tickets = createWaitingTickets({ secrets: [testSecrets.URR_TICKET_SECRET] });
  const remembered: Waiting[] = [];
  let size = 0;

  async function enter(n: number): Promise<void> {
    const userId = ids.next();
    const call = { eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: 86_400_000 } as const;
    const result = await store.enter(call);
    if (result.status !== 'waiting') throw new Error(`somebody who should wait is ${result.status}`);
    if (n % rememberEvery === 0) remembered.push({ userId, order: result.order, epoch: result.epoch });
  }

  return {
    get size() {
      return size;
    },
    first: (count) => remembered.slice(0, count),
    sample(count) {
      const step = Math.max(1, remembered.length / count);
      const chosen = Array.from(
        { length: Math.min(count, remembered.length) },
        (_, n) => remembered[Math.floor(n * step)],
      );
      return chosen.flatMap((person) => {
        if (person === undefined) return [];
        const ticket = tickets.seal({ eventId, ...person, takenAtMs: Date.now(), predicted: null });
        return [{ userId: person.userId, ticket }];
      });
    },
    async growTo(target) {
      while (size < target) {
        const some = Math.min(entriesAtOnce, target - size);
        await Promise.all(Array.from({ length: some }, (_, n) => enter(size + n)));
        size += some;
      }
      // Entered many at once: their answers came in another order than their places.
      remembered.sort((one, other) => one.order - other.order);
    },
  };
}

export async function bytesOf(redis: Redis, eventId: string): Promise<number> {
  const { spent, ...named } = eventKeys(eventId);
  const bitmaps = (await redis.command('SMEMBERS', named.chunks)) as string[];
  let bytes = 0;
  for (const key of [...Object.values(named), ...bitmaps.map((name) => `${spent}:${name}`)])
    bytes += Number(await redis.command('MEMORY', 'USAGE', key, 'SAMPLES', 0));
  return bytes;
}
