import { beforeAll, expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, cutOff, type RedisEngine, startRedis, startReplica } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { startTcpProxy, type TcpProxy } from '#test/kit/engines/tcp-proxy.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueJournal, QueueStore } from '../ports.ts';
import { createRedisStore } from '../storage/redis-store.ts';
import { aCrowd, type Crowd, comeBack, expectAsBefore, moveOn, snapshotOf, watchActive } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';

const threshold = 20;
const recoveringMs = 1_000;
const config = { threshold, recoveringMs, admissionIntervalMs: 50 };
const commandTimeoutMs = 5_000;

/** A primary behind one address, and a replica that missed what happened since it was cut off and then takes the address over. */
describeWith('redis', 'a fail-over to a replica that missed the last changes', () => {
  let journal: QueueJournal;
  let primary: RedisEngine;
  let replica: RedisEngine;
  let address: TcpProxy;

  beforeAll(async () => {
    ({ journal } = await aJournal());
  });

  async function aPair() {
    primary = await startRedis({ dir: await aFolder('primary'), args: ['--appendonly', 'no'] });
    atEnd(() => primary.stop());
    replica = await startReplica({ dir: await aFolder('replica'), primary });
    atEnd(() => replica.stop());
    address = await startTcpProxy(primary.port);
    atEnd(() => address.close());
  }

  /** One process with a connection of its own. */
  function aProcess() {
    const redis = createRedis({ url: `redis://127.0.0.1:${address.port}`, commandTimeoutMs, logger: silentLogger });
    atEnd(() => redis.close());
    const store: QueueStore = createRedisStore({ redis });
    return { store, ...aQueueProcess({ store, journal, clock: systemClock, config }) };
  }

  const inSync = () => ask(primary.port, 'WAIT', 1, 5_000);

  async function failOver() {
    await primary.kill();
    await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
    address.pointTo(replica.port);
  }

  async function untilRecovered(processes: readonly { tick(): Promise<void> }[], store: QueueStore, crowd: Crowd) {
    await eventually(
      async () => {
        for (const process of processes) await process.tick();
        return !(await snapshotOf(store, crowd.eventId)).recovering;
      },
      { withinMs: 60_000, what: 'the end of recovery' },
    );
  }

  it('costs nobody the place, gives no slot twice, and never lets more than the threshold shop', async () => {
    await aPair();
    const [one, two, three] = [aProcess(), aProcess(), aProcess()];
    const before = await aCrowd(one, one.store, { shopping: threshold, waiting: 30 });
    await two.enter(before.eventId, before.shopping[0] ?? '');
    await inSync();
    await cutOff(replica, primary);
    const crowd = await moveOn(one, one.store, before, 6);
    const watch = watchActive(one.store, crowd.eventId);
    const identity = await one.store.identity(crowd.eventId);

    await failOver();
    // The copy is stale, and says so to nobody.
    const stale = String(await ask(replica.port, 'ZRANGE', `{${crowd.eventId}}:active`, 0, -1));
    expect(crowd.gone.filter((userId) => stale.includes(userId))).toHaveLength(6);
    // All at once and before any tick, at processes that knew the event and at one that did not.
    const answers = await comeBack([one, two, three], crowd);
    for (const { userId, result } of answers) {
      expect(result).toMatchObject({ status: crowd.shopping.includes(userId) ? 'active' : 'waiting', epoch: 2 });
    }
    expect(await one.store.identity(crowd.eventId)).not.toBe(identity);
    await expectAsBefore(one.store, crowd);

    await untilRecovered([one, two, three], one.store, crowd);
    await comeBack([three, one, two], crowd);
    await expectAsBefore(one.store, crowd);
    expect(await journal.open(crowd.eventId)).toMatchObject({ epoch: 2, begun: true });

    // And it goes on from there, in order.
    const after = await moveOn(two, one.store, crowd, 3);
    await expectAsBefore(one.store, { ...after, gone: [...crowd.gone, ...after.gone] });
    const { most, samples } = await watch.stop();
    expect(samples).toBeGreaterThan(0);
    expect(most).toBe(threshold);
  });

  it('a copy that knows of free slots which are taken gives none of them away', async () => {
    await aPair();
    const [one, two] = [aProcess(), aProcess()];
    const before = await aCrowd(one, one.store, { shopping: 15, waiting: 0 });
    await two.enter(before.eventId, before.shopping[0] ?? '');
    await inSync();
    await cutOff(replica, primary);
    const late = await aCrowd(one, one.store, { eventId: before.eventId, shopping: 5, waiting: 0 });
    await failOver();
    const newcomers = Array.from({ length: 30 }, (_, n) => `newcomer-${n}`);
    const answers = await Promise.all(newcomers.map((user, n) => (n % 2 ? one : two).enter(before.eventId, user)));
    expect(answers.filter(({ status }) => status === 'active')).toEqual([]);
    const crowd = {
      ...before,
      tickets: new Map([...before.tickets, ...late.tickets]),
      shopping: [...before.shopping, ...late.shopping],
    };
    await untilRecovered([one, two], one.store, crowd);
    await one.tick();
    await expectAsBefore(one.store, crowd);
    expect((await snapshotOf(one.store, crowd.eventId)).active).toBe(threshold);
  });
});
