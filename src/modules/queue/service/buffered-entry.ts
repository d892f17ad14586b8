import { isoTime } from '#platform/clock.ts';
import { waitingRoomOf, waitingRoomRequired } from '#platform/http/tier1.ts';
import type { QueueDeps } from '../deps.ts';
import { nextPollSeconds } from '../domain/next-poll.ts';
import { queueEntry, queueEntryHot } from '../topics.ts';
import { otherJson } from './answers.ts';
import { type Answer, type Caller, pendingPollSeconds, type Queue } from './queue.ts';
import type { Snapshots } from './snapshots.ts';
import type { Tier1 } from './tier1.ts';
import type { WaitingTickets } from './waiting-tickets.ts';

export interface BufferedEntry {
  /** Puts the wish on the bus and answers with a pending ticket. BUS_UNAVAILABLE within 2 s. */
  request(eventId: string, caller: Caller, vwrTokens: readonly string[]): Promise<Answer>;
}

/** For the first seconds of a sale: the bus takes a burst that the store would have to answer one by one. */
export function createBufferedEntry(
  deps: Pick<QueueDeps, 'bus' | 'clock' | 'random'> & {
    queue: Queue;
    snapshots: Snapshots;
    waitingTickets: WaitingTickets;
    tier1: Tier1;
  },
): BufferedEntry {
  const { bus, clock, random, queue, snapshots, waitingTickets, tier1 } = deps;
  return {
    async request(eventId, caller, vwrTokens) {
      const view = await snapshots.get(eventId);
      const { facts, snapshot } = view;
      // Nothing to wait for: the answer is the same as at once. In a closed queue who has no place learns it now, and not
      // after two minutes of waiting for one.
      const settled = !queue.isOpen(facts) || !facts.queueEnabled || snapshot.settings.closed;
      if (settled) return queue.check(eventId, caller, vwrTokens);
      const roomOn = tier1.roomOn(eventId);
      const numbered = tier1.orderOf(eventId, vwrTokens);
      const { userId, ticket } = caller;
      // An existing place lets in as well. Only who has nothing to show costs this question.
      if (roomOn && numbered === undefined && ticket === null && !(await queue.isPlaced(eventId, caller))) {
        throw waitingRoomRequired(waitingRoomOf(eventId));
      }
      const now = clock.now();
      const event = {
        type: 'ENTRY_REQUESTED' as const,
        key: eventId,
        data: {
          eventId,
          userId,
          requestedAt: isoTime(now),
          roomOn,
          ...(ticket !== null && { ticketOrder: ticket.order }),
          ...(numbered !== undefined && { numbered }),
        },
      };
      await bus.publishNow(facts.hot ? queueEntryHot : queueEntry, [event]);
      // Anyone who holds a ticket keeps it: it says more than a pending one.
      if (ticket !== null && caller.ticketText !== null) return pendingAnswer(caller.ticketText);
      return pendingAnswer(waitingTickets.sealPending({ eventId, userId, requestedAtMs: now }));

      function pendingAnswer(text: string): Answer {
        const nextPoll = Math.min(pendingPollSeconds, nextPollSeconds(0, random.fraction()));
        return { json: otherJson(view, { status: 'pending', nextPoll, ticket: text }), ticket: text };
      }
    },
  };
}
