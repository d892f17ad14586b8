import type { Logger } from '../telemetry/logger.ts';
import { sleep } from './waiting.ts';

/** Small repeated work of the bus itself. A run never overlaps itself, and a failure waits for the next run. */
export interface Jobs {
  every(ms: number, name: string, work: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

export function createJobs({ logger }: { logger: Logger }): Jobs {
  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  return {
    every(ms, name, work) {
      running.push(
        (async () => {
          for (;;) {
            await sleep(ms, stopping.signal);
            if (stopping.signal.aborted) return;
            await work().catch((error: unknown) => logger.warn({ err: error, job: name }, 'a job of the bus failed'));
          }
        })(),
      );
    },
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
