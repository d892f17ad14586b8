import type { Database, Transaction } from '../postgres/database.ts';
import type { Messages } from './message.ts';
import type { BusObserver } from './options.ts';
import { appendToOutbox } from './outbox.ts';
import type { NewEvent, TopicDefinition } from './port.ts';
import { outboxChannel, type Relay } from './relay.ts';

export interface Publisher {
  publish(tx: Transaction, topic: TopicDefinition, events: readonly NewEvent<TopicDefinition>[]): Promise<void>;
  /** Wakes the relay of these partitions, in this process or another. Losing it only costs the relay's next poll. */
  wakeRelays(partitions: Iterable<number>): void;
}

export function createPublisher(options: {
  database: Database;
  messages: Messages;
  observe: BusObserver;
  relay: Relay | null;
}): Publisher {
  const { database, messages, observe, relay } = options;
  const noticeOthers = createNotice(database);

  function wakeRelays(partitions: Iterable<number>): void {
    let elsewhere = false;
    for (const partition of partitions) if (relay?.wake(partition) !== true) elsewhere = true;
    if (elsewhere) noticeOthers();
  }

  return {
    wakeRelays,
    async publish(tx, topic, events) {
      if (events.length === 0) return;
      const outgoing = messages.encode(topic, events);
      await appendToOutbox(tx, outgoing);
      tx.afterCommit(() => {
        observe.published?.(topic.name, events.length);
        wakeRelays(new Set(outgoing.map((message) => message.partition)));
      });
    },
  };
}

/**
 * NOTIFY inside the publishing transaction would take a lock of the whole database at every COMMIT and queue all
 * publishers behind each other. So it is sent after the commit, and while one is under way the next ones become one.
 */
function createNotice(database: Database): () => void {
  let underWay = false;
  let again = false;
  return function notice() {
    if (underWay) {
      again = true;
      return;
    }
    underWay = true;
    database
      .query('SELECT pg_notify($1, $2)', [outboxChannel, ''])
      .catch(() => undefined)
      .finally(() => {
        underWay = false;
        if (!again) return;
        again = false;
        notice();
      });
  };
}
