import type { QueueView } from './queue-view.ts';

/** An event whose queue this browser follows. */
export interface FollowedQueue {
  readonly eventId: string;
  readonly view: QueueView;
}

/** A turn first, the one that ends soonest; then the places, the foremost one; then what is only news. */
export function byUrgency(one: FollowedQueue, other: FollowedQueue): number {
  const [rank, within] = urgency(one.view);
  const [otherRank, otherWithin] = urgency(other.view);
  return rank - otherRank || within - otherWithin;
}

function urgency(view: QueueView): readonly [number, number] {
  if (view.kind === 'turn') return [0, view.slotEndsAtMs ?? 0];
  if (view.kind === 'waiting') return [1, view.position];
  return [view.kind === 'entering' ? 2 : 3, 0];
}
