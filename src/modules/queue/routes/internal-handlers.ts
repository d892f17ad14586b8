import type { InternalHandlers } from '#platform/internal-call.ts';
import type { Database } from '#platform/postgres/database.ts';
import { isStoredSlot } from '../domain/slot-id.ts';
import type { queueInternalCalls } from '../internal-calls.ts';
import type { EndSlotResult, EventStates, QueueStore } from '../ports.ts';
import { type DenySet, deniedSlot } from '../service/deny-set.ts';
import { isInStore } from '../service/event-view.ts';
import { createPersonalData } from '../service/personal-data.ts';
import { changesOfEndSlot } from '../service/recent-changes.ts';
import type { Snapshots } from '../service/snapshots.ts';

export function createInternalHandlers(deps: {
  database: Database;
  store: QueueStore;
  states: EventStates;
  snapshots: Snapshots;
  denied: Pick<DenySet, 'add'>;
  switchRoom: InternalHandlers<typeof queueInternalCalls>['switchRoom'];
  demand: InternalHandlers<typeof queueInternalCalls>['demand'];
}) {
  const { database, store, states, snapshots, denied, switchRoom, demand } = deps;
  const endSlot: InternalHandlers<typeof queueInternalCalls>['endSlot'] = async ({ eventId, userId, slotId }) => {
    if (!isStoredSlot(eventId, slotId)) return { ended: false };
    // Refuses events that do not exist before the store is asked for them.
    if (!isInStore(await snapshots.get(eventId))) return { ended: false };
    const end = () => store.endSlot({ eventId, userId, slotId });
    const result = await states.withState<EndSlotResult>(eventId, end, changesOfEndSlot);
    // Its token is worth nothing from now on, here at once and elsewhere within a second.
    if (result.ended) denied.add([deniedSlot(result.slot)]);
    return { ended: result.ended };
  };
  return { endSlot, switchRoom, demand, ...createPersonalData({ database, endSlot }) } satisfies InternalHandlers<
    typeof queueInternalCalls
  >;
}
