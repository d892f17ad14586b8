import { expect, test } from 'vitest';
import { eventually } from '#test/kit/faults.ts';
import { silentLogger } from '../telemetry/logger.ts';
import { createJobRunner } from './jobs.ts';

test('a job that fails runs again, and its failure is counted', async () => {
  const outcomes: string[] = [];
  let runs = 0;
  const runner = createJobRunner(
    [
      {
        name: 'flaky',
        everyMs: 1,
        async run() {
          runs += 1;
          if (runs === 1) throw new Error('first time');
        },
      },
    ],
    { logger: silentLogger, observe: { ran: (_job, _seconds, outcome) => outcomes.push(outcome) } },
  );
  runner.start();
  await eventually(() => outcomes.length >= 2, { withinMs: 60_000, what: 'two runs' });
  await runner.stop();
  expect(outcomes.slice(0, 2)).toEqual(['error', 'ok']);
});

test('a job never overlaps itself, and stopping waits for the run under way', async () => {
  let running = 0;
  let most = 0;
  let finished = 0;
  const runner = createJobRunner(
    [
      {
        name: 'slow',
        everyMs: 1,
        async run() {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setTimeout(resolve, 20));
          running -= 1;
          finished += 1;
        },
      },
    ],
    { logger: silentLogger },
  );
  runner.start();
  await eventually(() => running === 1, { withinMs: 60_000, what: 'a run' });
  await runner.stop();
  expect({ most, running }).toEqual({ most: 1, running: 0 });
  const after = finished;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(finished).toBe(after);
});
