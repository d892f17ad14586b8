import { allConsumerGroups, allTopics } from '#app/modules.ts';
import { createEmbeddedBus } from '#platform/bus/embedded/embedded-bus.ts';
import { createKafkaBus } from '#platform/bus/kafka/kafka-bus.ts';
import type { BusEngine, Consumer } from '#platform/bus/port.ts';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { atEnd } from '../at-end.ts';
import { startKafka } from '../engines/kafka.ts';
import { aFolder } from '../engines/scratch.ts';
import { eventually } from '../faults.ts';

export interface Message {
  readonly topic: string;
  readonly envelope: { readonly id: string; readonly type: string; readonly data: never };
}

/** How messages get from the outbox to the modules. */
export interface Carrier {
  /** Returns when everything that was told has had its effect, and what that told, too. */
  deliver(): Promise<void>;
  /** Has the effect of one message, which may have come before. */
  hear(message: Message): Promise<void>;
  readonly bus: BusEngine | null;
  /** Nothing is carried until `comeBack`: the broker is gone, or, where the bus is in the database, nobody hears it. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

export const busKinds = ['embedded', 'kafka'] as const;
export type CarrierKind = 'hand' | (typeof busKinds)[number];

interface CarrierDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly consumers: readonly Consumer[];
}

export async function messagesOf(database: Database): Promise<Message[]> {
  const { rows } = await database.query<Message & { id: number }>(
    'SELECT id, topic, envelope FROM urr.outbox ORDER BY id',
  );
  return rows;
}

/** The test is the bus: it delivers when, how often and in which order it wants. */
export function byHand({ database, consumers }: CarrierDeps): Carrier {
  let delivered = 0;
  const carrier: Carrier = {
    bus: null,
    goAway: async () => {},
    comeBack: async () => {},
    async hear({ topic, envelope }) {
      const { signal } = new AbortController();
      for (const consumer of consumers.filter(({ declaration }) => declaration.topic.name === topic))
        await database.transaction((tx) =>
          consumer.handle([envelope as never], { tx, partition: 0, attempt: 1, signal }),
        );
    },
    async deliver() {
      for (;;) {
        const fresh = (await messagesOf(database)).slice(delivered);
        if (fresh.length === 0) return;
        for (const message of fresh) {
          await carrier.hear(message);
          delivered += 1;
        }
      }
    },
  };
  return carrier;
}

/** A bus as the program has it. */
export async function byBus(kind: (typeof busKinds)[number], deps: CarrierDeps): Promise<Carrier> {
  const { database, clock, ids, consumers } = deps;
  // Of its own: topics have the same names for everybody.
  const kafka = kind === 'kafka' ? await startKafka({ dir: await aFolder('saga-kafka') }) : null;
  if (kafka !== null) atEnd(() => kafka.stop());
  const shared = { database, topics: allTopics, groups: allConsumerGroups, clock, ids };
  const bus =
    kafka === null
      ? createEmbeddedBus(shared)
      : createKafkaBus({ ...shared, brokers: [kafka.brokers], clientId: 'saga', replication: 1 });
  atEnd(() => bus.stop());
  await bus.start();
  const stops: (() => Promise<void>)[] = [];
  const listen = async () => {
    for (const consumer of consumers) stops.push(await bus.consume(consumer));
  };
  const fallSilent = async () => {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  };
  atEnd(fallSilent);
  await listen();
  const groups = consumers.map(({ declaration }) => declaration.group);

  async function isQuiet(): Promise<boolean> {
    const last = await lastMessage(database);
    if ((await bus.outboxBacklog()).rows > 0) return false;
    const lags = (await bus.lag()).filter(({ group }) => groups.includes(group));
    if (lags.some(({ lag }) => lag > 0) || lags.length < groups.length) return false;
    return (await lastMessage(database)) === last;
  }
  return {
    bus,
    goAway: () => (kafka === null ? fallSilent() : kafka.stop()),
    comeBack: () => (kafka === null ? listen() : kafka.restart()),
    deliver: async () => {
      bus.wakeRelays();
      await eventually(isQuiet, { withinMs: 600_000, what: 'all messages to be heard' });
      const letters = await bus.letters({ limit: 5 });
      if (letters.length > 0) throw new Error(`letters: ${letters.map(({ reason }) => reason).join('; ')}`);
    },
    async hear({ topic, envelope }) {
      // Another id: the inbox does not know it, so it is the handlers that have to.
      await database.query(
        `INSERT INTO urr.outbox (topic, partition, key, event_id, type, envelope)
         SELECT topic, partition, key, fresh.id, type, jsonb_set(envelope::jsonb, '{id}', to_jsonb(fresh.id))
         FROM urr.outbox, (SELECT gen_random_uuid() AS id) AS fresh WHERE topic = $1 AND event_id = $2`,
        [topic, envelope.id],
      );
      bus.wakeRelays();
    },
  };
}

async function lastMessage(database: Database): Promise<number> {
  const { rows } = await database.query<{ id: number | null }>('SELECT max(id) AS id FROM urr.outbox');
  return rows[0]?.id ?? 0;
}
