import type { Bus, NewEvent, TopicDefinition } from '#platform/bus/port.ts';
import { compileSchema } from '#platform/http/validation.ts';

export interface Said {
  readonly topic: string;
  readonly type: string;
  readonly key: string;
  readonly data: Record<string, unknown>;
}

export interface RecordingBus extends Bus {
  /** What was published by transactions that committed, and at once; oldest first. */
  readonly said: Said[];
  /** The broker is away: `publishNow` fails. */
  away: boolean;
}

/** Remembers instead of sending, and refuses what the topic's schema does not allow, as the real ones do. */
export function aRecordingBus(): RecordingBus {
  const said: Said[] = [];
  const bus: RecordingBus = {
    said,
    away: false,
    async publish(tx, topic, events) {
      const checked = events.map((event) => check(topic, event));
      tx.afterCommit(() => said.push(...checked));
    },
    async publishNow(topic, events) {
      if (bus.away) throw new Error('the broker is away');
      said.push(...events.map((event) => check(topic, event)));
    },
    wakeRelays: () => undefined,
    consume: async () => async () => {},
  };
  return bus;
}

function check<Topic extends TopicDefinition>(topic: Topic, event: NewEvent<Topic>): Said {
  const definition = topic.types[event.type];
  if (definition === undefined) throw new Error(`${topic.name} has no ${event.type}`);
  const problems = compileSchema(definition.data)(event.data);
  if (problems.length > 0) throw new Error(`${event.type}: ${problems.join('; ')}`);
  return { topic: topic.name, type: event.type, key: event.key, data: event.data as Record<string, unknown> };
}
