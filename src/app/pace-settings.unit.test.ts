import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { admissionOptions } from './pace-settings.ts';

test('without settings people are let in at a fixed pace, without a loop and without turnover', () => {
  const { pace, closedLoop, turnoverPerTick } = admissionOptions(loadConfig({}).config);
  expect(pace).toMatchObject({ mode: 'fixed', intervalMs: 1_000, batch: 100 });
  expect([closedLoop, turnoverPerTick]).toEqual([undefined, 0]);
});

test('every setting reaches admission, by either of its names', () => {
  const options = admissionOptions(
    loadConfig({
      QUEUE_PACE: 'adaptive',
      URR_QUEUE_PACE_SHORT_INTERVAL_MS: '100',
      URR_QUEUE_PACE_LONG_INTERVAL_MS: '3000',
      URR_QUEUE_ADMISSION_BATCH_SIZE: '7',
      QUEUE_CLOSED_LOOP: 'on',
      URR_QUEUE_CLOSED_LOOP_P95_MS: '800',
      URR_QUEUE_CLOSED_LOOP_ERROR_PERCENT: '5',
      URR_QUEUE_CLOSED_LOOP_FLOOR_PERCENT: '20',
      URR_QUEUE_CLOSED_LOOP_STEP_PERCENT: '2',
      URR_QUEUE_TURNOVER_PER_TICK: '3',
    }).config,
  );
  expect(options).toEqual({
    pace: { mode: 'adaptive', intervalMs: 1_000, shortIntervalMs: 100, longIntervalMs: 3_000, batch: 7 },
    closedLoop: { p95TargetMs: 800, errorRateTarget: 0.05, shareMin: 0.2, stepPerSecond: 0.02 },
    turnoverPerTick: 3,
  });
});
