import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import { createLogger, silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, startRedis, startReplica } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { startTcpProxy } from '#test/kit/engines/tcp-proxy.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueJournal } from '../ports.ts';
import { createRedisStore } from '../storage/redis-store.ts';
import { aCrowd, snapshotOf } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aSplit } from '../testing/a-split.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';

const threshold = 5;
const config = { threshold, recoveringMs: 6_000, admissionIntervalMs: 100 };
const commandTimeoutMs = 5_000;
const withinMs = 60_000;

/** The old primary lives on and answers: nobody has told it, or the process that stays with it, of the promotion. */
describeWith('redis', 'a replica that is promoted while a process stays with the old primary', () => {
  let journal: QueueJournal;
  beforeAll(async () => {
    ({ journal } = await aJournal());
  });

  async function aPair() {
    const primary = await startRedis({ dir: await aFolder('primary'), args: ['--appendonly', 'no'] });
    atEnd(() => primary.stop());
    const replica = await startReplica({ dir: await aFolder('replica'), primary });
    atEnd(() => replica.stop());
    return { primary, replica };
  }

  async function aProcess(port: number) {
    const address = await startTcpProxy(port);
    atEnd(() => address.close());
    const errors: string[] = [];
    const note = (line: string) => {
      const { level, msg } = JSON.parse(line) as { level: string; msg: string };
      if (level === 'error') errors.push(msg);
    };
    const logger = createLogger({ level: 'error', destination: { write: note } });
    const url = `redis://127.0.0.1:${address.port}`;
    const redis = createRedis({ url, commandTimeoutMs, logger: silentLogger });
    atEnd(() => redis.close());
    const store = createRedisStore({ redis });
    const process = aQueueProcess({ store, journal, clock: systemClock, config, logger });
    return { address, store, errors, ...process };
  }

  it('never has more people in slots than the threshold, on both together, and says so', async () => {
    const { primary, replica } = await aPair();
    const [stays, moves] = [await aProcess(primary.port), await aProcess(primary.port)];
    const { eventId, shopping } = await aCrowd(stays, stays.store, { shopping: 2, waiting: 0 });
    await moves.enter(eventId, shopping[0] ?? '');
    await ask(primary.port, 'WAIT', 1, 5_000);

    await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
    moves.address.pointTo(replica.port);
    const split = aSplit({ eventId, shopping, processes: [stays, moves] });
    // Both are asked for slots all the time, also when recovery is over and the new one gives them again.
    const isOpen = async () => (await snapshotOf(moves.store, eventId)).recovering === false;
    await split.until(async () => split.shopping().length >= threshold && (await isOpen()), withinMs);
    await split.goOn(2_000);
    await split.stop();
    expect(split.most()).toBe(threshold);

    // The old one is alive, and has not been given the event back.
    expect(await ask(primary.port, 'PING')).toBe('PONG');
    expect(await journal.open(eventId)).toMatchObject({ epoch: 2, identity: await moves.store.identity(eventId) });
    expect(stays.errors.filter((text) => text.includes('superseded'))).toHaveLength(1);
    expect([stays.watch.superseded().has(eventId), moves.watch.superseded().has(eventId)]).toEqual([true, false]);
    expect(moves.errors).toEqual(['the state of a queue was lost; bringing it back']);

    // It looks by itself where a new connection leads it, and then knows everybody.
    stays.address.pointTo(replica.port, { cut: false });
    const [shopper] = split.shopping();
    const look = async () => {
      // The new one is heard of all the time, so the event is not taken back to the old one.
      await moves.tick();
      return stays.enter(eventId, shopper ?? '');
    };
    const there = { status: 'active', epoch: 2 };
    expect(await eventually(look, { withinMs, what: 'the process to come over' })).toMatchObject(there);
    expect(stays.watch.superseded().has(eventId)).toBe(false);
  });

  it('stops nobody else when a process is connected to a read replica', async () => {
    const { primary, replica } = await aPair();
    const sound = await aProcess(primary.port);
    const { eventId, shopping } = await aCrowd(sound, sound.store, { shopping: threshold, waiting: 3 });
    const wrong = await aProcess(replica.port);
    await ask(primary.port, 'WAIT', 1, 5_000);
    const tick = () => Promise.all([sound, wrong].map((each) => each.tick().catch(() => undefined)));
    const refused = await wrong.enter(eventId, randomUUID()).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    // Not even an event that nobody entered before is begun by it, or has to recover.
    const fresh = randomUUID();
    await expect(wrong.enter(fresh, randomUUID())).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await sound.enter(fresh, randomUUID())).toMatchObject({ status: 'active', epoch: 1 });

    for (const shopper of shopping) {
      await sound.leave(eventId, shopper);
      await tick();
    }
    const isEmpty = async () => {
      await tick();
      return (await snapshotOf(sound.store, eventId)).waiting === 0;
    };
    await eventually(isEmpty, { withinMs, what: 'the waiting to be admitted' });
    expect(await journal.open(eventId)).toMatchObject({ epoch: 1, begun: true });
    expect(wrong.watch.isOnReplica()).toBe(true);
    expect(wrong.errors.filter((text) => text.includes('read replica'))).toHaveLength(1);
    expect(sound.errors).toEqual([]);

    // It looks by itself where a new connection leads it.
    wrong.address.pointTo(primary.port, { cut: false });
    const look = async () => {
      await tick();
      return wrong.enter(fresh, randomUUID());
    };
    expect(await eventually(look, { withinMs, what: 'the process to reach the primary' })).toMatchObject({ epoch: 1 });
    expect(wrong.watch.isOnReplica()).toBe(false);
  });

  it('is taken back to the old one when the new one is gone', async () => {
    const { primary, replica } = await aPair();
    const [stays, moves] = [await aProcess(primary.port), await aProcess(primary.port)];
    const { eventId, shopping } = await aCrowd(stays, stays.store, { shopping: 2, waiting: 0 });
    await ask(primary.port, 'WAIT', 1, 5_000);
    await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
    moves.address.pointTo(replica.port);
    await eventually(() => moves.enter(eventId, shopping[0] ?? ''), { withinMs, what: 'the replica to serve' });
    const late = randomUUID();
    await eventually(
      async () => {
        await moves.tick();
        const result = await moves.enter(eventId, late);
        return result.status === 'active' && (await journal.load(eventId)).slots.some(({ userId }) => userId === late);
      },
      { withinMs, what: 'a slot on the new server' },
    );
    await replica.kill();
    // The superseded one may be used when nobody has seen the other for some seconds, and knows what happened there.
    const back = async () => {
      await stays.tick();
      return stays.enter(eventId, late);
    };
    expect(await eventually(back, { withinMs, what: 'the old server to serve again' })).toMatchObject({
      status: 'active',
      epoch: 3,
    });
  });
});
