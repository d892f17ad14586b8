import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

export type { Logger } from 'pino';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** JSON lines on standard error, so that what a command prints on standard output stays clean for scripts. */
export function createLogger(options: {
  level: LogLevel;
  base?: Record<string, unknown>;
  destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: options.base ?? null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // A second line of defence: nothing that carries a credential is ever logged on purpose.
      redact: {
        paths: ['*.password', '*.authorization', '*.cookie', '*.token', '*.accessToken', '*.refreshToken'],
        censor: '[masked]',
      },
    },
    options.destination ?? pino.destination(2),
  );
}

export const silentLogger: Logger = pino({ level: 'silent' });
