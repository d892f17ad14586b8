import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, cutOff, startRedis, startReplica } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { startTcpProxy } from '#test/kit/engines/tcp-proxy.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueJournal } from '../ports.ts';
import { createRedisStore } from '../storage/redis-store.ts';
import { aCrowd, snapshotOf } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';

/** There is room for more than the two who shop. */
const config = { threshold: 5, recoveringMs: 6_000, admissionIntervalMs: 100 };
const commandTimeoutMs = 5_000;
const withinMs = 60_000;

/** One process moves to the promoted replica, the other stays with the old primary, which lives on and answers. */
describeWith('redis', 'a process that stays with the old primary', () => {
  let journal: QueueJournal;
  beforeAll(async () => {
    ({ journal } = await aJournal());
  });

  async function aProcess(port: number) {
    const address = await startTcpProxy(port);
    atEnd(() => address.close());
    const redis = createRedis({ url: `redis://127.0.0.1:${address.port}`, commandTimeoutMs, logger: silentLogger });
    atEnd(() => redis.close());
    const store = createRedisStore({ redis });
    return { address, store, ...aQueueProcess({ store, journal, clock: systemClock, config }) };
  }

  /** Two people shop, and the replica has missed nothing so far and hears no more. */
  async function twoProcesses() {
    const primary = await startRedis({ dir: await aFolder('primary'), args: ['--appendonly', 'no'] });
    atEnd(() => primary.stop());
    const replica = await startReplica({ dir: await aFolder('replica'), primary });
    atEnd(() => replica.stop());
    const [stays, moves] = [await aProcess(primary.port), await aProcess(primary.port)];
    const { eventId, shopping } = await aCrowd(stays, stays.store, { shopping: 2, waiting: 0 });
    await moves.enter(eventId, shopping[0] ?? '');
    await ask(primary.port, 'WAIT', 1, 5_000);
    await cutOff(replica, primary);
    const promote = async () => {
      await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
      moves.address.pointTo(replica.port);
    };
    return { stays, moves, eventId, promote };
  }

  it('gives no slot once the new one may, also when it never looks whether it is superseded', async () => {
    const { stays, moves, eventId, promote } = await twoProcesses();
    await promote();
    const newcomer = randomUUID();
    const gives = async () => {
      await moves.tick();
      const answer = await moves.enter(eventId, newcomer);
      return answer.status === 'active' && answer.epoch === 2;
    };
    await eventually(gives, { withinMs, what: 'a slot on the new server' });
    for (let n = 0; n < 3; n++) {
      const answer = await stays.enter(eventId, randomUUID()).catch((error: unknown) => ({ status: 'refused', error }));
      expect(answer.status).not.toBe('active');
    }
  });

  it('brings the slots that it gave last to the new one', async () => {
    const { stays, moves, eventId, promote } = await twoProcesses();
    // It does not tick: neither the replica nor the journal knows of this one.
    const last = randomUUID();
    expect(await stays.enter(eventId, last)).toMatchObject({ status: 'active', epoch: 1 });
    await promote();
    const isBegun = async () => {
      await moves.tick();
      return (await snapshotOf(moves.store, eventId)).epoch === 2;
    };
    await eventually(isBegun, { withinMs, what: 'the new server to take the event over' });
    const trace = () => moves.store.trace({ eventId, userId: last });
    expect(await trace()).not.toMatchObject({ place: 'active' });
    const isKnown = async () => {
      for (const process of [stays, moves]) await process.tick();
      const found = await trace();
      return found.status === 'ok' && found.place === 'active';
    };
    await eventually(isKnown, { withinMs, what: 'the slot on the new server' });
  });
});
