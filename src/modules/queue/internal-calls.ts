import { Type } from 'typebox';
import { defineInternalCalls, type InternalHandlers } from '#platform/internal-call.ts';
import { isStoredSlot } from './domain/slot-id.ts';
import type { EndSlotResult, EventStates, QueueStore } from './ports.ts';
import { exactly, Uuid } from './routes/schemas.ts';
import { type DenySet, deniedSlot } from './service/deny-set.ts';
import { isInStore } from './service/event-view.ts';
import { changesOfEndSlot } from './service/recent-changes.ts';
import type { Snapshots } from './service/snapshots.ts';

export const queueInternalCalls = defineInternalCalls({
  endSlot: {
    summary:
      'Ends a slot early, only if it still has this id: what it was for is done, e.g. its reservation is confirmed. Repeating it is harmless.',
    input: exactly({
      eventId: Uuid,
      userId: Uuid,
      slotId: Type.String({ minLength: 1, maxLength: 200, description: '`jti` of the entry token' }),
    }),
    output: Type.Object({ ended: Type.Boolean({ description: 'false: it had ended, or never was' }) }),
    idempotent: true,
  },
});

export function createInternalHandlers(deps: {
  store: QueueStore;
  states: EventStates;
  snapshots: Snapshots;
  denied: Pick<DenySet, 'add'>;
}) {
  const { store, states, snapshots, denied } = deps;
  return {
    async endSlot({ eventId, userId, slotId }) {
      if (!isStoredSlot(eventId, slotId)) return { ended: false };
      // Refuses events that do not exist before the store is asked for them.
      if (!isInStore(await snapshots.get(eventId))) return { ended: false };
      const end = () => store.endSlot({ eventId, userId, slotId });
      const result = await states.withState<EndSlotResult>(eventId, end, changesOfEndSlot);
      // Its token is worth nothing from now on, here at once and elsewhere within a second.
      if (result.ended) denied.add([deniedSlot(result.slot)]);
      return { ended: result.ended };
    },
  } satisfies InternalHandlers<typeof queueInternalCalls>;
}
