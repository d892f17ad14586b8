import type { Logger } from '../telemetry/logger.ts';
import { describeThrown } from '../telemetry/thrown.ts';

/**
 * A promise that nobody waits for, and that fails, would end the process. If the handler of an event forgets one, the event
 * is delivered again after the restart and ends the next process. One forgotten promise must not take down the sale: it is
 * logged and counted. An uncaught exception still ends the process, since nobody knows what it left half done.
 */
export function outliveForgottenFailures({ logger, counted }: { logger: Logger; counted: () => void }): void {
  process.on('unhandledRejection', (thrown) => {
    logger.error(describeThrown(thrown), 'a promise failed that nobody waits for');
    counted();
  });
}
