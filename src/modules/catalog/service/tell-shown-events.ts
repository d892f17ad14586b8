import type { Transaction } from '#platform/postgres/database.ts';
import type { CatalogDeps } from '../ports.ts';
import { type EventReference, touchShownEvents } from '../storage/events.ts';
import { catalogEvents } from '../topics.ts';
import { snapshotOf } from './present.ts';

export type TellShownEvents = (tx: Transaction, of: { reference: EventReference; id: string }) => Promise<void>;

/** An artist or venue has a new name: every public event that shows it has changed, and those who keep it must hear. */
export function createTellShownEvents(
  deps: Pick<CatalogDeps, 'bus' | 'clock'> & { evict: (eventId: string) => void },
): TellShownEvents {
  return async (tx, of) => {
    const events = await touchShownEvents(tx, { ...of, nowMs: deps.clock.now() });
    if (events.length === 0) return;
    await deps.bus.publish(
      tx,
      catalogEvents,
      events.map((event) => ({ type: 'EVENT_CHANGED' as const, key: event.id, data: snapshotOf(event) })),
    );
    tx.afterCommit(() => {
      for (const event of events) deps.evict(event.id);
    });
  };
}
