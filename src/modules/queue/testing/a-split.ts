import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '#test/kit/faults.ts';
import type { QueueProcess } from './queue-processes.ts';

/**
 * Processes that may be on different servers, each asked for slots all the time. Anyone who is answered `active` shops from then
 * on, and nobody is ever done: so more shoppers than the threshold are too many, whatever each server counts.
 */
export function aSplit({
  eventId,
  shopping,
  processes,
}: {
  eventId: string;
  shopping: readonly string[];
  processes: readonly QueueProcess[];
}) {
  const told = new Set(shopping);
  let going = true;
  const run = Promise.all(
    processes.map(async (process) => {
      const users: string[] = [];
      for (let n = 0; going; n++) {
        await process.tick().catch(() => undefined);
        // Newcomers, and those who were placed before and ask again.
        if (users.length < 20) users.push(randomUUID());
        const userId = users[n % users.length] ?? '';
        const result = await process.enter(eventId, userId).catch(() => null);
        if (result?.status === 'active') told.add(userId);
        await delay(20);
      }
    }),
  );
  return {
    shopping: () => [...told],
    most: () => told.size,
    until: (isSo: () => Promise<boolean>, withinMs: number) => eventually(isSo, { withinMs, what: 'the slots' }),
    goOn: (ms: number) => delay(ms),
    async stop() {
      going = false;
      await run;
    },
  };
}
