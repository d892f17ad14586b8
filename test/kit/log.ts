import { createLogger, type Logger } from '#platform/telemetry/logger.ts';

export interface TestLog {
  readonly logger: Logger;
  /** The messages so far, without what was logged for information only. */
  lines(): string[];
}

/** A logger whose warnings a test can look at. */
export function aLog(): TestLog {
  const written: string[] = [];
  const logger = createLogger({ level: 'warn', destination: { write: (line) => void written.push(line) } });
  return { logger, lines: () => written.map((line) => (JSON.parse(line) as { msg: string }).msg) };
}
