import { describe, expect, test } from 'vitest';
import type { BusKit } from './harness.ts';
import { aGroup, aTopic, range, recorder } from './records.ts';

const keys = Array.from({ length: 24 }, (_, index) => `key-${index}`);

/** The new version of a topic has more partitions, and both versions run at once for a while. */
export function rollingTests(kit: BusKit): void {
  describe('a rolling deployment', () => {
    test('everything arrives once while members that know three and six partitions come and go', async () => {
      const newer = aTopic(undefined, 6);
      const older = aTopic(newer.name, 3);
      const group = aGroup();
      let n = 0;
      async function publishBy(bus: Awaited<ReturnType<typeof kit.start>>, topic: typeof newer): Promise<void> {
        n += 1;
        for (const key of keys) await kit.publish(bus, topic, key, [n]);
      }
      // The broker's topic has six already; the old version runs beside the new one.
      const first = await kit.start([newer]);
      const second = await kit.start([older]);
      const stopSecond = await second.consume(recorder(older, group));
      await publishBy(first, newer);
      await publishBy(second, older);
      await kit.effectsWhenSettled(group, keys.length * n);
      await first.consume(recorder(newer, group));
      await publishBy(first, newer);
      await publishBy(second, older);
      await kit.effectsWhenSettled(group, keys.length * n);
      await stopSecond();
      await publishBy(second, older);
      await publishBy(first, newer);
      await kit.effectsWhenSettled(group, keys.length * n);
      // Rolled back: only the old version is left, with what the new one published last.
      await publishBy(first, newer);
      await first.stop();
      const third = await kit.start([older]);
      await third.consume(recorder(older, group));
      await publishBy(third, older);
      const effects = await kit.effectsWhenSettled(group, keys.length * n);
      expect(effects).toHaveLength(keys.length * n);
      for (const key of keys) {
        const numbers = effects.filter((effect) => effect.key === key).map((effect) => effect.n);
        expect(numbers.sort((one, other) => one - other)).toEqual(range(1, n));
      }
    });
  });
}
