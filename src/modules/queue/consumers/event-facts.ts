import { catalogEvents } from '#modules/catalog/contract.ts';
import { type ConsumerDeclaration, defineConsumer } from '#platform/bus/port.ts';
import { factsOf } from '../service/event-facts.ts';
import { saveFacts } from '../storage/facts.ts';

export const eventFactsDeclaration = {
  topic: catalogEvents,
  group: 'queue-facts',
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 200 },
  deadLetter: 'queue-facts-dead',
  onPoison: 'pass',
  batchSizeMax: 200,
} as const satisfies ConsumerDeclaration<typeof catalogEvents>;

/**
 * One process of the group writes the facts down; every process reads what changed twice a second (known-events.ts).
 * The highest version of an event stays, in whichever order they come: a letter that is tried later and a replay from
 * the beginning are harmless.
 */
export const eventFactsConsumer = defineConsumer({
  declaration: eventFactsDeclaration,
  async handle(events, { tx }) {
    await saveFacts(
      tx,
      events.map(({ type, data }) => factsOf(data, { cancelled: type === 'EVENT_CANCELLED' })),
    );
  },
});
