import type { Job } from '../module.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface JobRunner {
  start(): void;
  /** No new run begins; the ones under way are told to end and waited for. */
  stop(): Promise<void>;
}

export interface JobObserver {
  ran(job: string, seconds: number, outcome: 'ok' | 'error'): void;
}

/** Of its interval: a job may begin so much earlier or later. */
export const jobJitter = 0.1;

/** Runs each job again and again, never twice at once, with a little jitter so that many processes do not march in step. */
export function createJobRunner(
  jobs: readonly Job[],
  { logger, observe }: { logger: Logger; observe?: JobObserver },
): JobRunner {
  const abort = new AbortController();
  const timers = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();

  function schedule(job: Job): void {
    if (abort.signal.aborted) return;
    const timer = setTimeout(
      () => {
        const run = runOnce(job).finally(() => {
          underWay.delete(job.name);
          schedule(job);
        });
        underWay.set(job.name, run);
      },
      job.everyMs * (1 - jobJitter + 2 * jobJitter * Math.random()),
    );
    timer.unref();
    timers.set(job.name, timer);
  }

  async function runOnce(job: Job): Promise<void> {
    const started = performance.now();
    try {
      await job.run(abort.signal);
      observe?.ran(job.name, (performance.now() - started) / 1000, 'ok');
    } catch (error) {
      observe?.ran(job.name, (performance.now() - started) / 1000, 'error');
      logger.warn({ err: error, job: job.name }, 'a job failed; it will run again');
    }
  }

  return {
    start() {
      for (const job of jobs) schedule(job);
    },
    async stop() {
      abort.abort();
      for (const timer of timers.values()) clearTimeout(timer);
      await Promise.allSettled(underWay.values());
    },
  };
}
