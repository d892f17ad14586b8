import type { Logger } from '#platform/telemetry/logger.ts';
import type { EventFacts, KnownEvents, OperatorSettings, QueueConfig, QueueSettings } from '../ports.ts';

/** What the operator set, else what the event says, else the configuration. */
export async function settingsInForce(
  { known, config, logger }: { known: KnownEvents; config: Pick<QueueConfig, 'threshold'>; logger: Logger },
  eventId: string,
  set: OperatorSettings,
): Promise<QueueSettings> {
  if (set.threshold !== null) return { ...set, threshold: set.threshold };
  const facts = await known.get(eventId).catch((error: unknown) => {
    // The next look at the settings sets it right; a queue that does not come back would be worse.
    logger.warn({ err: error, eventId }, 'the threshold of an event is not known; the configured one holds');
    return null;
  });
  return { ...set, threshold: thresholdUnset(facts, config) };
}

/** Where no operator has set one. */
export function thresholdUnset(
  facts: Pick<EventFacts, 'threshold'> | null,
  config: Pick<QueueConfig, 'threshold'>,
): number {
  return facts?.threshold ?? config.threshold;
}
