import { describe, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { InvalidEvent } from '../message.ts';
import type { BusEngine } from '../port.ts';
import { type BusKit, settleMs } from './harness.ts';
import { aGroup, aTopic, inOrderPerKey, range, recorder, type TestTopic } from './records.ts';

/** Order, at least once, exactly one effect, groups. */
export function deliveryTests(kit: BusKit): void {
  describe('delivery', () => {
    for (const mode of ['single', 'batch'] as const) {
      test(`every event has one effect, in the order of its key (${mode})`, async () => {
        const topic = aTopic();
        const group = aGroup();
        const bus = await kit.start([topic]);
        await bus.consume(recorder(topic, group, { mode }));
        const keys = range(1, 8).map((number) => `key-${number}`);
        await Promise.all(
          keys.map(async (key) => {
            for (let n = 1; n <= 25; n += 5) await kit.publish(bus, topic, key, range(n, n + 4));
          }),
        );
        const effects = await kit.effectsWhenSettled(group, 200);
        expect(effects).toHaveLength(200);
        expect(inOrderPerKey(effects)).toBe(true);
      });
    }

    test('groups are independent: each has every event, and one that fails does not hold up another', async () => {
      const topic = aTopic();
      const [healthy, broken] = [aGroup(), aGroup()];
      const bus = await kit.start([topic]);
      const fail = () => {
        throw new Error('never works');
      };
      await bus.consume(recorder(topic, broken, { before: fail, retry: { times: 1_000, backoffMs: 50 } }));
      await bus.consume(recorder(topic, healthy));
      await kit.publish(bus, topic, 'key', range(1, 50));
      expect(await kit.effectsWhenSettled(healthy, 50)).toHaveLength(50);
      expect(await kit.effects(broken)).toHaveLength(0);
    });

    test('a group that comes later starts at the earliest message', async () => {
      const topic = aTopic();
      const [early, late] = [aGroup(), aGroup()];
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, early));
      await kit.publish(bus, topic, 'key', range(1, 30));
      await kit.effectsWhenSettled(early, 30);
      await bus.consume(recorder(topic, late));
      const effects = await kit.effectsWhenSettled(late, 30);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 30));
    });

    test('what was rolled back is not published', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group));
      const rolledBack = kit.under().database.transaction(async (tx) => {
        await bus.publish(tx, topic, [{ type: 'COUNTED', key: 'key', data: { n: 99 } }]);
        throw new Error('changed my mind');
      });
      await expect(rolledBack).rejects.toThrow('changed my mind');
      await kit.publish(bus, topic, 'key', [1]);
      expect((await kit.effectsWhenSettled(group, 1)).map(({ n }) => n)).toEqual([1]);
    });

    test('a transaction that commits late is not skipped', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group));
      const late = Promise.withResolvers<void>();
      const written = Promise.withResolvers<void>();
      const slow = kit.under().database.transaction(async (tx) => {
        await bus.publish(tx, topic, [{ type: 'COUNTED', key: 'slow', data: { n: 1 } }]);
        written.resolve();
        await late.promise;
      });
      await written.promise;
      // These draw higher ids, in the same partition too, and are relayed before the slow one commits.
      for (const key of ['a', 'b', 'c', 'slow-neighbour', 'd']) await kit.publish(bus, topic, key, [1]);
      await kit.effectsWhenSettled(group, 5);
      late.resolve();
      await slow;
      const effects = await kit.effectsWhenSettled(group, 6);
      expect(effects.map(({ key }) => key)).toContain('slow');
      expect(effects).toHaveLength(6);
    });

    test('what the broker got twice has one effect', async () => {
      const topic = aTopic();
      const group = aGroup();
      let crashes = 3;
      const bus = await kit.start([topic], {
        failpoint: async (point) => {
          if (point !== 'relay-sent' || crashes <= 0) return;
          crashes -= 1;
          throw new Error('the relay died between the broker and the outbox');
        },
      });
      await bus.consume(recorder(topic, group));
      await kit.publish(bus, topic, 'key', range(1, 20));
      const effects = await kit.effectsWhenSettled(group, 20);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 20));
      expect((await kit.under().readTopic(topic.name)).length).toBeGreaterThanOrEqual(20);
      // The embedded log takes the rows and marks them in one step, so there the second crash never comes.
      expect(crashes).toBeLessThan(3);
    });

    test('several relays and several consumers keep the order of each key while members come and go', async () => {
      const topic = aTopic();
      const group = aGroup();
      const first = await kit.start([topic]);
      await first.consume(recorder(topic, group, { batchSizeMax: 7 }));
      const second = await kit.start([topic]);
      const leaves = await second.consume(recorder(topic, group, { mode: 'single' }));
      const third = await kit.start([topic]);
      await third.consume(recorder(topic, group, { batchSizeMax: 7 }));
      const published = publishInTurns(kit, third, topic);
      await eventually(async () => (await kit.effects(group)).length > 100, {
        withinMs: settleMs,
        what: 'the first effects',
      });
      await leaves();
      await first.stop();
      await published;
      const effects = await kit.effectsWhenSettled(group, 360);
      expect(effects).toHaveLength(360);
      expect(inOrderPerKey(effects)).toBe(true);
    });

    test('commit auto hands events over without an inbox', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group, { commit: 'auto', deadLetter: null }));
      await kit.publish(bus, topic, 'key', range(1, 40));
      expect(await kit.effectsWhenSettled(group, 40)).toHaveLength(40);
      const { rowCount } = await kit
        .under()
        .database.query('SELECT 1 FROM urr.inbox WHERE consumer_group = $1', [group]);
      expect(rowCount).toBe(0);
    });

    test('publishNow delivers without a transaction', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group));
      await Promise.all(
        range(1, 50).map((n) => bus.publishNow(topic, [{ type: 'COUNTED', key: `key-${n}`, data: { n } }])),
      );
      expect(await kit.effectsWhenSettled(group, 50)).toHaveLength(50);
    });

    test('an event that breaks its schema is refused before anything is written', async () => {
      const topic = aTopic();
      const bus = await kit.start([topic]);
      // @ts-expect-error the compiler refuses it too
      const wrong = bus.publishNow(topic, [{ type: 'COUNTED', key: 'key', data: { n: 'one' } }]);
      await expect(wrong).rejects.toThrow(InvalidEvent);
      const unknownField = { type: 'COUNTED' as const, key: 'key', data: { n: 1, surprise: true } };
      await expect(bus.publishNow(topic, [unknownField])).rejects.toThrow(InvalidEvent);
      expect(await bus.outboxBacklog()).toMatchObject({ rows: 0 });
    });

    test('lag and backlog tell what is left to do', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      const stop = await bus.consume(recorder(topic, group));
      await kit.publish(bus, topic, 'key', range(1, 5));
      await kit.effectsWhenSettled(group, 5);
      const lagOf = async () => (await bus.lag()).filter((lag) => lag.group === group && lag.topic === topic.name);
      const total = async () => (await lagOf()).reduce((sum, { lag }) => sum + lag, 0);
      await eventually(async () => (await total()) === 0, { withinMs: settleMs, what: 'no lag' });
      expect(await lagOf()).toHaveLength(topic.partitions);
      await stop();
      await kit.publish(bus, topic, 'key', range(6, 8));
      await eventually(async () => (await total()) === 3, { withinMs: settleMs, what: 'a lag of three' });
      await eventually(async () => (await bus.outboxBacklog()).rows === 0, {
        withinMs: settleMs,
        what: 'an empty outbox',
      });
    });
  });
}

/** Six writers, each publishing the numbers of its own key in order, over a few seconds. */
async function publishInTurns(kit: BusKit, bus: BusEngine, topic: TestTopic): Promise<void> {
  await Promise.all(
    range(1, 6).map(async (writer) => {
      for (let n = 1; n <= 60; n += 3) {
        await kit.publish(bus, topic, `writer-${writer}`, range(n, n + 2));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }),
  );
}
