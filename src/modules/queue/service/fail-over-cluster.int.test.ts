import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { isFault } from '#platform/errors.ts';
import { createRedis } from '#platform/redis/client.ts';
import { keySlot } from '#platform/redis/hash-tag.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, cutOff, type RedisEngine, untilFollowing } from '#test/kit/engines/redis.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueJournal } from '../ports.ts';
import { activeEventsKey, eventKeys } from '../storage/redis-keys.ts';
import { createRedisStore } from '../storage/redis-store.ts';
import { aCrowd, type Crowd, comeBack, expectAsBefore, moveOn, snapshotOf } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aSplit } from '../testing/a-split.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';
import { type RedisClusterUnderTest, redisClusterStores } from '../testing/redis-stores.ts';

const threshold = 10;
const config = { threshold, recoveringMs: 1_000, admissionIntervalMs: 50 };
const commandTimeoutMs = 3_000;
const withinMs = 60_000;

describeWith('redis', 'queues on a Redis Cluster of which one node fails', () => {
  let subject: RedisClusterUnderTest;
  let journal: QueueJournal;
  let one: ReturnType<typeof aProcess>;
  let two: ReturnType<typeof aProcess>;

  beforeAll(async () => {
    subject = await redisClusterStores.create({ replicas: true });
    atEnd(async () => subject.close?.());
    ({ journal } = await aJournal());
    one = aProcess();
    two = aProcess();
  });

  function aProcess() {
    const store = createRedisStore({ redis: subject.connect(commandTimeoutMs) });
    return { store, ...aQueueProcess({ store, journal, clock: systemClock, config }) };
  }

  /** As the cluster is now: another test may have had a replica take over. */
  async function primaryOf(key: string): Promise<RedisEngine> {
    const ranges = (await subject.redis.command('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const slot = keySlot(key);
    const port = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][1];
    const primary = [...subject.engine.nodes, ...subject.engine.replicas].find((node) => node.port === port);
    if (primary === undefined) throw new Error(`nobody owns the slot of ${key}`);
    return primary;
  }

  /** Two crowds on this node and two elsewhere, all of them known to both processes. */
  async function crowdsOn(node: RedisEngine): Promise<{ here: Crowd[]; elsewhere: Crowd[] }> {
    const here: Crowd[] = [];
    const elsewhere: Crowd[] = [];
    while (here.length < 2 || elsewhere.length < 2) {
      const eventId = randomUUID();
      const side = (await primaryOf(eventKeys(eventId).meta)) === node ? here : elsewhere;
      if (side.length === 2) continue;
      const crowd = await aCrowd(one, one.store, { eventId, shopping: threshold, waiting: 12 });
      await two.enter(eventId, crowd.shopping[0] ?? '');
      side.push(crowd);
    }
    return { here, elsewhere };
  }

  async function untilRecovered(crowd: Crowd): Promise<void> {
    await eventually(
      async () => {
        await Promise.all([one.tick(), two.tick()]);
        return !(await snapshotOf(one.store, crowd.eventId)).recovering;
      },
      { withinMs, what: 'the end of recovery' },
    );
  }

  const epochOf = async ({ eventId }: Crowd) => (await journal.open(eventId)).epoch;
  const move = (crowd: Crowd) => moveOn(one, one.store, crowd, 2);
  const each = <Result>(crowds: Crowd[], act: (crowd: Crowd) => Promise<Result>) => Promise.all(crowds.map(act));

  it('FLUSHALL on one node: its queues come back as they were, those of the others go on meanwhile', async () => {
    const node = await primaryOf(activeEventsKey);
    const { here, elsewhere } = await crowdsOn(node);
    await ask(node.port, 'FLUSHALL');
    const moved: Crowd[] = [];
    for (const crowd of elsewhere) moved.push(await move(crowd));
    await each(here, (crowd) => comeBack([one, two], crowd));
    await each(here, (crowd) => expectAsBefore(one.store, crowd));
    await each(here, untilRecovered);
    await each([...here, ...moved], (crowd) => expectAsBefore(one.store, crowd));
    expect(await each([...here, ...elsewhere], epochOf)).toEqual([2, 2, 1, 1]);
    for (const crowd of here) await expectAsBefore(one.store, await move(crowd));
  });

  it('a slot that is moved to another node takes its queue along as it is', async () => {
    const crowd = await aCrowd(one, one.store, { shopping: threshold, waiting: 12 });
    await two.enter(crowd.eventId, crowd.shopping[0] ?? '');
    const slot = keySlot(eventKeys(crowd.eventId).meta);
    const from = await primaryOf(eventKeys(crowd.eventId).meta);
    const to = subject.engine.nodes.find((node) => node !== from);
    if (to === undefined) throw new Error('there is only one node');
    const identity = await one.store.identity(crowd.eventId);
    await reshard({ slot, from, to });
    await Promise.all([one.tick(), two.tick()]);
    expect(await one.store.identity(crowd.eventId)).not.toBe(identity);
    await comeBack([one, two], crowd);
    await expectAsBefore(one.store, crowd);
    await expectAsBefore(one.store, await move(crowd));
    expect(await journal.open(crowd.eventId)).toMatchObject({
      epoch: 1,
      identity: await one.store.identity(crowd.eventId),
    });
  });

  it('a stale replica takes over from a killed node: its queues come back as they were, the others never stop', async () => {
    const node = await primaryOf(activeEventsKey);
    const replica = subject.engine.replicas[subject.engine.nodes.indexOf(node)];
    if (replica === undefined) throw new Error('the node has no replica');
    const { here, elsewhere } = await crowdsOn(node);
    await ask(node.port, 'WAIT', 1, 5_000);
    await cutOff(replica, node);
    const crowds: Crowd[] = [];
    for (const crowd of here) crowds.push(await move(crowd));
    await node.kill();

    // Nobody can be asked about these; the hints which events are active are gone too.
    for (const { eventId } of here) {
      const refused = await one.enter(eventId, randomUUID()).catch((error: unknown) => error);
      expect(isFault(refused, 'STORE_UNAVAILABLE')).toBe(true);
    }
    const moved: Crowd[] = [];
    for (const crowd of elsewhere) moved.push(await move(crowd));

    await ask(replica.port, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
    await eventually(() => each(crowds, (crowd) => comeBack([one, two], crowd)), {
      withinMs,
      what: 'the replica to serve',
    });
    await each(crowds, (crowd) => expectAsBefore(one.store, crowd));
    await each(crowds, untilRecovered);
    await each([...crowds, ...moved], (crowd) => expectAsBefore(one.store, crowd));
    expect(await each([...here, ...elsewhere], epochOf)).toEqual([2, 2, 1, 1]);

    // The killed node comes back as the replica of its replica, and nothing else happens.
    await node.restart();
    await untilFollowing(node.port);
    await Promise.all([one.tick(), two.tick()]);
    for (const crowd of crowds) await expectAsBefore(one.store, await move(crowd));
    expect(await each([...here, ...elsewhere], epochOf)).toEqual([2, 2, 1, 1]);
  });

  it('a replica takes over from a node that lives on and does not know it: never more shop than the threshold', async () => {
    // One that still has its replica. Who stays with it sees a cluster of this node alone.
    const { nodes, replicas } = subject.engine;
    const crowd = await crowdWithReplica();
    const node = await primaryOf(eventKeys(crowd.eventId).meta);
    const replica = replicas[nodes.indexOf(node)];
    if (replica === undefined) throw new Error('the node has no replica');
    const others = [...nodes, ...replicas].filter((each) => each !== node);
    await ask(node.port, 'WAIT', 1, 5_000);
    for (const { port } of others)
      await ask(node.port, 'CLUSTER', 'FORGET', String(await ask(port, 'CLUSTER', 'MYID')));
    const [shopper = ''] = crowd.shopping;
    const stays = aLoneProcess([node]);
    expect(await stays.enter(crowd.eventId, shopper)).toMatchObject({ status: 'active', epoch: 1 });

    await ask(replica.port, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
    await eventually(
      async () => String(await ask(others[0]?.port ?? 0, 'CLUSTER', 'SLOTS')).includes(String(replica.port)),
      { withinMs, what: 'the others to know of it' },
    );
    const moves = aLoneProcess(others);
    const split = aSplit({ ...crowd, processes: [stays, moves] });
    const isOpen = async () => !(await snapshotOf(moves.store, crowd.eventId)).recovering;
    await split.until(async () => split.shopping().length >= threshold && (await isOpen()), withinMs);
    await split.goOn(2_000);
    await split.stop();
    expect(split.most()).toBe(threshold);
    expect(stays.watch.superseded().has(crowd.eventId)).toBe(true);
    expect(await journal.open(crowd.eventId)).toMatchObject({
      epoch: 2,
      identity: await moves.store.identity(crowd.eventId),
    });
    // It still answers, and is believed no more.
    expect(await ask(node.port, 'HGET', eventKeys(crowd.eventId).meta, 'epoch')).toBe('1');
  });

  /** Some shop on a node that has been primary from the start. */
  async function crowdWithReplica(): Promise<Crowd> {
    for (;;) {
      const eventId = randomUUID();
      if (!subject.engine.nodes.includes(await primaryOf(eventKeys(eventId).meta))) continue;
      return aCrowd(one, one.store, { eventId, shopping: threshold - 4, waiting: 0 });
    }
  }

  /** Knows the cluster by these nodes only. */
  function aLoneProcess(known: readonly RedisEngine[]) {
    const clusterNodes = known.map(({ port }) => `127.0.0.1:${port}`);
    const redis = createRedis({ clusterNodes, commandTimeoutMs, logger: silentLogger });
    atEnd(() => redis.close());
    const store = createRedisStore({ redis });
    const patient = { ...config, recoveringMs: 6_000 };
    return { store, ...aQueueProcess({ store, journal, clock: systemClock, config: patient }) };
  }

  async function reshard({ slot, from, to }: { slot: number; from: RedisEngine; to: RedisEngine }): Promise<void> {
    const [fromId, toId] = await Promise.all(
      [from, to].map(async ({ port }) => String(await ask(port, 'CLUSTER', 'MYID'))),
    );
    await ask(to.port, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId ?? '');
    await ask(from.port, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId ?? '');
    const keys = (await ask(from.port, 'CLUSTER', 'GETKEYSINSLOT', slot, 1_000)) as string[];
    await ask(from.port, 'MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
    for (const { port } of [to, ...subject.engine.nodes])
      await ask(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId ?? '');
  }
});
