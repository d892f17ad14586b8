import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { QueueView } from './queue-view.ts';
import { queues } from './queues.ts';
import type { FollowedQueue } from './urgency.ts';

/** What a visitor can do about a place. */
export interface QueueActs {
  retry(): void;
  enterAgain(): void;
  /** Fails with a problem when the server did not hear it. */
  leave(): Promise<void>;
}

const entering: QueueView = { kind: 'entering', problem: null, event: null };

/** Lines up for the event, and follows the place; also when the page is left. */
export function useQueue(eventId: string): readonly [QueueView, QueueActs] {
  useEffect(() => queues.open(eventId), [eventId]);
  const acts = useMemo(
    () => ({
      retry: () => queues.retry(eventId),
      enterAgain: () => queues.enterAgain(eventId),
      leave: () => queues.leave(eventId),
    }),
    [eventId],
  );
  return [useQueueView(eventId) ?? entering, acts];
}

/** Where one stands in the event's queue; null: not in line, as far as this browser knows. Asks nothing. */
export function useQueueView(eventId: string): QueueView | null {
  return useSyncExternalStore(queues.subscribe, () => queues.view(eventId));
}

/** All queues that this browser waits in, the most urgent first. */
export function useFollowedQueues(): readonly FollowedQueue[] {
  return useSyncExternalStore(queues.subscribe, queues.list);
}
