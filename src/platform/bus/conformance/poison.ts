import { describe, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { deadLetterHeader } from '../dead-letter.ts';
import { partitionOf } from '../partitioner.ts';
import { type BusKit, settleMs } from './harness.ts';
import { aGroup, aTopic, type Counted, range, recorder } from './records.ts';

/** Messages that cannot be handled, dead letters, and replays. */
export function poisonTests(kit: BusKit): void {
  const failOn = (numbers: readonly number[]) => (event: Counted) => {
    if (numbers.includes(event.data.n)) throw new Error(`cannot stomach ${event.data.n}`);
  };

  describe('poison and replay', () => {
    for (const mode of ['single', 'batch'] as const) {
      test(`a message that keeps failing goes to the dead letters with its reason, and the partition goes on (${mode})`, async () => {
        const topic = aTopic();
        const group = aGroup();
        const bus = await kit.start([topic]);
        await bus.consume(recorder(topic, group, { mode, before: failOn([4, 9]) }));
        await kit.publish(bus, topic, 'key', range(1, 12));
        const effects = await kit.effectsWhenSettled(group, 10);
        expect(effects.map(({ n }) => n)).toEqual([1, 2, 3, 5, 6, 7, 8, 10, 11, 12]);
        const letters = await deadLettersOf(topic.name, 2);
        expect(letters.map(({ value }) => JSON.parse(value).data.n)).toEqual([4, 9]);
        expect(letters[0]?.headers).toMatchObject({
          [deadLetterHeader.reason]: 'cannot stomach 4',
          [deadLetterHeader.topic]: topic.name,
          [deadLetterHeader.partition]: String(partitionOf('key', topic.partitions)),
          [deadLetterHeader.offset]: '3',
          [deadLetterHeader.group]: group,
          [deadLetterHeader.attempts]: '3',
        });
        expect(letters[0]?.headers[deadLetterHeader.stack]).toContain('poison.ts');
      });
    }

    test('a broken envelope, an unknown type and a newer version are dead letters at once', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      const envelope = {
        id: '01890000-0000-7000-8000-000000000001',
        type: 'COUNTED',
        version: 1,
        occurredAt: '2026-01-01T00:00:00.000Z',
        key: 'key',
        data: { n: 1 },
      };
      const values = [
        '"not an envelope"',
        JSON.stringify({ ...envelope, id: 'no-uuid' }),
        JSON.stringify({ ...envelope, type: 'UNHEARD_OF' }),
        JSON.stringify({ ...envelope, version: 3 }),
        JSON.stringify({ ...envelope, data: { n: 'one' } }),
        // An older version that still fits is read, and a field of a newer publisher is passed over.
        JSON.stringify({ ...envelope, data: { n: 7, laterField: true } }),
      ];
      const partition = partitionOf('key', topic.partitions);
      for (const value of values) await kit.under().appendRaw({ topic: topic.name, partition, key: 'key', value });
      await bus.consume(recorder(topic, group));
      expect((await kit.effectsWhenSettled(group, 1)).map(({ n }) => n)).toEqual([7]);
      const letters = await deadLettersOf(topic.name, 5);
      expect(letters.map(({ value }) => value)).toEqual(values.slice(0, 5));
      expect(letters.map(({ headers }) => headers[deadLetterHeader.attempts])).toEqual(['0', '0', '0', '0', '0']);
    });

    test('without a dead-letter topic the message is skipped', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group, { before: failOn([2]), deadLetter: null }));
      await kit.publish(bus, topic, 'key', range(1, 4));
      expect((await kit.effectsWhenSettled(group, 3)).map(({ n }) => n)).toEqual([1, 3, 4]);
    });

    test('dead letters are replayed once, to the group that failed and to no other', async () => {
      const topic = aTopic();
      const [mended, other, counting] = [aGroup(), aGroup(), aGroup()];
      let broken = true;
      const bus = await kit.start([topic]);
      const before = (event: Counted) => {
        if (broken && event.data.n % 2 === 0) throw new Error('odd numbers only');
      };
      await bus.consume(recorder(topic, mended, { before, retry: { times: 0, backoffMs: 1 } }));
      await bus.consume(recorder(topic, other));
      await bus.consume(recorder(topic, counting, { commit: 'auto', deadLetter: null }));
      await kit.publish(bus, topic, 'key', range(1, 6));
      await deadLettersOf(topic.name, 3);
      await kit.effectsWhenSettled(counting, 6);
      broken = false;
      expect(await bus.replayDeadLetter({ topic: `${topic.name}-dead`, limit: 2 })).toBe(2);
      expect(await bus.replayDeadLetter({ topic: `${topic.name}-dead`, limit: 100 })).toBe(1);
      expect(await bus.replayDeadLetter({ topic: `${topic.name}-dead`, limit: 100 })).toBe(0);
      expect((await kit.effectsWhenSettled(mended, 6)).map(({ n }) => n)).toEqual([1, 3, 5, 2, 4, 6]);
      expect(await kit.effects(other)).toHaveLength(6);
      expect(await kit.effects(counting)).toHaveLength(6);
    });

    test('a group can be set back to the beginning and has all its effects again', async () => {
      const topic = aTopic();
      const [group, other] = [aGroup(), aGroup()];
      const bus = await kit.start([topic]);
      const stop = await bus.consume(recorder(topic, group));
      await bus.consume(recorder(topic, other));
      await kit.publish(bus, topic, 'key', range(1, 10));
      await kit.effectsWhenSettled(group, 10);
      await kit.effectsWhenSettled(other, 10);
      const setBack = () => bus.replayFromBeginning({ topic: topic.name, group });
      await expect(setBack()).rejects.toMatchObject({ code: 'CONFLICT' });
      await stop();
      await setBack();
      await bus.consume(recorder(topic, group));
      const effects = await kit.effectsWhenSettled(group, 20);
      expect(effects.map(({ n }) => n)).toEqual([...range(1, 10), ...range(1, 10)]);
      expect(await kit.effects(other)).toHaveLength(10);
    });
  });

  async function deadLettersOf(topic: string, count: number) {
    return eventually(
      async () => {
        const letters = await kit.under().readTopic(`${topic}-dead`);
        return letters.length >= count && letters;
      },
      { withinMs: settleMs, what: `${count} dead letters` },
    );
  }
}
