import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '#platform/clock.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { BenchEngines, CreateBus } from './engines.ts';
import { anEvent, aTopic, type BenchTopic, counter, ids } from './events.ts';

const backlogRows = 200_000;
const rowsPerStatement = 1_000;
const everyMs = 10;
const quietSamples = 400;
/** With fewer the flood was over before it could be measured. */
const floodedSamplesMin = 100;
const floodedSamplesMax = 2_000;
const arriveMaxMs = 120_000;

/**
 * How long an event of one topic takes to its effect, in milliseconds (p99): while nothing else happens, and while the outbox
 * holds a backlog of another topic. Both topics have consumers in this process.
 */
export async function besideABusyTopic(options: {
  engines: BenchEngines;
  create: CreateBus;
}): Promise<{ alone: number; beside: number }> {
  const { engines, create } = options;
  const { database } = engines;
  await engines.clear();
  const [quiet, busy] = [aTopic('quiet'), aTopic('busy')];
  let relayed = 0;
  const bus = create({
    database,
    topics: [quiet, busy],
    clock: systemClock,
    ids,
    observe: {
      relayed: (topic, count) => {
        if (topic === busy.name) relayed += count;
      },
    },
  });
  await bus.start();
  const arrivals = new Map<string, (at: number) => void>();
  await bus.consume(
    counter(quiet, { mode: 'batch' }, (events) => {
      const now = performance.now();
      for (const { data } of events) arrivals.get(data.seatId)?.(now);
    }),
  );
  await bus.consume(counter(busy, { mode: 'batch' }, () => {}));
  const publish = (topic: BenchTopic, number: number) =>
    database.transaction((tx) => bus.publish(tx, topic, [anEvent(number)]));

  let sent = 0;
  /** From before its transaction to after the one of its effect. */
  async function sample(): Promise<number> {
    const number = sent++;
    const started = performance.now();
    const arrived = new Promise<number>((resolve) => arrivals.set(`A-${number}`, resolve));
    await publish(quiet, number);
    const at = await withTimeout(arrived, arriveMaxMs, () => new Error('an event of the quiet topic did not arrive'));
    return at - started;
  }
  async function samplesWhile(goesOn: (taken: number) => boolean): Promise<number[]> {
    const samples: Promise<number>[] = [];
    while (goesOn(samples.length)) {
      samples.push(sample());
      await delay(everyMs);
    }
    return Promise.all(samples);
  }

  try {
    await samplesWhile((taken) => taken < quietSamples / 4);
    const alone = await samplesWhile((taken) => taken < quietSamples);
    await database.transaction(async (tx) => {
      for (let from = 0; from < backlogRows; from += rowsPerStatement) {
        await bus.publish(
          tx,
          busy,
          Array.from({ length: rowsPerStatement }, (_, index) => anEvent(from + index)),
        );
      }
    });
    const beside = await samplesWhile((taken) => relayed < backlogRows && taken < floodedSamplesMax);
    if (beside.length < floodedSamplesMin) throw new Error(`only ${beside.length} samples during the flood`);
    return { alone: p99(alone), beside: p99(beside) };
  } finally {
    await bus.stop();
  }
}

function p99(samples: readonly number[]): number {
  const sorted = samples.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? Number.NaN;
}
