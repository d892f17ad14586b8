import { type DestinationStream, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { openLogDestination } from './log-destination.ts';
import { describeThrown } from './thrown.ts';

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
      serializers: { err: serializeError },
      // A second line of defence: nothing that carries a credential is ever logged on purpose.
      redact: {
        paths: ['*.password', '*.authorization', '*.cookie', '*.token', '*.accessToken', '*.refreshToken'],
        censor: '[masked]',
      },
    },
    options.destination ?? openLogDestination(2),
  );
}

/** pino reads the fields of an error; a Proxy or a getter that throws must not make the log call throw. */
function serializeError(error: Error): unknown {
  try {
    return stdSerializers.err(error);
  } catch {
    return describeThrown(error);
  }
}

export const silentLogger: Logger = pino({ level: 'silent' });
