import { useServerNow } from '../app/use-server-now.ts';
import { useQueueView } from './use-queue.ts';

export interface Slot {
  readonly endsAtMs: number;
  readonly leftMs: number;
}

/** The slot that one has for the event, with the time that is left; null: none, or it is over. */
export function useSlot(eventId: string): Slot | null {
  const view = useQueueView(eventId);
  const endsAtMs = view?.kind === 'turn' ? view.slotEndsAtMs : null;
  const leftMs = (endsAtMs ?? 0) - useServerNow(endsAtMs !== null);
  return endsAtMs === null || leftMs <= 0 ? null : { endsAtMs, leftMs };
}
