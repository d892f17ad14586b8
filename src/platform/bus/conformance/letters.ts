import { afterEach, describe, expect, test } from 'vitest';
import { releaseDatabaseClock, setDatabaseClock } from '#test/kit/database-clock.ts';
import { eventually } from '#test/kit/faults.ts';
import { partitionOf } from '../partitioner.ts';
import type { BusEngine, ConsumerDeclaration } from '../port.ts';
import { type BusKit, settleMs } from './harness.ts';
import {
  aGroup,
  aTopic,
  type Counted,
  inOrderPerKey,
  manyRecorder,
  range,
  recorder,
  type TestTopic,
} from './records.ts';

/** Letters: what waits, what is retried by itself, what a person can do. */
export function letterTests(kit: BusKit): void {
  const atOnce = { times: 0, backoffMs: 1 };

  describe('letters', () => {
    afterEach(() => releaseDatabaseClock(kit.under().database));

    for (const mode of ['single', 'batch'] as const) {
      test(`park-key: the later messages of a key wait for its letter and come after it, in order (${mode})`, async () => {
        const topic = aTopic();
        const group = aGroup();
        const bus = await kit.start([topic]);
        let broken = true;
        const before = (event: Counted) => {
          if (broken && event.key === 'parked' && event.data.n % 3 === 0) throw new Error('not yet');
        };
        const declared = { mode, before, retry: atOnce, retryAfterMin: [], onPoison: 'park-key' } as const;
        await bus.consume(recorder(topic, group, declared));
        for (const n of range(1, 9)) {
          await kit.publish(bus, topic, 'parked', [n]);
          await kit.publish(bus, topic, 'other', [n]);
        }
        await caughtUp(bus, { topic, group });
        const first = await kit.effects(group);
        expect(numbersOf(first, 'other')).toEqual(range(1, 9));
        expect(numbersOf(first, 'parked')).toEqual([1, 2]);
        broken = false;
        await bus.replayDeadLetter({ topic: `${topic.name}-dead`, limit: 100 });
        await kit.publish(bus, topic, 'parked', range(10, 12));
        const effects = await kit.effectsWhenSettled(group, 9 + 12);
        expect(inOrderPerKey(effects)).toBe(true);
        expect(effects).toHaveLength(9 + 12);
      });
    }

    test('a letter is retried by itself after 1, 5 and 30 minutes, and then waits for a person', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      let broken = true;
      let handled = 0;
      const before = () => {
        handled += 1;
        if (broken) throw new Error('not yet');
      };
      const start = Date.now();
      const minutesLater = (minutes: number) =>
        setDatabaseClock(kit.under().database, new Date(start + minutes * 60_000));
      /** The clock stands still, so that the time until the next try is exact. */
      const nextTryOf = async (key: string, attempts: number) =>
        eventually(
          async () => {
            const letter = (await bus.letters({ group, limit: 9 })).find((one) => one.key === key);
            return letter?.attempts === attempts && { inMin: letter.dueInMs === null ? null : letter.dueInMs / 60_000 };
          },
          { withinMs: settleMs, what: `try ${attempts} of ${key}` },
        );
      await minutesLater(0);
      await bus.consume(recorder(topic, group, { before, retry: atOnce }));
      await kit.publish(bus, topic, 'first', [1]);
      expect(await nextTryOf('first', 1)).toEqual({ inMin: 1 });
      await minutesLater(1);
      expect(await nextTryOf('first', 2)).toEqual({ inMin: 5 });
      await minutesLater(6);
      expect(await nextTryOf('first', 3)).toEqual({ inMin: 30 });
      await minutesLater(36);
      expect(await nextTryOf('first', 4)).toEqual({ inMin: null });
      // Nobody tries it again, however long it waits; a second letter shows that letters are looked at meanwhile.
      await minutesLater(10_000);
      await kit.publish(bus, topic, 'second', [2]);
      expect(await nextTryOf('second', 1)).toEqual({ inMin: 1 });
      await minutesLater(10_001);
      expect(await nextTryOf('second', 2)).toEqual({ inMin: 5 });
      broken = false;
      await minutesLater(10_006);
      expect((await kit.effectsWhenSettled(group, 1)).map(({ n }) => n)).toEqual([2]);
      expect(await nextTryOf('first', 4)).toEqual({ inMin: null });
      await replayAll(bus, topic);
      expect((await kit.effectsWhenSettled(group, 2)).map(({ n }) => n)).toEqual([2, 1]);
      expect(handled).toBe(8);
    });

    test('letters say what is known of them, and a dropped one never has an effect', async () => {
      const { bus, topic, group, ...consumer } = await aBrokenConsumer({ numbers: [1, 2, 3], onPoison: 'park-key' });
      const letters = await bus.letters({ topic: topic.name, limit: 10 });
      expect(letters).toMatchObject([
        { topic: topic.name, group, key: 'key', attempts: 1, reason: 'not yet', state: 'waiting-for-a-person' },
        { attempts: 0, state: 'behind', dueInMs: null },
        { attempts: 0, state: 'behind', dueInMs: null },
      ]);
      expect((await bus.letterCounts()).filter((count) => count.group === group)).toEqual([
        { topic: topic.name, group, state: 'behind', count: 2 },
        { topic: topic.name, group, state: 'waiting-for-a-person', count: 1 },
      ]);
      await expect(bus.replayFromBeginning({ topic: topic.name, group })).rejects.toMatchObject({ code: 'CONFLICT' });
      await consumer.stop();
      const [first, second] = letters;
      expect(await bus.dropLetter(first?.id ?? 0)).toBe(true);
      expect(await bus.dropLetter(first?.id ?? 0)).toBe(false);
      const stop = await bus.consume(recorder(topic, group, { onPoison: 'park-key' }));
      expect((await kit.effectsWhenSettled(group, 2)).map(({ n }) => n)).toEqual([2, 3]);
      await lettersGone(bus, group);
      // Delivered once more, as after lost offsets.
      const event = { id: first?.eventId, type: 'COUNTED', version: 2, occurredAt: '2026-01-01T00:00:00Z', key: 'key' };
      const value = JSON.stringify({ ...event, data: { n: 1 } });
      const partition = partitionOf('key', topic.partitions);
      await kit.under().appendRaw({ topic: topic.name, partition, key: 'key', value });
      await kit.publish(bus, topic, 'key', [4]);
      expect((await kit.effectsWhenSettled(group, 3)).map(({ n }) => n)).toEqual([2, 3, 4]);
      expect(second?.eventId).not.toBeNull();
      await stop();
      await bus.replayFromBeginning({ topic: topic.name, group });
      await bus.consume(recorder(topic, group));
      expect((await kit.effectsWhenSettled(group, 6)).map(({ n }) => n)).toEqual([2, 3, 4, 2, 3, 4]);
    });

    test('what cannot be read and was dropped does not come back', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group, { retryAfterMin: [] }));
      const event = { id: '01890000-0000-7000-8000-0000000000bb', version: 1, occurredAt: '2026-01-01T00:00:00Z' };
      const value = JSON.stringify({ ...event, type: 'UNHEARD_OF', key: 'key', data: {} });
      const partition = partitionOf('key', topic.partitions);
      const deliver = () => kit.under().appendRaw({ topic: topic.name, partition, key: 'key', value });
      const found = () => bus.letters({ group, limit: 9 });
      await deliver();
      const letter = await eventually(async () => (await found())[0] ?? false, {
        withinMs: settleMs,
        what: 'a letter',
      });
      await bus.dropLetter(letter.id);
      await deliver();
      await kit.publish(bus, topic, 'key', [1]);
      await kit.effectsWhenSettled(group, 1);
      await caughtUp(bus, { topic, group });
      expect(await found()).toEqual([]);
    });

    test('a message behind a letter may fail itself, and its key waits for it then', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      let broken = [2, 4];
      const before = (event: Counted) => {
        if (broken.includes(event.data.n)) throw new Error(`cannot handle ${event.data.n}`);
      };
      await bus.consume(recorder(topic, group, { before, retry: atOnce, retryAfterMin: [], onPoison: 'park-key' }));
      const states = async () => (await bus.letters({ group, limit: 9 })).map(({ state }) => state);
      const waits = (behind: number) =>
        eventually(
          async () =>
            JSON.stringify(await states()) ===
            JSON.stringify(['waiting-for-a-person', ...Array.from({ length: behind }, () => 'behind')]),
          { withinMs: settleMs, what: `a letter and ${behind} behind it` },
        );
      await kit.publish(bus, topic, 'key', range(1, 6));
      await waits(4);
      expect(await kit.numbers(group)).toEqual([1]);
      broken = [4];
      await replayAll(bus, topic);
      await waits(2);
      expect(await kit.numbers(group)).toEqual([1, 2, 3]);
      broken = [];
      await replayAll(bus, topic);
      expect((await kit.effectsWhenSettled(group, 6)).map(({ n }) => n)).toEqual(range(1, 6));
      // Each of them has one copy, from when it failed first.
      const copies = await eventually(
        async () => {
          const found = await kit.under().readTopic(`${topic.name}-dead`);
          return found.length >= 2 && found;
        },
        { withinMs: settleMs, what: 'the copies' },
      );
      expect(copies.map(({ value }) => JSON.parse(value).data.n)).toEqual([2, 4]);
    });

    test('a letter whose effect has been meanwhile goes away without a second one', async () => {
      const { bus, topic, group, ...consumer } = await aBrokenConsumer({ numbers: [1, 2] });
      const [first] = await bus.letters({ group, limit: 1 });
      await consumer.stop();
      await kit
        .under()
        .database.query('INSERT INTO urr.inbox (consumer_group, topic, event_id) VALUES ($1, $2, $3)', [
          group,
          topic.name,
          first?.eventId,
        ]);
      expect(await replayAll(bus, topic)).toBe(2);
      await bus.consume(recorder(topic, group));
      await lettersGone(bus, group);
      expect((await kit.effectsWhenSettled(group, 1)).map(({ n }) => n)).toEqual([2]);
    });

    for (const point of ['effect-done', 'effect-committed'] as const) {
      test(`a process killed at ${point} of a letter repeats no effect and loses none`, async () => {
        const { bus, topic, group, ...consumer } = await aBrokenConsumer({
          numbers: range(1, 5),
          onPoison: 'park-key',
        });
        await consumer.stop();
        expect(await replayAll(bus, topic)).toBe(1);
        await kit.runChildToItsDeath({ topic, group, point, at: 1 });
        expect(await kit.numbers(group)).toEqual(point === 'effect-done' ? [] : [1]);
        await bus.consume(recorder(topic, group, { onPoison: 'park-key' }));
        expect((await kit.effectsWhenSettled(group, 5)).map(({ n }) => n)).toEqual(range(1, 5));
        await lettersGone(bus, group);
      });
    }

    test('thousands of letters are replayed, in parts, and each has one effect', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      // More than are marked in one step, or taken in one transaction.
      const count = 6_000;
      // In parts, too: a busy machine takes longer for all of them than a statement may.
      for (let from = 1; from <= count; from += 2_000) await insertLetters({ topic, group, from, to: from + 1_999 });
      await bus.consume(manyRecorder(topic, group));
      const marked: number[] = [];
      const options = { topic: `${topic.name}-dead`, limit: count, onProgress: (done: number) => marked.push(done) };
      expect(await bus.replayDeadLetter(options)).toBe(count);
      expect(marked.length).toBeGreaterThan(5);
      await lettersGone(bus, group);
      expect(await bus.replayProgress({ topic: `${topic.name}-dead`, sinceMs: settleMs })).toEqual({
        due: 0,
        failedAgain: 0,
      });
      const { rows } = await kit
        .under()
        .database.query<{ effects: number; distinct: number }>(
          'SELECT count(*) AS effects, count(DISTINCT event_id) AS distinct FROM urr.test_effects WHERE consumer_group = $1',
          [group],
        );
      expect(rows).toEqual([{ effects: count, distinct: count }]);
    });

    test('what an older program could not read is tried again after the upgrade', async () => {
      const older = aTopic();
      const group = aGroup();
      const later = { type: 'LATER', version: 1, occurredAt: '2026-01-01T00:00:00Z', key: 'key', data: { n: 1 } };
      const value = JSON.stringify({ id: '01890000-0000-7000-8000-0000000000aa', ...later });
      const start = Date.now();
      await setDatabaseClock(kit.under().database, new Date(start));
      const bus = await kit.start([older]);
      const declared = { onPoison: 'park-key' } as const;
      const stop = await bus.consume(recorder(older, group, declared));
      const partition = partitionOf('key', older.partitions);
      await kit.under().appendRaw({ topic: older.name, partition, key: 'key', value });
      await eventually(async () => (await bus.letters({ group, limit: 1 })).length === 1, {
        withinMs: settleMs,
        what: 'the letter',
      });
      await kit.publish(bus, older, 'key', [2]);
      await caughtUp(bus, { topic: older, group });
      expect((await bus.letters({ group, limit: 9 })).map(({ state }) => state)).toEqual(['retrying', 'behind']);
      expect(await kit.numbers(group)).toEqual([]);
      await stop();
      const newer = { ...older, types: { ...older.types, LATER: { ...older.types.COUNTED, version: 1 } } };
      const upgraded = await kit.start([newer]);
      await upgraded.consume(recorder(newer, group, declared));
      await setDatabaseClock(kit.under().database, new Date(start + 60_000));
      expect((await kit.effectsWhenSettled(group, 2)).map(({ n }) => n)).toEqual([1, 2]);
    });

    test('a declaration that parks keys without letters or without an inbox is refused', async () => {
      const topic = aTopic();
      const bus = await kit.start([topic]);
      const refused = (declared: Partial<ConsumerDeclaration>) =>
        bus.consume(recorder(topic, aGroup(), { onPoison: 'park-key', ...declared }));
      await expect(refused({ deadLetter: null })).rejects.toThrow("'park-key' needs a deadLetter");
      await expect(refused({ commit: 'auto' })).rejects.toThrow("'park-key' needs commit 'manual'");
    });
  });

  /** Fails every number while it is broken, and makes that many letters. */
  async function aBrokenConsumer(options: { numbers: readonly number[]; key?: string } & Partial<ConsumerDeclaration>) {
    const { numbers, key = 'key', ...declared } = options;
    const topic = aTopic();
    const group = aGroup();
    const bus = await kit.start([topic]);
    const state = { broken: true, topic, group, bus, stop: async () => {} };
    const before = () => {
      if (state.broken) throw new Error('not yet');
    };
    state.stop = await bus.consume(recorder(topic, group, { before, retry: atOnce, retryAfterMin: [], ...declared }));
    await kit.publish(bus, topic, key, numbers);
    await eventually(async () => (await bus.letters({ group, limit: 1_000 })).length === numbers.length, {
      withinMs: settleMs,
      what: `${numbers.length} letters`,
    });
    return state;
  }

  const replayAll = (bus: BusEngine, topic: TestTopic) =>
    bus.replayDeadLetter({ topic: `${topic.name}-dead`, limit: 100_000 });

  async function lettersGone(bus: BusEngine, group: string): Promise<void> {
    await eventually(async () => (await bus.letters({ group, limit: 1 })).length === 0, {
      withinMs: settleMs,
      what: `no letters of ${group}`,
    });
  }

  function numbersOf(effects: readonly { key: string; n: number }[], key: string): number[] {
    return effects.filter((effect) => effect.key === key).map(({ n }) => n);
  }

  async function insertLetters(of: { topic: TestTopic; group: string; from: number; to: number }): Promise<void> {
    await kit.under().database.query(
      `INSERT INTO urr.bus_letters (consumer_group, topic, dead_letter, on_poison, partition, log_offset, key, identity, event_id,
         type, value, headers, behind, attempts, reason, failed_at)
       SELECT $1, $2, $2 || '-dead', 'pass', n % 3, n, 'key-' || n, n, id, 'COUNTED', convert_to(json_build_object(
           'id', id, 'type', 'COUNTED', 'version', 2, 'occurredAt', '2026-01-01T00:00:00Z', 'key', 'key-' || n,
           'data', json_build_object('n', n))::text, 'UTF8'), '{}', false, 4, 'was down', urr.now()
       FROM (SELECT n, gen_random_uuid() AS id FROM generate_series($3::integer, $4::integer) AS n) AS event`,
      [of.group, of.topic.name, of.from, of.to],
    );
  }

  async function caughtUp(bus: BusEngine, { topic, group }: { topic: TestTopic; group: string }): Promise<void> {
    await eventually(
      async () => {
        if ((await bus.outboxBacklog()).rows > 0) return false;
        const own = (await bus.lag()).filter((lag) => lag.topic === topic.name && lag.group === group);
        return own.length > 0 && own.every(({ lag }) => lag === 0);
      },
      { withinMs: settleMs, what: `${group} to have read everything` },
    );
  }
}
