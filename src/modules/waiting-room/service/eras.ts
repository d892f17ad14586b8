import type { queueInternalCalls } from '#modules/queue/contract.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import { wholeSite } from '../domain/room.ts';
import type { EraSource } from '../ports.ts';

/** Tier 2 hands eras out, so that no two lines of an event share one. Behind the room of the whole site there is no such line. */
export function createEras({
  queue,
}: {
  queue: Pick<InternalClient<typeof queueInternalCalls>, 'switchRoom'>;
}): EraSource {
  return {
    async switchOn({ eventId, laterThan }) {
      if (eventId === wholeSite) return (laterThan ?? 0) + 1;
      const { era } = await queue.switchRoom({ eventId, on: true, ...(laterThan !== null && { laterThan }) });
      return era;
    },
    async switchOff(eventId) {
      if (eventId !== wholeSite) await queue.switchRoom({ eventId, on: false });
    },
  };
}
