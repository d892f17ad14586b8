import { afterAll, beforeAll, expect, it } from 'vitest';
import { isFault } from '#platform/errors.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, startReplica } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually, whilePaused } from '#test/kit/faults.ts';
import { packPlaceOrder } from '../domain/place-order.ts';
import { type QueueStore, type SlotRecord, StoreIsReplica } from '../ports.ts';
import {
  type RedisClusterUnderTest,
  type RedisUnderTest,
  redisClusterStores,
  redisStores,
} from '../testing/redis-stores.ts';
import { aBegin, ids, present } from './conformance/harness.ts';
import { createRedisStore } from './redis-store.ts';

const step = {
  admitMax: 100,
  parkMax: 1_000,
  absentMs: 90_000,
  claimMs: 120_000,
  activeTtlMs: 600_000,
  activeSeenTtlMs: null,
};

async function anEvent(store: QueueStore, threshold: number): Promise<string> {
  const eventId = ids.next();
  const { nowMs: _itsOwn, ...begin } = aBegin(eventId);
  await store.begin({ ...begin, settings: { ...begin.settings, threshold } });
  return eventId;
}

function enter(store: QueueStore, eventId: string, userId: string) {
  const call = { eventId, userId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: step.activeTtlMs } as const;
  return store.enter(call).then(present);
}

function codeOf(error: unknown): string {
  return isFault(error) ? error.code : String(error);
}

function slotsOf(eventId: string, count: number, firstNumber: number): SlotRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    slotId: `${eventId}.${index}`,
    userId: ids.next(),
    order: packPlaceOrder({ lane: 1, era: 1, number: firstNumber + index }),
    endsAtMs: 4_000_000_000_000,
    claimed: true,
  }));
}

describeWith('redis', 'queues in Redis, when things go wrong', () => {
  let subject: RedisUnderTest;
  let store: QueueStore;
  beforeAll(async () => {
    subject = await redisStores.create();
    store = subject.store;
  });
  afterAll(() => subject?.close?.());

  it('every script runs after the server forgot it', async () => {
    const eventId = await anEvent(store, 1);
    const userId = ids.next();
    const calls: (() => Promise<unknown>)[] = [
      () => enter(store, eventId, userId),
      () => store.touch({ eventId, userIds: [userId] }),
      () => store.admit({ eventId, ...step }),
      () => store.snapshot({ eventId }),
      () => store.trace({ eventId, userId }),
      () => store.configure({ eventId, changes: { message: 'soon' } }),
      () => store.changes({ eventId, limit: 10 }),
      () => store.leave({ eventId, userId }),
      () => store.forget({ eventId, seenTtlMs: 1, limit: 1 }),
      () => store.clear({ eventId, limit: 1 }),
      () => store.switchRoom({ eventId, era: 2, room: { on: false, era: 1, version: 1 } }),
    ];
    for (const call of calls) {
      await subject.redis.command('SCRIPT', 'FLUSH');
      expect(await call()).not.toMatchObject({ status: 'lost' });
    }
  });

  it('a rush is placed once and in order by a server that forgot the script', async () => {
    const eventId = await anEvent(store, 1);
    await subject.redis.command('SCRIPT', 'FLUSH');
    const results = await Promise.all(Array.from({ length: 200 }, () => enter(store, eventId, ids.next())));
    expect(results.map((result) => (result.status === 'waiting' ? result.position : 0))).toEqual(
      results.map((_, index) => index),
    );
    expect(await store.snapshot({ eventId })).toMatchObject({ active: 1, waiting: 199, totals: { joined: 200 } });
  });

  it('a rush into a frozen server is refused as a whole within the limit, and the next one is let in', async () => {
    const eventId = await anEvent(store, 0);
    const impatient = createRedis({ url: subject.engine.url, commandTimeoutMs: 1_500, logger: silentLogger });
    const entering = createRedisStore({ redis: impatient });
    try {
      await enter(entering, eventId, ids.next());
      const refused = await whilePaused(subject.engine, () =>
        Promise.all(
          Array.from({ length: 100 }, () => enter(entering, eventId, ids.next()).then(() => 'entered', codeOf)),
        ),
      );
      expect(new Set(refused)).toEqual(new Set(['STORE_UNAVAILABLE']));
      const userId = ids.next();
      const entered = () => enter(entering, eventId, userId);
      expect(await eventually(entered, { withinMs: 60_000, what: 'the server to answer' })).toMatchObject({
        status: 'waiting',
      });
    } finally {
      await impatient.close();
    }
  });

  it('reads the time from the server when nobody tells it', async () => {
    const eventId = await anEvent(store, 1);
    const beforeMs = Date.now();
    const result = await enter(store, eventId, ids.next());
    const endsAtMs = result.status === 'active' ? result.slot.endsAtMs : 0;
    expect(endsAtMs - step.activeTtlMs).toBeGreaterThan(beforeMs - 1_000);
    expect(endsAtMs - step.activeTtlMs).toBeLessThan(Date.now() + 1_000);
  });

  it('after FLUSHALL every call says that the state is lost, and none invents a new one', async () => {
    const eventId = await anEvent(store, 1);
    const userId = ids.next();
    await enter(store, eventId, userId);
    await subject.wipe();
    const lost = { status: 'lost' };
    expect(await store.touch({ eventId, userIds: [userId] })).toEqual(lost);
    expect(await store.leave({ eventId, userId })).toEqual(lost);
    expect(await store.endSlot({ eventId, userId, slotId: 'any' })).toEqual(lost);
    expect(await store.admit({ eventId, ...step })).toEqual(lost);
    expect(await store.snapshot({ eventId })).toEqual(lost);
    expect(await store.forget({ eventId, seenTtlMs: 1, limit: 1 })).toEqual(lost);
    expect(await store.configure({ eventId, changes: { threshold: 5 } })).toEqual(lost);
    expect(await store.clear({ eventId, limit: 1 })).toEqual(lost);
    expect(await store.trace({ eventId, userId })).toEqual(lost);
    expect(await store.changes({ eventId, limit: 1 })).toEqual(lost);
    expect(await store.switchRoom({ eventId, era: 9, room: { on: true, era: 8, version: 1 } })).toEqual(lost);
    await store.hold({ eventId, forMs: 1_000 });
    await store.endRecovery({ eventId, epoch: 1 });
    await store.acknowledge({ eventId, epoch: 1, upTo: 1 });
    expect(await subject.redis.command('KEYS', `{${eventId}}*`)).toEqual([]);
  });

  it('keeps every order exact up to the greatest there is', async () => {
    const eventId = await anEvent(store, 0);
    const greatest = packPlaceOrder({ lane: 1, era: 511, number: 2 ** 36 - 1 });
    const [last, beforeLast] = [ids.next(), ids.next()];
    const call = { eventId, mode: 'enter', lane: 1, roomOn: false, activeTtlMs: step.activeTtlMs } as const;
    await store.enter({ ...call, userId: last, numbered: greatest });
    await store.enter({ ...call, userId: beforeLast, numbered: greatest - 1 });
    expect(present(await store.snapshot({ eventId })).breakpoints).toEqual([
      { rank: 1, order: greatest - 1 },
      { rank: 2, order: greatest },
    ]);
    await store.configure({ eventId, changes: { threshold: 2 } });
    const { admitted } = present(await store.admit({ eventId, ...step }));
    expect(admitted.map(({ userId, order }) => [userId, order])).toEqual([
      [beforeLast, greatest - 1],
      [last, greatest],
    ]);
    expect(present(await store.snapshot({ eventId })).watermark).toBe(greatest);
    const { changes } = present(await store.changes({ eventId, limit: 10 }));
    expect(changes.flatMap((change) => (change.kind === 'spent' ? [change.order] : []))).toEqual([
      greatest - 1,
      greatest,
    ]);
    expect(await store.enter({ ...call, userId: ids.next(), numbered: greatest })).toMatchObject({
      status: 'number-taken',
    });
  });

  it('a later loader of an event takes over from an earlier one, and the later epoch stays', async () => {
    const other = createRedisStore({ redis: subject.connect() });
    for (const [first, second] of [
      [store, other],
      [other, store],
    ] as const) {
      const eventId = ids.next();
      const earlier = slotsOf(eventId, 1_200, 1);
      const later = slotsOf(eventId, 1_300, 5_000);
      await Promise.all([
        first.begin(aBegin(eventId, { epoch: 2, slots: earlier })),
        second.begin(aBegin(eventId, { epoch: 3, slots: later })),
      ]);
      expect(await store.snapshot({ eventId })).toMatchObject({ epoch: 3, active: 1_300 });
      expect(await store.trace({ eventId, userId: earlier[0]?.userId ?? '' })).toMatchObject({ place: 'none' });
      expect(await store.trace({ eventId, userId: later[1_299]?.userId ?? '' })).toMatchObject({ place: 'active' });
    }
  });

  it('an event that is being loaded counts as lost until it is whole', async () => {
    const eventId = ids.next();
    const userId = ids.next();
    let lost = 0;
    const begun = store.begin(aBegin(eventId, { slots: slotsOf(eventId, 5_000, 1) }));
    for (let looks = 0; looks < 500; looks += 1) {
      const trace = await store.snapshot({ eventId });
      if (trace.status === 'lost') lost += 1;
      else expect(trace.active).toBe(5_000);
    }
    expect(await begun).toEqual({ begun: true });
    expect(lost).toBeGreaterThan(0);
    expect(await store.trace({ eventId, userId })).toMatchObject({ place: 'none' });
  });

  it('leaves nothing of an earlier epoch behind, spent places included', async () => {
    const eventId = await anEvent(store, 0);
    const userId = ids.next();
    const place = await enter(store, eventId, userId);
    const order = place.status === 'waiting' ? place.order : 0;
    await store.leave({ eventId, userId });
    await store.begin(aBegin(eventId, { epoch: 2, era: 2 }));
    const look = { eventId, userId, mode: 'look', lane: 1, roomOn: false, activeTtlMs: 1, ticketOrder: order } as const;
    // The journal says nothing of it being spent, and the journal decides.
    expect(await store.enter(look)).toMatchObject({ status: 'waiting', order, epoch: 2 });
    expect(await store.changes({ eventId, limit: 10 })).toMatchObject({ from: 0, backlog: 0 });
  });

  it('the lock is given back by its owner only, and ends by itself', async () => {
    const eventId = ids.next();
    expect(await store.tryLock({ eventId, owner: 'a', ttlMs: 2_000 })).toBe(true);
    expect(await store.tryLock({ eventId, owner: 'b', ttlMs: 2_000 })).toBe(false);
    await store.unlock({ eventId, owner: 'b' });
    expect(await store.tryLock({ eventId, owner: 'b', ttlMs: 2_000 })).toBe(false);
    await eventually(() => store.tryLock({ eventId, owner: 'b', ttlMs: 60_000 }), {
      withinMs: 60_000,
      what: 'the lock to end',
    });
    await store.unlock({ eventId, owner: 'b' });
    expect(await store.tryLock({ eventId, owner: 'a', ttlMs: 60_000 })).toBe(true);
  });

  it('eight processes and a rush never have more slots than the threshold at any instant', async () => {
    const threshold = 50;
    const eventId = await anEvent(store, threshold);
    const processes = Array.from({ length: 8 }, () => createRedisStore({ redis: subject.connect() }));
    const users = Array.from({ length: 2_000 }, () => ids.next());
    let done = false;
    let most = 0;
    const sampler = (async () => {
      while (!done) {
        most = Math.max(most, Number(await subject.redis.command('ZCARD', `{${eventId}}:active`)));
      }
    })();
    await Promise.all(
      processes.map(async (one, index) => {
        for (let at = index; at < users.length; at += processes.length) {
          const userId = users[at] ?? '';
          await enter(one, eventId, userId);
          if (at % 3 === 0) await one.leave({ eventId, userId });
          if (at % 5 === 0) await one.admit({ eventId, ...step });
        }
      }),
    );
    const shopping = present(await store.admit({ eventId, ...step })).active;
    done = true;
    await sampler;
    expect(shopping).toBe(threshold);
    expect(most).toBe(threshold);
  });

  it('hands out every denied slot, also thousands of them, and to who knows them only the new ones', async () => {
    const eventId = ids.next();
    const slots = slotsOf(eventId, 2_500, 1);
    await store.begin(aBegin(eventId, { slots }));
    for (const { userId } of slots) await store.leave({ eventId, userId });
    for (const one of [store, createRedisStore({ redis: subject.connect() })]) {
      const { denied, deniedMark } = present(await one.snapshot({ eventId }));
      expect(new Set(denied.map(({ slotId }) => slotId))).toEqual(new Set(slots.map(({ slotId }) => slotId)));
      expect(deniedMark).toEqual({ epoch: 1, serial: slots.length });
      expect(present(await one.snapshot({ eventId, deniedSince: deniedMark })).denied).toEqual([]);
    }
    const late = Array.from({ length: 2_500 }, (_, n) => ({ slotId: `late-${n}`, untilMs: Date.now() + 600_000 }));
    await store.begin(aBegin(eventId, { epoch: 2, denied: late }));
    const known = { epoch: 1, serial: 1_200 };
    expect(present(await store.snapshot({ eventId, deniedSince: known })).denied).toHaveLength(late.length);
  });

  it('keeps its identity when a replica is attached; the replica has none, and another once promoted', async () => {
    const eventId = ids.next();
    const identity = await store.identity(eventId);
    const replica = await startReplica({ dir: await aFolder('queue-replica'), primary: subject.engine });
    const redis = createRedis({ url: replica.url, commandTimeoutMs: 5_000, logger: silentLogger });
    try {
      const onReplica = createRedisStore({ redis });
      await expect(onReplica.identity(eventId)).rejects.toBeInstanceOf(StoreIsReplica);
      await ask(replica.port, 'REPLICAOF', 'NO', 'ONE');
      const asPrimary = await onReplica.identity(eventId);
      expect(asPrimary).not.toBe(identity);
      expect(await store.identity(eventId)).toBe(identity);
      expect((await store.servers()).of(eventId)).toBe(identity);
    } finally {
      await redis.close();
      await replica.stop();
    }
  });

  it('a server that restarted without its data has another identity, on another connection', async () => {
    const eventId = ids.next();
    const identity = await store.identity(eventId);
    const connection = store.connection(eventId);
    await subject.engine.restart();
    const after = await eventually(() => store.identity(eventId), { withinMs: 60_000, what: 'the server to be back' });
    expect(after).not.toBe(identity);
    expect(store.connection(eventId)).not.toBe(connection);
    const servers = await store.servers();
    expect([servers.of(eventId), servers.has(identity)]).toEqual([after, false]);
  });
});

describeWith('redis', 'queues on a Redis Cluster, when things go wrong', () => {
  let subject: RedisClusterUnderTest;
  beforeAll(async () => {
    subject = await redisClusterStores.create();
  });
  afterAll(() => subject?.close?.());

  it('an event has the identity of the server that keeps it, and another one only when that server is another', async () => {
    const { engine } = subject;
    // A short limit: a node that is away is waited for that long.
    const store = createRedisStore({ redis: subject.connect(3_000) });
    const node = engine.nodes[1];
    if (node === undefined) throw new Error('the cluster has no second node');
    const eventIds = Array.from({ length: 60 }, () => ids.next());
    const identities = () => Promise.all(eventIds.map((eventId) => store.identity(eventId)));
    const before = await identities();
    expect(new Set(before).size).toBe(3);
    const servers = await store.servers();
    expect(eventIds.map((eventId) => servers.of(eventId))).toEqual(before);

    await node.kill();
    const meanwhile = await store.servers();
    const away = eventIds.filter((eventId) => meanwhile.of(eventId) === null);
    await node.restart();
    const after = await eventually(identities, { withinMs: 60_000, what: 'every node to answer' });
    const changed = eventIds.filter((_, n) => before[n] !== after[n]);
    expect(changed.length).toBeGreaterThan(0);
    expect(new Set(changed.map((eventId) => servers.of(eventId))).size).toBe(1);
    expect(away).toEqual(changed);
    const now = await store.servers();
    expect(eventIds.map((eventId) => now.of(eventId))).toEqual(after);
    expect([...new Set(before)].filter((identity) => now.has(identity))).toHaveLength(2);
  });

  it('serves events on every node', async () => {
    const { store, engine } = subject;
    const eventIds = await Promise.all(Array.from({ length: 60 }, () => anEvent(store, 1)));
    const rush = [0, 1, 2].flatMap(() => eventIds.map((eventId) => enter(store, eventId, ids.next())));
    expect(await Promise.all(rush)).toMatchObject([
      ...eventIds.map(() => ({ status: 'active' })),
      ...eventIds.map(() => ({ status: 'waiting', position: 1 })),
      ...eventIds.map(() => ({ status: 'waiting', position: 2 })),
    ]);
    expect(new Set(await store.activeEvents())).toEqual(new Set(eventIds));
    const sizes = await Promise.all(engine.nodes.map(({ port }) => ask(port, 'DBSIZE')));
    expect(sizes.every((size) => Number(size) > 0)).toBe(true);
  });
});
