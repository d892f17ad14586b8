import { catalogEvents } from '#modules/catalog/contract.ts';
import { type Consumer, type ConsumerDeclaration, defineConsumer } from '#platform/bus/port.ts';
import { saveEvents } from '../storage/events.ts';

export const catalogEventsDeclaration = {
  topic: catalogEvents,
  group: 'ticketing-events',
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 200 },
  deadLetter: 'ticketing-events-dead',
  onPoison: 'pass',
  batchSizeMax: 200,
} as const satisfies ConsumerDeclaration<typeof catalogEvents>;

/**
 * Only writes down what was heard. Seats are built afterwards, outside this transaction, since catalog has to be asked for the
 * drawing and may be slow or away. The highest version of an event stays, so repeats and any order are harmless.
 */
export function catalogEventsConsumer({ onHeard }: { onHeard: () => void }): Consumer {
  return defineConsumer({
    declaration: catalogEventsDeclaration,
    async handle(events, { tx }) {
      await saveEvents(
        tx,
        events.map(({ type, data }) => ({
          facts: data,
          cancelled: type === 'EVENT_CANCELLED' ? { at: data.cancelledAt, reason: data.reason } : null,
        })),
      );
      tx.afterCommit(onHeard);
    },
  });
}
