import type { AdmissionOptions } from '#modules/queue/index.ts';
import { boolean, type ConfigOf, defineConfig, integer, oneOf } from '#platform/config/index.ts';
import type { queueSettings } from './queue-settings.ts';

const group = 'Pace of admission';

/** How fast tier 2 lets people in, beside `URR_QUEUE_ADMISSION_INTERVAL_MS` and `URR_QUEUE_ADMISSION_BATCH_SIZE`. */
export const paceSettings = defineConfig({
  queuePace: oneOf({
    group,
    env: 'URR_QUEUE_PACE',
    aliases: ['QUEUE_PACE'],
    values: ['fixed', 'adaptive'],
    default: 'fixed',
    help: '`fixed`: a batch at every admission interval. `adaptive`: at the short interval while slots are free and somebody waits, else at the long one.',
  }),
  queuePaceShortIntervalMs: integer({
    group,
    env: 'URR_QUEUE_PACE_SHORT_INTERVAL_MS',
    aliases: ['QUEUE_PACE_SHORT_INTERVAL_MS'],
    default: 250,
    min: 50,
    max: 60_000,
    help: 'Adaptive only: how often people are admitted while slots are free.',
  }),
  queuePaceLongIntervalMs: integer({
    group,
    env: 'URR_QUEUE_PACE_LONG_INTERVAL_MS',
    aliases: ['QUEUE_PACE_LONG_INTERVAL_MS'],
    default: 2_000,
    min: 50,
    max: 60_000,
    help: 'Adaptive only: how often it is looked for free slots while there are none, or while nobody waits.',
  }),
  queueClosedLoop: boolean({
    group,
    env: 'URR_QUEUE_CLOSED_LOOP',
    aliases: ['QUEUE_CLOSED_LOOP'],
    default: false,
    help: 'Lets in fewer while calls behind an entry token are slow or fail, and more to make up for people who do not come. Every process that runs the queue needs it.',
  }),
  queueClosedLoopP95Ms: integer({
    group,
    env: 'URR_QUEUE_CLOSED_LOOP_P95_MS',
    aliases: ['QUEUE_CLOSED_LOOP_P95_MS'],
    default: 1_000,
    min: 1,
    max: 60_000,
    help: 'Closed loop: nineteen in twenty of those calls should be answered within this time.',
  }),
  queueClosedLoopErrorPercent: integer({
    group,
    env: 'URR_QUEUE_CLOSED_LOOP_ERROR_PERCENT',
    aliases: ['QUEUE_CLOSED_LOOP_ERROR_PERCENT'],
    default: 2,
    min: 0,
    max: 99,
    help: 'Closed loop: at most so many in a hundred of them may fail with 5xx.',
  }),
  queueClosedLoopFloorPercent: integer({
    group,
    env: 'URR_QUEUE_CLOSED_LOOP_FLOOR_PERCENT',
    aliases: ['QUEUE_CLOSED_LOOP_FLOOR_PERCENT'],
    default: 10,
    min: 1,
    max: 100,
    help: 'Closed loop: so much of the batch is let in however the origin is doing.',
  }),
  queueClosedLoopStepPercent: integer({
    group,
    env: 'URR_QUEUE_CLOSED_LOOP_STEP_PERCENT',
    aliases: ['QUEUE_CLOSED_LOOP_STEP_PERCENT'],
    default: 5,
    min: 1,
    max: 100,
    help: 'Closed loop: so much of the batch comes back in each second in which the origin is well. It is halved, at most every 5 s, while it is not.',
  }),
  queueTurnoverPerTick: integer({
    group,
    env: 'URR_QUEUE_TURNOVER_PER_TICK',
    aliases: ['QUEUE_TURNOVER_PER_TICK'],
    default: 0,
    min: 0,
    max: 1_000,
    help: 'For demonstrations: so many slots of each event, picked at random, end at every admission step. Refused in production.',
  }),
});

type PaceValues = ConfigOf<typeof paceSettings> &
  Pick<ConfigOf<typeof queueSettings>, 'queueAdmissionIntervalMs' | 'queueAdmissionBatch'>;

export function admissionOptions(config: PaceValues): AdmissionOptions {
  return {
    pace: {
      mode: config.queuePace,
      intervalMs: config.queueAdmissionIntervalMs,
      shortIntervalMs: config.queuePaceShortIntervalMs,
      longIntervalMs: config.queuePaceLongIntervalMs,
      batch: config.queueAdmissionBatch,
    },
    turnoverPerTick: config.queueTurnoverPerTick,
    ...(config.queueClosedLoop && {
      closedLoop: {
        p95TargetMs: config.queueClosedLoopP95Ms,
        errorRateTarget: config.queueClosedLoopErrorPercent / 100,
        shareMin: config.queueClosedLoopFloorPercent / 100,
        stepPerSecond: config.queueClosedLoopStepPercent / 100,
      },
    }),
  };
}

/** What is wrong with these together. A setting that could not be read is missing here and has been blamed already. */
export function paceContradictions(config: Partial<PaceValues> & { readonly mode?: string }): string[] {
  const problems: string[] = [];
  const { queuePaceShortIntervalMs: shortMs, queuePaceLongIntervalMs: longMs } = config;
  if (shortMs !== undefined && longMs !== undefined && shortMs > longMs) {
    problems.push(
      `URR_QUEUE_PACE_SHORT_INTERVAL_MS (${shortMs}) must not be above URR_QUEUE_PACE_LONG_INTERVAL_MS (${longMs})`,
    );
  }
  if (config.mode === 'production' && (config.queueTurnoverPerTick ?? 0) > 0) {
    problems.push('URR_QUEUE_TURNOVER_PER_TICK takes slots from people at random; it is for demonstrations only');
  }
  return problems;
}
