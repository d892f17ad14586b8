import { describe, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { eventually } from '#test/kit/faults.ts';
import { deadLetterHeader } from '../dead-letter.ts';
import { type Consumer, type ConsumerDeclaration, defineConsumer } from '../port.ts';
import { endlessHandlers, type HandlerFault, handlerFaults, shortTimeoutMs } from './faulty-handlers.ts';
import { type BusKit, connectTimeoutMs, settleMs } from './harness.ts';
import { aGroup, aTopic, type Counted, range, recorder, type TestTopic } from './records.ts';

/** What the second half of an effect adds to the number of the first. */
const credit = 1_000;
const failingMs = settleMs * 2;

/** Whose fault it is: the message's, its handler's, an engine's or another consumer's. */
export function faultTests(kit: BusKit): void {
  describe('whose fault it is', () => {
    const mode = kit.parts.faultMode;
    test(
      `however a handler fails, nothing is half done, the others go on and the letter says why (${mode})`,
      async () => {
        await failEach(handlerFaults, { mode, retry: { times: 1, backoffMs: 10 } });
      },
      failingMs,
    );

    test(
      'a handler that does not come to an end is given up, and what it does later has no effect',
      async () => {
        // Enough retries that an innocent message on a slow machine does not run out of time each time.
        const retry = { times: 3, backoffMs: 100 };
        await failEach(endlessHandlers, { mode: 'batch', retry, handlerTimeoutMs: shortTimeoutMs });
      },
      failingMs,
    );

    test('a message that another consumer is at is waited for: it makes no dead letter and keeps its order', async () => {
      const topic = aTopic();
      const group = aGroup();
      const outcomes: string[] = [];
      const database = createDatabase({
        url: kit.under().database.url,
        poolMax: 5,
        connectTimeoutMs,
        statementTimeoutMs: 300,
      });
      const publishing = await kit.start([topic], { relay: false });
      await kit.publish(publishing, topic, 'key', range(1, 3));
      const atIt = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const other = kit.under().database.transaction(async (tx) => {
        await tx.query(
          `INSERT INTO urr.inbox (consumer_group, topic, event_id)
           SELECT $1, topic, event_id FROM urr.outbox WHERE topic = $2 ORDER BY id LIMIT 1`,
          [group, topic.name],
        );
        atIt.resolve();
        await gone.promise;
        throw new Error('the first consumer dies');
      });
      await atIt.promise;
      const bus = await kit.start([topic], { database, observe: { failed: (_, kind) => outcomes.push(kind) } });
      try {
        await bus.consume(recorder(topic, group, { mode: 'single', retry: { times: 0, backoffMs: 1 } }));
        await eventually(() => outcomes.length >= 3 || outcomes.includes('error'), {
          withinMs: settleMs,
          what: 'the second consumer to have waited',
        });
        expect(new Set(outcomes)).toEqual(new Set(['outage']));
        gone.resolve();
        await expect(other).rejects.toThrow('dies');
        const effects = await kit.effectsWhenSettled(group, 3);
        expect(effects.map(({ n }) => n)).toEqual([1, 2, 3]);
        expect(await kit.under().readTopic(`${topic.name}-dead`)).toHaveLength(0);
      } finally {
        gone.resolve();
        await other.catch(() => {});
        await bus.stop();
        await database.close();
      }
    });

    test('a handler may stand still for longer than other transactions may', async () => {
      const topic = aTopic();
      const group = aGroup();
      const database = createDatabase({
        url: kit.under().database.url,
        poolMax: 5,
        connectTimeoutMs,
        idleInTransactionMs: 200,
      });
      const bus = await kit.start([topic], { database });
      try {
        const before = () => new Promise<void>((resolve) => setTimeout(resolve, 1_000));
        await bus.consume(recorder(topic, group, { before, retry: { times: 0, backoffMs: 1 } }));
        await kit.publish(bus, topic, 'key', [1]);
        expect((await kit.effectsWhenSettled(group, 1)).map(({ n }) => n)).toEqual([1]);
      } finally {
        await bus.stop();
        await database.close();
      }
    });
  });

  /** Publishes three messages per fault, of which the second fails that way, between debit and credit. */
  async function failEach(faults: readonly HandlerFault[], declared: Declared): Promise<void> {
    const topic = aTopic();
    const group = aGroup();
    const { database: shared } = kit.under();
    await shared.query(
      'CREATE TABLE IF NOT EXISTS urr.test_deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)',
    );
    // One connection: what a transaction leaves behind would be committed by the next one.
    const database = createDatabase({ url: shared.url, poolMax: 1, connectTimeoutMs });
    const bus = await kit.start([topic], { database });
    try {
      await bus.consume(transfers(topic, group, faults, declared));
      const numbers = range(0, faults.length * 3 - 1);
      await kit.publish(bus, topic, 'key', numbers);
      const letters = await eventually(
        async () => {
          const found = await kit.under().readTopic(`${topic.name}-dead`);
          return found.length >= faults.length && found;
        },
        { withinMs: settleMs, what: 'the dead letters' },
      );
      const innocent = numbers.filter((n) => n % 3 !== 1);
      const effects = await kit.effectsWhenSettled(group, innocent.length * 2);
      expect(effects.map(({ n }) => n)).toEqual(innocent.flatMap((n) => [n, n + credit]));
      const reasons = letters.map(({ value, headers }) => ({
        what: faults[Math.trunc(JSON.parse(value).data.n / 3)]?.what,
        reason: headers[deadLetterHeader.reason],
      }));
      expect(reasons).toEqual(faults.map(({ what, reason }) => ({ what, reason })));
    } finally {
      await bus.stop();
      await database.close();
    }
  }
}

type Declared = Pick<ConsumerDeclaration, 'mode' | 'retry' | 'handlerTimeoutMs'>;

/** Each event is a debit and a credit. */
function transfers(topic: TestTopic, group: string, faults: readonly HandlerFault[], declared: Declared): Consumer {
  const deadLetter = `${topic.name}-dead`;
  return defineConsumer({
    declaration: { topic, group, commit: 'manual', deadLetter, batchSizeMax: 3, ...declared },
    async handle(events, context) {
      const write = (event: Counted, n: number) =>
        context.tx.query(
          'INSERT INTO urr.test_effects (consumer_group, topic, event_id, key, n) VALUES ($1, $2, $3, $4, $5)',
          [group, topic.name, event.id, event.key, n],
        );
      for (const event of events) {
        const { n } = event.data;
        await write(event, n);
        if (n % 3 === 1) await faults[Math.trunc(n / 3)]?.fault(context, event);
        await write(event, n + credit);
      }
    },
  });
}
