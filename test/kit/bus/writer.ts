import { setTimeout as delay } from 'node:timers/promises';
import type { BusEngine } from '#platform/bus/port.ts';
import type { Database, Transaction } from '#platform/postgres/database.ts';
import type { SeededRandom } from '#test/kit/seeded-random.ts';
import { growingTopic, type TopicName, type Topics, type Transfer } from './cast.ts';

/** Publishes transfers of all topics for as long as it is let, and writes down what it has committed, in the same transaction. */
export interface Writer {
  start(): void;
  stop(): Promise<void>;
  /** One transfer beside the others. Tries until it is committed. */
  publishOne(topic: TopicName, extra: Pick<Transfer, 'poison' | 'pad'>): Promise<{ key: string; n: number }>;
  /**
   * So many of one key in one transaction, after what `first` writes in it. Tries until they are committed, or until the keys
   * have changed over.
   */
  publishMany(of: Many): Promise<void>;
  keyOf(topic: TopicName): string;
  /** Publishes with other partitions from now on, and with other keys where their number has changed. */
  changeOver(next: { bus: BusEngine; topics: Topics }): void;
}

interface Many {
  readonly topic: TopicName;
  readonly key: string;
  readonly count: number;
  readonly first?: (tx: Transaction) => Promise<unknown>;
}

const keysPerTopic = 8;
const accounts = 20;
const pauseMs = { least: 15, most: 60 };
const afterFailureMs = 200;
const eventsMax = 4;
/** Of all transactions: those that are rolled back, and those that commit late. */
const rolledBackShare = 0.03;
const lateShare = 0.03;
const lateMs = 400;

class RolledBack extends Error {}

export function createWriter(options: {
  database: Database;
  bus: BusEngine;
  topics: Topics;
  random: SeededRandom;
}): Writer {
  const { database, random } = options;
  let current = { bus: options.bus, topics: options.topics, generation: 1 };
  let stopped = false;
  const loops: Promise<void>[] = [];

  const keyOf = (topic: TopicName) => {
    const key = `key-${random.between(1, keysPerTopic)}`;
    return topic === growingTopic ? `${key} of generation ${current.generation}` : key;
  };

  async function write(
    topic: TopicName,
    key: string,
    extras: readonly Pick<Transfer, 'poison' | 'pad'>[],
    first?: Many['first'],
  ) {
    const { bus, topics } = current;
    const late = random.fraction() < lateShare;
    const rolledBack = random.fraction() < rolledBackShare && extras.every(({ poison, pad }) => !poison && !pad);
    return database.transaction(async (tx) => {
      // Locks the business row before the outbox is written to, as the port asks.
      const { rows } = await tx.query<{ n: number }>(
        `INSERT INTO chaos.keys (topic, key, n) VALUES ($1, $2, $3)
         ON CONFLICT (topic, key) DO UPDATE SET n = keys.n + excluded.n RETURNING n`,
        [topic, key, extras.length],
      );
      await first?.(tx);
      const last = rows[0]?.n ?? 0;
      const transfers = extras.map((extra, index): Transfer => {
        const from = random.between(1, accounts);
        const to = (from + random.between(1, accounts - 1)) % accounts;
        return {
          n: last - extras.length + 1 + index,
          from: `account-${from}`,
          to: `account-${to}`,
          amountKrw: random.between(1, 500) * 100,
          ...extra,
        };
      });
      for (const { n, from, to, amountKrw, poison } of transfers) {
        await tx.query('INSERT INTO chaos.written VALUES ($1, $2, $3, $4, $5, $6, $7)', [
          topic,
          key,
          n,
          from,
          to,
          amountKrw,
          poison ?? null,
        ]);
      }
      await bus.publish(
        tx,
        topics[topic],
        transfers.map((data) => ({ type: 'TRANSFERRED', key, data })),
      );
      if (late) await delay(lateMs);
      if (rolledBack) throw new RolledBack();
      return last;
    });
  }

  async function keepWriting(topic: TopicName): Promise<void> {
    while (!stopped) {
      const extras = Array.from({ length: random.between(1, eventsMax) }, () => ({}));
      const pause = await write(topic, keyOf(topic), extras).then(
        () => random.between(pauseMs.least, pauseMs.most),
        (error: unknown) => (error instanceof RolledBack ? 0 : afterFailureMs),
      );
      await delay(pause);
    }
  }

  return {
    keyOf,
    start() {
      for (const topic of Object.keys(current.topics) as TopicName[]) loops.push(keepWriting(topic));
    },
    async stop() {
      stopped = true;
      await Promise.all(loops);
    },
    async publishOne(topic, extra) {
      const key = keyOf(topic);
      for (;;) {
        const n = await write(topic, key, [extra]).catch(() => null);
        if (n !== null) return { key, n };
        await delay(afterFailureMs);
      }
    },
    async publishMany({ topic, key, count, first }) {
      const extras = Array.from({ length: count }, () => ({}));
      const isCurrent = () => topic !== growingTopic || key.endsWith(` ${current.generation}`);
      while (isCurrent()) {
        const n = await write(topic, key, extras, first).catch(() => null);
        if (n !== null) return;
        await delay(afterFailureMs);
      }
    },
    changeOver(next) {
      current = { ...next, generation: current.generation + 1 };
    },
  };
}
