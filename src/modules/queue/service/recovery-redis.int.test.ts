import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createRedis } from '#platform/redis/client.ts';
import { silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { describeWith } from '#test/kit/engines/needs.ts';
import { ask, type RedisEngine, startRedis } from '#test/kit/engines/redis.ts';
import { aFolder } from '#test/kit/engines/scratch.ts';
import { eventually } from '#test/kit/faults.ts';
import type { QueueJournal } from '../ports.ts';
import { createRedisStore } from '../storage/redis-store.ts';
import { aBusySale } from '../testing/a-busy-sale.ts';
import { aCrowd, comeBack, expectAsBefore, moveOn, snapshotOf, watchActive } from '../testing/a-crowd.ts';
import { aJournal } from '../testing/a-journal.ts';
import { aQueueProcess } from '../testing/queue-processes.ts';

const threshold = 10;
const people = 60;
/** A slot that comes back after its shopper has left ends soon. Longer than any pause: everybody claims in time. */
const config = { threshold, recoveringMs: 1_000, admissionIntervalMs: 30, activeTtlMs: 6_000, claimMs: 5_000 };
const commandTimeoutMs = 2_000;
/** Where nobody may be refused: a busy machine may take its time, and what was cut off is refused at once. */
const patientMs = 30_000;
/** A call may also wait for a recovery, three seconds; the rest is what a busy machine may add. */
const refusalMs = 3_000 + 5 * commandTimeoutMs;

describeWith('redis', 'queues on a Redis that fails', () => {
  let journal: QueueJournal;
  beforeAll(async () => {
    ({ journal } = await aJournal());
  });

  async function aServer(args: readonly string[] = ['--appendonly', 'no']): Promise<RedisEngine> {
    const engine = await startRedis({ dir: await aFolder('queue-fails'), args });
    atEnd(() => engine.stop());
    return engine;
  }

  function aProcess({ url }: RedisEngine, limitMs = commandTimeoutMs) {
    const redis = createRedis({ url, commandTimeoutMs: limitMs, logger: silentLogger });
    atEnd(() => redis.close());
    const store = createRedisStore({ redis });
    return { store, ...aQueueProcess({ store, journal, clock: systemClock, config }) };
  }

  it('FLUSHALL gives nobody a second slot, and no more than the threshold shop', async () => {
    const engine = await aServer();
    const [one, two] = [aProcess(engine), aProcess(engine)];
    const settled = { ...config, activeTtlMs: 600_000 };
    const process = aQueueProcess({ store: one.store, journal, clock: systemClock, config: settled });
    const crowd = await moveOn(
      process,
      one.store,
      await aCrowd(process, one.store, { shopping: threshold, waiting: 30 }),
      4,
    );
    const watch = watchActive(one.store, crowd.eventId);
    await ask(engine.port, 'FLUSHALL');
    await comeBack([one, two], crowd);
    await expectAsBefore(one.store, crowd);
    await eventually(
      async () => {
        await Promise.all([process.tick(), two.tick()]);
        return !(await snapshotOf(one.store, crowd.eventId)).recovering;
      },
      { withinMs: 60_000, what: 'the end of recovery' },
    );
    await comeBack([two, one], crowd);
    await expectAsBefore(one.store, crowd);
    expect((await watch.stop()).most).toBe(threshold);
  });

  interface Fault {
    readonly what: string;
    readonly args?: readonly string[];
    strike(engine: RedisEngine): Promise<unknown>;
    /** `none`: nobody may notice. `in flight`: at most what was under way. `while away`: for some time everybody. */
    readonly refused: 'none' | 'in flight' | 'while away';
    readonly lost: boolean;
  }

  const faults: Fault[] = [
    {
      what: 'forgets its scripts',
      strike: ({ port }) => repeat(5, () => ask(port, 'SCRIPT', 'FLUSH')),
      refused: 'none',
      lost: false,
    },
    {
      what: 'cuts every connection',
      strike: ({ port }) => repeat(3, () => ask(port, 'CLIENT', 'KILL', 'TYPE', 'normal')),
      refused: 'in flight',
      lost: false,
    },
    {
      what: 'pauses for less than a call may take',
      strike: ({ port }) => ask(port, 'CLIENT', 'PAUSE', commandTimeoutMs / 4, 'ALL'),
      refused: 'none',
      lost: false,
    },
    {
      what: 'pauses for longer than a call may take',
      strike: ({ port }) => ask(port, 'CLIENT', 'PAUSE', commandTimeoutMs * 1.5, 'ALL'),
      refused: 'while away',
      lost: false,
    },
    {
      what: 'is killed and comes back with its data',
      args: ['--appendonly', 'yes', '--appendfsync', 'always'],
      strike: killAndRestart,
      refused: 'while away',
      lost: true,
    },
    {
      what: 'is killed and comes back empty',
      strike: killAndRestart,
      refused: 'while away',
      lost: true,
    },
  ];

  it.each(faults)('in the middle of a sale it $what', async ({ args, strike, refused, lost }) => {
    const engine = await aServer(args);
    const limitMs = refused === 'none' ? patientMs : commandTimeoutMs;
    const processes = [aProcess(engine, limitMs), aProcess(engine, limitMs)];
    const eventId = randomUUID();
    const [one] = processes;
    if (one === undefined) throw new Error('no process');
    const watch = watchActive(one.store, eventId);
    const sale = aBusySale(processes, { eventId, people, heldBack: people / 4 });
    await eventually(() => sale.done >= people / 4, { withinMs: 60_000, what: 'a quarter to be through' });
    // However quick the others were, a quarter of them meets it.
    const struck = strike(engine);
    sale.letTheRestCome();
    await struck;
    await sale.untilOver(100_000);

    expect(sale.complaints).toEqual([]);
    expect(Math.max(0, ...sale.refusedMs)).toBeLessThan(refusalMs);
    if (refused === 'none') expect(sale.refusedMs).toEqual([]);
    // Three cuts, and each of the people has one call under way.
    if (refused === 'in flight') expect(sale.refusedMs.length).toBeLessThan(3 * people);
    if (refused === 'while away') expect(sale.refusedMs.length).toBeGreaterThan(0);
    const { most } = await watch.stop();
    expect(most).toBeLessThanOrEqual(threshold);
    expect(most).toBeGreaterThan(threshold / 2);
    const { epoch } = await journal.open(eventId);
    if (lost) expect(epoch).toBeGreaterThan(1);
    else expect(epoch).toBe(1);
  });
});

async function killAndRestart(engine: RedisEngine): Promise<void> {
  await engine.kill();
  await delay(commandTimeoutMs * 1.2);
  await engine.restart();
}

async function repeat(times: number, act: () => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n++) {
    await act();
    await delay(50);
  }
}
