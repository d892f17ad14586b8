import { expect, test } from 'vitest';
import type { EnterCall, QueueStore } from '#modules/queue/ports.ts';
import { eventKeys } from '#modules/queue/storage/redis-keys.ts';
import { createRedisStore } from '#modules/queue/storage/redis-store.ts';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import { systemRandom } from '#platform/random.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { startTestApp } from '#test/kit/app.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import { createQueueCaller, orderIn, slotIn } from '#test/kit/queue/caller.ts';
import { aShowOnSale, aSignedIn } from '#test/kit/queue/show.ts';
import { watchSlots } from '#test/kit/queue/watch.ts';

const ids = createIds({ clock: systemClock, random: systemRandom });
const second = 1_000;
const sleeping = 20_000;
const present = 300;
const threshold = 50;
/** As the job does it. */
const callsPerTick = 20;
const step = {
  parkMax: 1_000,
  absentMs: 90 * second,
  claimMs: 120 * second,
  activeTtlMs: 600 * second,
  activeSeenTtlMs: null,
};

describeWith('redis', 'people who sleep', () => {
  test('20,000 sleepers at the head delay nobody by more than a few ticks, and are first when they wake', async () => {
    const line = await aLine(threshold);
    const shoppers = await line.enter(someIds(threshold));
    const sleepers = someIds(sleeping);
    const orders = await line.enter(sleepers);
    const awake = someIds(present);
    await line.enter(awake);
    expect(shoppers.size).toBe(0);
    // A minute and a half in which only those behind give signs of life.
    for (let elapsed = 0; elapsed <= 95 * second; elapsed += 4 * second) {
      await line.touch(awake);
      await line.tick();
      line.wait(4 * second);
    }
    await line.touch(awake);
    await line.endSlots();
    let ticks = 0;
    const admitted: string[] = [];
    while (admitted.length < threshold && ticks < 10) {
      admitted.push(...(await line.tick()));
      line.wait(second);
      ticks += 1;
    }
    expect(ticks).toBeLessThanOrEqual(3);
    expect(admitted).toEqual(awake.slice(0, threshold));

    // Awake again, in any order: each at the old place, before all who are still waiting.
    const woken = [sleepers[19_999], sleepers[0], sleepers[777]].map(String);
    for (const userId of woken) expect((await line.look(userId)).get(userId)).toBe(orders.get(userId));
    await line.endSlots();
    const next = await line.tick();
    const inOrder = woken.toSorted((one, other) => (orders.get(one) ?? 0) - (orders.get(other) ?? 0));
    expect(next.slice(0, 4)).toEqual([...inOrder, awake[threshold]]);
  });

  test('asleep for an hour, forgotten by the store, back at the same place', async () => {
    const line = await aLine(1);
    const [sleeper = '', ...others] = someIds(40);
    await line.enter(someIds(1));
    const order = (await line.enter([sleeper])).get(sleeper) ?? 0;
    await line.enter(others);
    let forgotten = 0;
    for (let elapsed = 0; elapsed < 3_600 * second; elapsed += 4 * second) {
      await line.touch(others);
      await line.tick();
      line.wait(4 * second);
      const { eventId, store } = line;
      if (elapsed % (60 * second) > 0) continue;
      const swept = await store.forget({ eventId, seenTtlMs: 600 * second, limit: 1_000, nowMs: line.now() });
      if ('forgotten' in swept) forgotten += swept.forgotten;
    }
    expect(forgotten).toBeGreaterThanOrEqual(1);
    expect((await line.look(sleeper)).has(sleeper)).toBe(false);
    expect((await line.look(sleeper, order)).get(sleeper)).toBe(order);
    await line.endSlots();
    expect(await line.tick()).toEqual([sleeper]);
  });

  test('after FLUSHALL with 100 shoppers nobody has a second slot, and no more than the threshold shop', async () => {
    const redis = await startRedis({ dir: await aFolder('flush-redis'), args: ['--appendonly', 'no'] });
    atEnd(() => redis.stop());
    const app = await startTestApp({
      env: {
        URR_REDIS_URL: redis.url,
        URR_QUEUE_THRESHOLD: '100',
        URR_QUEUE_RECOVERING_SECONDS: '5',
        URR_QUEUE_ADMISSION_INTERVAL_MS: '200',
        URR_RATE_POLL_PER_MINUTE: '1000000',
      },
    });
    const eventId = await aShowOnSale(app.url);
    const caller = createQueueCaller(eventId, () => app.url);
    const watch = watchSlots({ url: redis.url, eventId, everyMs: 2 });
    const people = Array.from({ length: 150 }, () => aSignedIn());
    const first = await Promise.all(people.map((who) => caller.check(who)));
    const slots = new Map<string, string>();
    const tickets = new Map<string, string>();
    for (const [n, { answer }] of first.entries()) {
      const { userId } = people[n] ?? aSignedIn();
      if (answer?.ticket) tickets.set(userId, answer.ticket);
      if (answer?.entryToken) slots.set(userId, slotIn(answer.entryToken).slotId);
    }
    expect(slots.size).toBe(100);
    // Ten give their slot back, and the first ten of the line get them.
    const gone = people.filter(({ userId }) => slots.has(userId)).slice(0, 10);
    for (const who of gone) await caller.leave(who);
    await eventually(
      async () => {
        const answers = await Promise.all(people.map((who) => caller.status(who, tickets.get(who.userId) ?? null)));
        for (const [n, { answer }] of answers.entries())
          if (answer?.entryToken) slots.set(people[n]?.userId ?? '', slotIn(answer.entryToken).slotId);
        return slots.size === 110;
      },
      { withinMs: 60_000, what: 'ten more to be admitted' },
    );

    await ask(redis.port, 'FLUSHALL');
    /** Null: the store has not been filled again yet. */
    const recoveringUntilMs = async () =>
      (await ask(redis.port, 'HGET', eventKeys(eventId).meta, 'recoveringUntilMs')) as string | null;
    const isRecovered = async () => Date.now() > Number((await recoveringUntilMs()) ?? Number.POSITIVE_INFINITY);
    // Until it is over, and once after that.
    for (let wasRecovered = false, isOver = false; !isOver; isOver = wasRecovered) {
      wasRecovered = await isRecovered();
      const answers = await Promise.all(people.map((who) => caller.status(who, tickets.get(who.userId) ?? null)));
      let shopping = 0;
      for (const [n, { http, answer }] of answers.entries()) {
        const who = people[n] ?? aSignedIn();
        if (http === 503) continue;
        if (answer?.status === 'active') shopping += 1;
        if (answer?.entryToken) expect(slotIn(answer.entryToken).slotId).toBe(slots.get(who.userId));
        if (gone.includes(who)) expect(answer?.status).toBe('none');
        else expect(answer?.status).toBe(slots.has(who.userId) ? 'active' : 'waiting');
        if (answer?.status === 'waiting' && answer.ticket !== null) {
          expect(orderIn(answer.ticket)).toBe(orderIn(tickets.get(who.userId) ?? ''));
        }
      }
      expect(shopping).toBeLessThanOrEqual(100);
    }
    // Anyone who had their turn may come again, at the back of the line like everybody else.
    const again = await caller.check(gone[0] ?? aSignedIn(), tickets.get(gone[0]?.userId ?? '') ?? null);
    expect(again.answer).toMatchObject({ status: 'waiting', position: 41 });
    await watch.stop();
    expect(watch.samples).toBeGreaterThan(0);
    expect(watch.most).toBe(100);
  });
});

let engine: RedisEngine | null = null;

/** One event at the level of the store, with a clock that the test turns. */
async function aLine(slots: number) {
  engine ??= await startRedis({ dir: await aFolder('sleep-redis'), args: ['--appendonly', 'no'] });
  const server = engine;
  const redis = createRedis({ url: server.url, commandTimeoutMs: 10_000, logger: silentLogger });
  atEnd(async () => {
    await redis.close();
    await server.stop();
  });
  const store: QueueStore = createRedisStore({ redis });
  const eventId = ids.next();
  let nowMs = 2_000_000_000_000;
  const active = new Map<string, string>();
  await store.begin({
    eventId,
    epoch: 1,
    era: 1,
    room: { on: false, era: 0, version: 0 },
    settings: { threshold: slots, paused: false, closed: false, message: null },
    slots: [],
    denied: [],
    spent: [],
    returned: [],
    sequence: 0,
    watermark: 0,
    recoveringMs: 0,
    nowMs,
  });

  async function ask(userId: string, call: Pick<EnterCall, 'mode'> & Partial<EnterCall>): Promise<number | null> {
    const base = { eventId, userId, lane: 1, roomOn: false, activeTtlMs: step.activeTtlMs, nowMs } as const;
    const result = await store.enter({ ...base, ...call });
    if (result.status === 'active') active.set(userId, result.slot.slotId);
    return result.status === 'waiting' ? result.order : null;
  }

  return {
    eventId,
    store,
    now: () => nowMs,
    wait(ms: number) {
      nowMs += ms;
    },
    /** In this order; answers with the orders of those who wait. */
    async enter(userIds: readonly string[]): Promise<Map<string, number>> {
      const orders = new Map<string, number>();
      for (let n = 0; n < userIds.length; n += 1_000) {
        const some = userIds.slice(n, n + 1_000);
        // One connection: the server takes them as they are sent.
        const found = await Promise.all(some.map((userId) => ask(userId, { mode: 'enter' })));
        for (const [i, order] of found.entries()) if (order !== null) orders.set(some[i] ?? '', order);
      }
      return orders;
    },
    async look(userId: string, ticketOrder?: number): Promise<Map<string, number>> {
      const order = await ask(userId, { mode: 'look', ...(ticketOrder !== undefined && { ticketOrder }) });
      return new Map(order === null ? [] : [[userId, order]]);
    },
    touch: (userIds: readonly string[]) => store.touch({ eventId, userIds, nowMs }),
    /** One tick of the job. Everybody who is let in claims at once. */
    async tick(): Promise<string[]> {
      const admitted: string[] = [];
      for (let call = 0; call < callsPerTick; call++) {
        const result = await store.admit({ eventId, ...step, admitMax: 100 - admitted.length, nowMs });
        if (result.status !== 'ok') throw new Error(result.status);
        for (const { userId, slotId } of result.admitted) active.set(userId, slotId);
        admitted.push(...result.admitted.map(({ userId }) => userId));
        if (!result.more || admitted.length >= 100) break;
      }
      return admitted;
    },
    async endSlots(): Promise<void> {
      for (const [userId, slotId] of active) await store.endSlot({ eventId, userId, slotId, nowMs });
      active.clear();
    },
  };
}

function someIds(count: number): string[] {
  return Array.from({ length: count }, () => ids.next());
}
