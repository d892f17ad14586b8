import { describe, expect, test } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { eventually, whilePaused, whileStopped } from '#test/kit/faults.ts';
import type { BusEngine } from '../port.ts';
import { type BusKit, settleMs } from './harness.ts';
import { aGroup, aTopic, range, recorder, type TestTopic } from './records.ts';

/** Two seconds are promised; the rest is what a busy machine may add, still far from what a broker's client waits by itself. */
const publishNowLimitMs = 10_000;

/** Processes that die and engines that go away. */
export function failureTests(kit: BusKit): void {
  describe('failures', () => {
    for (const point of ['effect-done', 'effect-committed'] as const) {
      test(`a consumer killed at ${point} repeats no effect and loses none`, async () => {
        const topic = aTopic();
        const group = aGroup();
        const bus = await kit.start([topic]);
        await kit.publish(bus, topic, 'key', range(1, 10));
        await kit.runChildToItsDeath({ topic, group, point, at: 4 });
        const before = (await kit.effects(group)).length;
        expect(before).toBe(point === 'effect-done' ? 3 : 4);
        await bus.consume(recorder(topic, group));
        const effects = await kit.effectsWhenSettled(group, 10);
        expect(effects.map(({ n }) => n)).toEqual(range(1, 10));
      });
    }

    test('a relay killed between the broker and the outbox loses nothing, and nothing has two effects', async () => {
      const topic = aTopic();
      const group = aGroup();
      const tool = await kit.start([topic], { relay: false });
      for (let n = 1; n <= 30; n += 3) await kit.publish(tool, topic, 'key', range(n, n + 2));
      await kit.runChildToItsDeath({ topic, group: '', point: 'relay-sent', at: 1 });
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group));
      const effects = await kit.effectsWhenSettled(group, 30);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 30));
    });

    for (const how of kit.parts.brokerGoes) {
      test(`the broker goes (${how}) and comes back: publishNow says so soon, and everything that was committed arrives once`, async () => {
        const topic = aTopic();
        const group = aGroup();
        const now = { topic: aTopic(), group: aGroup() };
        const bus = await kit.start([topic, now.topic]);
        await bus.consume(recorder(topic, group, { retry: { times: 0, backoffMs: 1 } }));
        await bus.consume(recorder(now.topic, now.group));
        const writer = keepPublishing(bus, topic);
        await publishOneNow(bus, now.topic, 1);
        await kit.effectsWhenSettled(group, 20);
        await kit.under().broker[how]();
        await publishNowSaysSo(bus, now.topic);
        await kit.under().broker.restart();
        await eventually(() => kit.under().database.ping(), { withinMs: settleMs, what: 'the database' });
        const seen = (await kit.effects(group)).length;
        await kit.effectsWhenSettled(group, seen + 20);
        const committed = await writer.stop();
        const effects = await kit.effectsWhenSettled(group, committed.length);
        expect(effects.map(({ n }) => n).filter((n) => committed.includes(n))).toEqual(committed);
        expect(new Set(effects.map(({ event_id }) => event_id)).size).toBe(effects.length);
        expect(await kit.under().readTopic(`${topic.name}-dead`)).toHaveLength(0);
        await publishNowWorksAgain(bus, now);
      });
    }

    test('a database that goes away makes no dead letters, however few retries there are', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      const gate = Promise.withResolvers<void>();
      const inHand = Promise.withResolvers<void>();
      const before = async () => {
        inHand.resolve();
        await gate.promise;
      };
      await bus.consume(recorder(topic, group, { mode: 'single', before, retry: { times: 0, backoffMs: 1 } }));
      await kit.publish(bus, topic, 'key', range(1, 20));
      await inHand.promise;
      await whileStopped(kit.under().postgres, async () => {
        gate.resolve();
        await new Promise((resolve) => setTimeout(resolve, 1_500));
      });
      const effects = await kit.effectsWhenSettled(group, 20);
      expect(effects.map(({ n }) => n)).toEqual(range(1, 20));
      expect(await kit.under().readTopic(`${topic.name}-dead`)).toHaveLength(0);
    });

    test('publishNow says soon that the broker is hanging, and works again afterwards', async () => {
      const topic = aTopic();
      const group = aGroup();
      const bus = await kit.start([topic]);
      await bus.consume(recorder(topic, group));
      await publishOneNow(bus, topic, 1);
      await whilePaused(kit.under().broker, () => publishNowSaysSo(bus, topic));
      await publishNowWorksAgain(bus, { topic, group });
    });
  });

  const publishOneNow = (bus: BusEngine, topic: TestTopic, n: number) =>
    bus.publishNow(topic, [{ type: 'COUNTED', key: `key-${n}`, data: { n } }]);

  async function publishNowSaysSo(bus: BusEngine, topic: TestTopic): Promise<void> {
    const isAway = () =>
      bus.ping().then(
        () => false,
        () => true,
      );
    // A signal takes a moment to arrive.
    await eventually(isAway, { withinMs: settleMs, what: 'the broker to be away' });
    const started = performance.now();
    const error = await publishOneNow(bus, topic, 2).catch((reason: unknown) => reason);
    expect(isFault(error, 'BUS_UNAVAILABLE')).toBe(true);
    expect(performance.now() - started).toBeLessThan(publishNowLimitMs);
    const ping = await bus.ping().catch((reason: unknown) => reason);
    expect(isFault(ping)).toBe(true);
  }

  async function publishNowWorksAgain(
    bus: BusEngine,
    { topic, group }: { topic: TestTopic; group: string },
  ): Promise<void> {
    await eventually(() => publishOneNow(bus, topic, 3), { withinMs: settleMs, what: 'publishNow to work again' });
    const had = async () => (await kit.numbers(group)).filter((n) => n === 3).length;
    await eventually(async () => (await had()) > 0, { withinMs: settleMs, what: 'the effect' });
    expect(await had()).toBe(1);
  }

  /** Publishes 1, 2, 3 … of one key for as long as it is let, and tells which of them were committed for certain. */
  function keepPublishing(bus: BusEngine, topic: TestTopic): { stop(): Promise<number[]> } {
    const committed: number[] = [];
    let stopped = false;
    const writing = (async () => {
      for (let n = 1; !stopped; n++) {
        await kit.publish(bus, topic, 'key', [n]).then(
          () => committed.push(n),
          () => undefined,
        );
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    return {
      async stop() {
        stopped = true;
        await writing;
        return committed;
      },
    };
  }
}
