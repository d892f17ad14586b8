import { describe, expect, test } from 'vitest';
import { eventually, whileStopped } from '#test/kit/faults.ts';
import { aLog } from '#test/kit/log.ts';
import { partitionOf } from '../partitioner.ts';
import { type BusKit, settleMs } from './harness.ts';
import { aGroup, aTopic, range, recorder } from './records.ts';

const busyRows = 9_000;

/** Topics that share a relay and do not wait for each other. */
export function laneTests(kit: BusKit): void {
  describe('lanes', () => {
    test('an event does not wait for all that was published before it on a busy topic', async () => {
      const [busy, quiet] = [aTopic(), aTopic()];
      const tool = await kit.start([busy, quiet], { relay: false });
      for (let n = 1; n <= busyRows; n += 1_000) await kit.publish(tool, busy, 'busy', range(n, n + 999));
      await kit.publish(tool, quiet, 'busy', [1]);
      const relayed: { topic: string; count: number }[] = [];
      await kit.start([busy, quiet], { observe: { relayed: (topic, count) => void relayed.push({ topic, count }) } });
      const countOf = (topic: string) =>
        relayed.filter((one) => one.topic === topic).reduce((sum, { count }) => sum + count, 0);
      await eventually(() => countOf(busy.name) === busyRows, {
        withinMs: settleMs,
        what: 'the busy topic to be relayed',
      });
      const first = relayed.findIndex(({ topic }) => topic === quiet.name);
      const before = relayed.slice(0, first).reduce((sum, { count }) => sum + count, 0);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(before).toBeLessThan(busyRows / 2);
    });

    test('a relay that knows fewer partitions relays the new ones, too', async () => {
      const known = aTopic();
      const grown = { ...known, partitions: 6 };
      const keys = range(0, 5).map((partition) => keyOf(partition, 6));
      const newer = await kit.start([grown], { relay: false });
      const older = await kit.start([known]);
      for (const key of keys) await kit.publish(newer, grown, key, [1]);
      await eventually(async () => (await older.outboxBacklog()).rows === 0, {
        withinMs: settleMs,
        what: 'rows of all six partitions to be relayed',
      });
      const group = aGroup();
      const consuming = await kit.start([grown], { relay: false });
      await consuming.consume(recorder(grown, group));
      expect((await kit.effectsWhenSettled(group, 6)).map(({ key }) => key).sort()).toEqual(keys.sort());
    });

    test('while the database is away nobody is told that the relay works again', async () => {
      const topic = aTopic();
      const { logger, lines } = aLog('info');
      const tool = await kit.start([topic], { relay: false });
      for (let n = 1; n <= 20_000; n += 1_000) await kit.publish(tool, topic, 'key', range(n, n + 999));
      const relaying = Promise.withResolvers<void>();
      await kit.start([topic], { logger, observe: { relayed: () => relaying.resolve() } });
      await relaying.promise;
      // In the middle of its work, so that it is certain to miss the database.
      const told = await whileStopped(kit.under().postgres, async () => {
        await eventually(() => lines().some((line) => line.includes('the relay cannot')), {
          withinMs: settleMs,
          what: 'the relay to miss the database',
        });
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return lines();
      });
      expect(told.filter((line) => line.includes('again') && line.includes('relay'))).toEqual([]);
      await eventually(() => lines().some((line) => line.includes('the relay reads the outbox again')), {
        withinMs: settleMs,
        what: 'the relay to say that it works again',
      });
    });
  });
}

/** A key that belongs to this partition. */
function keyOf(partition: number, partitions: number): string {
  for (let n = 0; ; n++) if (partitionOf(`key-${n}`, partitions) === partition) return `key-${n}`;
}
