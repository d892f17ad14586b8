import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import type { Failpoint } from '../options.ts';
import type { BusEngine } from '../port.ts';
import { type BusKit, settleMs } from './harness.ts';
import { aGroup, aTopic, inOrderPerKey, range, recorder, type TestTopic } from './records.ts';

/** Long enough for a peer that only has to wait for a busy machine, short enough for a test. */
const staleAfterMs = 3_000;

/** Processes that stop without dying, and lock sessions that end under them. */
export function frozenTests(kit: BusKit): void {
  describe('frozen processes', () => {
    const children: ChildProcess[] = [];
    afterEach(() => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
    });

    test('the partitions of a frozen relay are relayed by a peer, and after it wakes up nothing has two effects', async () => {
      const topic = aTopic();
      const group = aGroup();
      const tool = await kit.start([topic], { relay: false });
      await tool.consume(recorder(topic, group));
      const frozen = await startChild({ topic, group: '', point: 'relay-sent', at: 1 });
      await publishAll(tool, topic, range(1, 10));
      await frozen.atFailpoint;
      await publishAll(tool, topic, range(11, 20));
      const ended: string[] = [];
      await kit.start([topic], { staleAfterMs, observe: { staleHolderEnded: (claim) => ended.push(claim) } });
      await kit.effectsWhenSettled(group, keys.length * 20);
      expect(ended).toContain('urr:relay');
      await frozen.wake();
      await publishAll(tool, topic, range(21, 30));
      const effects = await kit.effectsWhenSettled(group, keys.length * 30);
      expect(effects).toHaveLength(keys.length * 30);
      expect(inOrderPerKey(effects)).toBe(true);
    });

    /** Both at once: they share the time that a peer waits before it ends their sessions. */
    test('the partitions of a consumer frozen before or after its COMMIT go to a peer, and after it wakes up nothing has two effects', async () => {
      const cases = (['effect-done', 'effect-committed'] as const).map((point) => {
        return { point, topic: aTopic(), group: aGroup() };
      });
      const bus = await kit.start(
        cases.map(({ topic }) => topic),
        { staleAfterMs },
      );
      await Promise.all(
        cases.map(async ({ point, topic, group }) => {
          await publishAll(bus, topic, range(1, 10));
          const frozen = await startChild({ topic, group, point, at: 4 });
          await frozen.atFailpoint;
          await bus.consume(recorder(topic, group));
          await kit.effectsWhenSettled(group, keys.length * 10);
          await frozen.wake();
          await publishAll(bus, topic, range(11, 20));
          const effects = await kit.effectsWhenSettled(group, keys.length * 20);
          expect([point, effects.length, inOrderPerKey(effects)]).toEqual([point, keys.length * 20, true]);
          expect(await kit.under().readTopic(`${topic.name}-dead`)).toHaveLength(0);
        }),
      );
    });

    test('lock sessions that are ended from outside cost nothing but time', async () => {
      const topic = aTopic();
      const group = aGroup();
      const buses = [await kit.start([topic]), await kit.start([topic])];
      for (const bus of buses) await bus.consume(recorder(topic, group));
      for (let round = 0; round < 5; round++) {
        for (const n of range(round * 10 + 1, round * 10 + 10)) {
          await publishAll(buses[n % 2] as BusEngine, topic, [n]);
        }
        await eventually(endLockSessions, { withinMs: settleMs, what: 'a lock session to end' });
      }
      const effects = await kit.effectsWhenSettled(group, keys.length * 50);
      expect(effects).toHaveLength(keys.length * 50);
      expect(inOrderPerKey(effects)).toBe(true);
    });

    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];

    async function publishAll(bus: BusEngine, topic: TestTopic, numbers: readonly number[]): Promise<void> {
      for (const key of keys) await kit.publish(bus, topic, key, numbers);
    }

    /** Says whether there was one. */
    async function endLockSessions(): Promise<boolean> {
      const { rows } = await kit
        .under()
        .database.query<{ ended: boolean }>(
          `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE application_name LIKE 'urr bus %'`,
        );
      return rows.some(({ ended }) => ended);
    }

    async function startChild(order: { topic: TestTopic; group: string; point: Failpoint; at: number }) {
      const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), {
        env: {
          ...process.env,
          ...kit.under().child,
          CHILD_TOPIC: order.topic.name,
          CHILD_GROUP: order.group,
          CHILD_FAILPOINT: order.point,
          CHILD_AT: String(order.at),
          CHILD_SIGNAL: 'SIGSTOP',
          // One that only consumes: what is tested is the consumer's share.
          CHILD_RELAY: String(order.group === ''),
        },
        execArgv: [],
      });
      children.push(child);
      const said = { frozen: Promise.withResolvers<void>(), idle: Promise.withResolvers<void>() };
      child.on('message', (message: 'running' | keyof typeof said) => {
        if (message !== 'running') said[message].resolve();
      });
      for (const { promise, reject } of Object.values(said)) {
        promise.catch(() => undefined);
        child.on('exit', (code, signal) => reject(new Error(`the child ended: ${code} ${signal}`)));
      }
      await once(child, 'message');
      return {
        atFailpoint: said.frozen.promise,
        /** Resolves when what it was frozen in has ended, however: from then on a second effect would be there. */
        wake: () => {
          child.kill('SIGCONT');
          return said.idle.promise;
        },
      };
    }
  });
}
