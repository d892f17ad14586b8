import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { KnownEvents, OperatorSettings, QueueConfig, QueueSettings, QueueStore } from '../ports.ts';
import type { RecoverableEventStates } from '../service/event-states.ts';
import { settingsInForce } from '../service/settings.ts';

export interface SettingsWatch {
  compare(eventId: string, now: { set: OperatorSettings; inStore: QueueSettings }): Promise<void>;
}

const eventsMax = 1_000;

/**
 * The store follows the journal and the event's facts: a threshold that the seller changed, a pause that a stale copy of
 * the store does not know. A difference is mended when it is seen twice in a row, because an operator's change is in the
 * store a moment before it is in the journal.
 */
export function createSettingsWatch(deps: {
  store: QueueStore;
  states: RecoverableEventStates;
  known: KnownEvents;
  config: QueueConfig;
  logger: Logger;
}): SettingsWatch {
  const { store, states, logger } = deps;
  const differed = new Map<string, QueueSettings>();

  return {
    async compare(eventId, { set, inStore }) {
      const wanted = await settingsInForce(deps, eventId, set);
      if (isDeepStrictEqual(wanted, inStore)) {
        differed.delete(eventId);
        return;
      }
      if (!isDeepStrictEqual(differed.get(eventId), wanted)) {
        if (differed.size >= eventsMax) differed.clear();
        differed.set(eventId, wanted);
        return;
      }
      differed.delete(eventId);
      await states.withState(eventId, () => store.configure({ eventId, changes: wanted }));
      logger.info({ eventId, before: inStore, after: wanted }, 'the store follows the settings in force');
    },
  };
}
