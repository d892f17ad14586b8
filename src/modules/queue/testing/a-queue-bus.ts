import type { Consumer, Envelope, PartitionLag } from '#platform/bus/port.ts';
import { type Clock, isoTime } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import { compileSchema } from '#platform/http/validation.ts';
import type { Ids } from '#platform/ids.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import type { QueueDeps } from '../index.ts';

export type QueueBus = QueueDeps['bus'] & {
  /** Sent and not yet delivered, by topic, oldest first. */
  readonly sent: Map<string, Envelope[]>;
  away: boolean;
  lags: PartitionLag[];
  /** Hands what was sent on the consumer's topic to it, as one batch. */
  deliver(consumer: Consumer | undefined): Promise<number>;
};

/** Keeps what is sent until the test delivers it, and refuses what the topic's schema does not allow. */
export function aQueueBus({ clock, ids }: { clock: Clock; ids: Ids }): QueueBus {
  const sent = new Map<string, Envelope[]>();
  const bus: QueueBus = {
    sent,
    away: false,
    lags: [],
    lag: async () => bus.lags,
    async publishNow(topic, events) {
      if (bus.away) throw platformErrors.fault('BUS_UNAVAILABLE');
      for (const { type, key, data } of events) {
        const definition = topic.types[type];
        if (definition === undefined) throw new Error(`${topic.name} has no ${type}`);
        const problems = compileSchema(definition.data)(data);
        if (problems.length > 0) throw new Error(problems.join('; '));
        const envelope = {
          id: ids.next(),
          type,
          version: definition.version,
          occurredAt: isoTime(clock.now()),
          key,
          data,
        };
        sent.set(topic.name, [...(sent.get(topic.name) ?? []), envelope]);
      }
    },
    async deliver(consumer) {
      if (consumer === undefined) throw new Error('there is no such consumer');
      const { topic } = consumer.declaration;
      const events = sent.get(topic.name) ?? [];
      sent.delete(topic.name);
      // Entries have no effect in PostgreSQL.
      const context = { tx: {} as Transaction, partition: 0, attempt: 1, signal: new AbortController().signal };
      await consumer.handle(events as never, context);
      return events.length;
    },
  };
  return bus;
}
