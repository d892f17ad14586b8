import { describe, expect, test } from 'vitest';
import { type ConsumerDeclaration, defineConsumer } from '../port.ts';
import type { BusKit } from './harness.ts';
import { aGroup, aTopic, range, recorder, type TestTopic } from './records.ts';

/** How events share transactions, and how they are taken apart when a handler fails. */
export function sharedTransactionTests(kit: BusKit): void {
  describe('shared transactions', () => {
    test('a single consumer gets one event at a time, and many of them share a transaction', async () => {
      const calls = await callsOf({ mode: 'single' });
      expect(calls.sizes).toEqual(range(1, 100).map(() => 1));
      expect(calls.transactions).toBeLessThan(100);
    });

    test('batchSizeMax 1 keeps single events apart', async () => {
      const calls = await callsOf({ mode: 'single', batchSizeMax: 1 });
      expect(calls.transactions).toBe(100);
    });

    test('a batch that fails is gone through one by one, without being tried again as a whole', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await kit.publish(bus, topic, 'key', range(1, 20));
      const tried: string[] = [];
      const record = recorder(topic, group, {
        before: ({ data }) => {
          if (data.n === 7) throw new Error('never works');
        },
      });
      await bus.consume({
        ...record,
        handle(events, context) {
          tried.push(events.map(({ data }) => (data as { n: number }).n).join(' '));
          return record.handle(events, context);
        },
      });
      const effects = await kit.effectsWhenSettled(group, 19);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 20).filter((n) => n !== 7));
      const sets = tried.filter((numbers) => numbers.includes(' '));
      expect(new Set(sets).size).toBe(sets.length);
      // Its two retries are its own.
      expect(tried.filter((numbers) => numbers === '7')).toHaveLength(3);
    });

    test('a single event that fails takes none of those with it that shared its transaction', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await kit.publish(bus, topic, 'key', range(1, 60));
      const bad = [9, 10, 33, 60];
      const before = ({ data }: { data: { n: number } }) => {
        if (bad.includes(data.n)) throw new Error('never works');
      };
      await bus.consume(recorder(topic, group, { mode: 'single', before }));
      const effects = await kit.effectsWhenSettled(group, 56);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 60).filter((n) => !bad.includes(n)));
    });

    test('single events that are slow together still go through', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await kit.publish(bus, topic, 'key', range(1, 8));
      let slow = false;
      const before = async ({ data }: { data: { n: number } }) => {
        slow ||= data.n === 4;
        if (slow) await new Promise((resolve) => setTimeout(resolve, 300));
      };
      // Two of them do not fit into the time of one.
      const patience = { handlerTimeoutMs: 550, retry: { times: 20, backoffMs: 1 } };
      await bus.consume(recorder(topic, group, { mode: 'single', before, ...patience }));
      const effects = await kit.effectsWhenSettled(group, 8);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 8));
    });
  });

  /** Has a hundred events of one key handled, and says with how many each call was, and in how many transactions. */
  async function callsOf(declared: Pick<ConsumerDeclaration, 'mode' | 'batchSizeMax'>) {
    const topic: TestTopic = aTopic();
    const group = aGroup();
    const bus = await kit.start([topic]);
    await kit.publish(bus, topic, 'key', range(1, 100));
    const record = recorder(topic, group, declared);
    const sizes: number[] = [];
    await bus.consume(
      defineConsumer({
        ...record,
        handle(events, context) {
          sizes.push(events.length);
          return record.handle(events, context);
        },
      }),
    );
    await kit.effectsWhenSettled(group, 100);
    const { rows } = await kit
      .under()
      .database.query<{ transactions: number }>(
        'SELECT count(DISTINCT xmin::text) AS transactions FROM urr.test_effects WHERE consumer_group = $1',
        [group],
      );
    return { sizes, transactions: rows[0]?.transactions ?? 0 };
  }
}
