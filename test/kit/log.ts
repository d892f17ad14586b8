import { createLogger, type Logger } from '#platform/telemetry/logger.ts';

export interface TestLog {
  readonly logger: Logger;
  /** The messages so far, from the level on. */
  lines(): string[];
  /** Everything that was written, as it was written. */
  text(): string;
}

/** A logger whose warnings, or more, a test can look at. */
export function aLog(level: 'warn' | 'info' | 'trace' = 'warn'): TestLog {
  const written: string[] = [];
  const logger = createLogger({ level, destination: { write: (line) => void written.push(line) } });
  return {
    logger,
    lines: () => written.map((line) => (JSON.parse(line) as { msg: string }).msg),
    text: () => written.join(''),
  };
}
