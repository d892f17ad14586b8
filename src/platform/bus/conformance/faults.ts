import { describe, expect, test } from 'vitest';
import { createDatabase } from '#platform/postgres/pool.ts';
import { eventually } from '#test/kit/faults.ts';
import { deadLetterHeader } from '../dead-letter.ts';
import { type Consumer, type ConsumerContext, defineConsumer } from '../port.ts';
import { type BusKit, settleMs } from './harness.ts';
import { aGroup, aTopic, type Counted, range, type TestTopic } from './records.ts';

/** What the second half of an effect adds to the number of the first. */
const credit = 1_000;

type Fault = (event: Counted, context: ConsumerContext) => unknown;

/** Handlers that fail in every way: nothing is half done, the others go on, and the letter says why. */
export function faultTests(kit: BusKit): void {
  describe('handlers that fail', () => {
    test('an error whose message is no string leaves no debit without its credit', async () => {
      const fault = () => {
        throw Object.assign(new Error(), { message: { no: 'string' } });
      };
      expect(await reasonOf(fault)).toBe('{"no":"string"}');
    });
  });

  /** Lets the second of three transfers fail between debit and credit, and says what its dead letter gives as the reason. */
  async function reasonOf(fault: Fault): Promise<string | undefined> {
    const topic = aTopic();
    const group = aGroup();
    // One connection: what a transaction leaves behind would be committed by the next one.
    const database = createDatabase({ url: kit.under().database.url, poolMax: 1, connectTimeoutMs: settleMs });
    const bus = await kit.start([topic], { database });
    try {
      await bus.consume(transfers(topic, group, fault));
      await kit.publish(bus, topic, 'key', range(1, 3));
      const letters = await eventually(
        async () => {
          const found = await kit.under().readTopic(`${topic.name}-dead`);
          return found.length > 0 && found;
        },
        { withinMs: settleMs, what: 'the dead letter' },
      );
      const effects = await kit.effectsWhenSettled(group, 4);
      expect(effects.map(({ n }) => n)).toEqual([1, 1 + credit, 3, 3 + credit]);
      expect(letters.map(({ value }) => JSON.parse(value).data.n)).toEqual([2]);
      return letters[0]?.headers[deadLetterHeader.reason];
    } finally {
      await bus.stop();
      await database.close();
    }
  }
}

function transfers(topic: TestTopic, group: string, fault: Fault): Consumer {
  return defineConsumer({
    declaration: {
      topic,
      group,
      mode: 'single',
      commit: 'manual',
      retry: { times: 1, backoffMs: 10 },
      deadLetter: `${topic.name}-dead`,
    },
    async handle(events, context) {
      const write = (event: Counted, n: number) =>
        context.tx.query(
          'INSERT INTO urr.test_effects (consumer_group, topic, event_id, key, n) VALUES ($1, $2, $3, $4, $5)',
          [group, topic.name, event.id, event.key, n],
        );
      for (const event of events) {
        await write(event, event.data.n);
        if (event.data.n === 2) await fault(event, context);
        await write(event, event.data.n + credit);
      }
    },
  });
}
