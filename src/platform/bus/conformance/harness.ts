import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import type { Engine } from '#test/kit/engines/engine.ts';
import { eventually } from '#test/kit/faults.ts';
import type { Headers } from '../message.ts';
import type { BusOptions, Failpoint } from '../options.ts';
import type { BusEngine } from '../port.ts';
import type { Effect, TestTopic } from './records.ts';

/** One adapter with real engines behind it, and a way past it to the messages themselves. */
export interface BusUnderTest {
  readonly database: Database;
  readonly postgres: Engine;
  /** What the messages live in: PostgreSQL itself for the embedded log. */
  readonly broker: Engine;
  createBus(options: BusOptions): BusEngine;
  /** How a process of its own makes the same bus; see child.ts. */
  readonly child: Readonly<Record<string, string>>;
  readTopic(topic: string): Promise<{ value: string; headers: Headers }[]>;
  /** As a foreign or broken producer would. */
  appendRaw(message: { topic: string; partition: number; key: string; value: string }): Promise<void>;
  close(): Promise<void>;
}

/** What an adapter runs of the suite. CI has little time, and a test on Kafka takes three times as long. */
export interface BusParts {
  /** The processor and the pool sort faults out, not the adapter: one mode for each of them covers both. */
  readonly faultMode: 'single' | 'batch';
  /** A broker that is stopped in order is part of the chaos run (`restart-broker`); each start of Kafka takes seconds. */
  readonly brokerGoes: readonly ('stop' | 'kill')[];
}

export const settleMs = 90_000;
const everyPart: BusParts = { faultMode: 'batch', brokerGoes: ['stop', 'kill'] };
/** For the databases of tests: a busy machine is no outage. */
export const connectTimeoutMs = 60_000;

/** What every test of the suite works with. Call inside `describe`. */
export function useBus(setUp: () => Promise<BusUnderTest>, parts: BusParts = everyPart) {
  let subject: BusUnderTest | null = null;
  const running: BusEngine[] = [];

  function under(): BusUnderTest {
    if (subject === null) throw new Error('the bus under test is set up before each test');
    return subject;
  }

  beforeAll(async () => {
    subject = await setUp();
    await subject.database.query(
      'CREATE TABLE IF NOT EXISTS urr.test_effects (id bigserial, consumer_group text, topic text, event_id uuid, key text, n integer)',
    );
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((bus) => bus.stop()));
  });
  afterAll(async () => {
    await subject?.close();
  });

  const kit = {
    under,
    parts,
    async start(topics: readonly TestTopic[], options: Partial<BusOptions> = {}): Promise<BusEngine> {
      const ids = createIds({ clock: systemClock, random: systemRandom });
      const bus = under().createBus({ database: under().database, topics, clock: systemClock, ids, ...options });
      running.push(bus);
      await bus.start();
      return bus;
    },
    async publish(bus: BusEngine, topic: TestTopic, key: string, numbers: readonly number[]): Promise<void> {
      await under().database.transaction((tx) =>
        bus.publish(
          tx,
          topic,
          numbers.map((n) => ({ type: 'COUNTED' as const, key, data: { n } })),
        ),
      );
    },
    async effects(group: string): Promise<Effect[]> {
      const { rows } = await under().database.query<Effect>(
        'SELECT key, n, event_id FROM urr.test_effects WHERE consumer_group = $1 ORDER BY id',
        [group],
      );
      return rows;
    },
    /** Waits for so many effects, then looks whether more come. */
    async effectsWhenSettled(group: string, count: number): Promise<Effect[]> {
      await eventually(async () => (await kit.effects(group)).length >= count, {
        withinMs: settleMs,
        what: `${count} effects of ${group}`,
      });
      await new Promise((resolve) => setTimeout(resolve, 150));
      return kit.effects(group);
    },
    /** Runs child.ts until it kills itself. */
    async runChildToItsDeath(order: { topic: TestTopic; group: string; point: Failpoint; at: number }): Promise<void> {
      const child = fork(fileURLToPath(new URL('./child.ts', import.meta.url)), {
        env: {
          ...process.env,
          ...under().child,
          CHILD_TOPIC: order.topic.name,
          CHILD_GROUP: order.group,
          CHILD_FAILPOINT: order.point,
          CHILD_AT: String(order.at),
        },
        execArgv: [],
        timeout: settleMs,
      });
      const [code, signal] = await once(child, 'exit');
      expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
    },
    numbers: async (group: string): Promise<number[]> => (await kit.effects(group)).map(({ n }) => n),
  };
  return kit;
}

export type BusKit = ReturnType<typeof useBus>;
