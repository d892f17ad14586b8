import { loadConfig } from '#app/config.ts';
import { loadDemonstration } from '#app/demonstration.ts';
import { type RoleName, roleNames } from '#app/roles.ts';
import { type RunningUrr, startUrr } from '#app/start.ts';
import type { Clock } from '#platform/clock.ts';
import { type Logger, silentLogger } from '#platform/telemetry/logger.ts';
import { atEnd } from './at-end.ts';
import { aDatabase } from './engines/database.ts';
import { testSecrets, testTicketKeys } from './secrets.ts';

export interface TestAppOptions {
  readonly roles?: readonly RoleName[];
  readonly env?: Readonly<Record<string, string>>;
  /** Load the demonstration data. */
  readonly demo?: boolean;
  readonly clock?: Clock;
  /** Nobody reads it unless given. */
  readonly logger?: Logger;
}

export interface TestApp {
  readonly url: string;
  readonly urr: RunningUrr;
  stop(): Promise<void>;
}

/** urr in this process on a database of its own, stopped when the test file has run. Limits are wide unless set in `env`. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const env = {
    ...testEnv,
    URR_DATABASE_URL: options.env?.URR_DATABASE_URL ?? (await aDatabase()).url,
    ...options.env,
  };
  const { config } = loadConfig(env);
  const urr = await startUrr({
    config,
    roles: options.roles ?? roleNames,
    logger: options.logger ?? silentLogger,
    ...(options.clock && { clock: options.clock }),
  });
  atEnd(() => urr.stop());
  if (options.demo) await loadDemonstration(urr, config);
  return { url: `http://127.0.0.1:${urr.port}`, urr, stop: () => urr.stop() };
}

/** One settings block for programs in this process and in others. */
export const testEnv: Readonly<Record<string, string>> = {
  ...testSecrets,
  ...testTicketKeys,
  URR_MODE: 'test',
  URR_HOST: '127.0.0.1',
  URR_PORT: '0',
  URR_LOG_LEVEL: 'silent',
  URR_RATE_READ_PER_MINUTE: '1000000',
  URR_RATE_WRITE_PER_MINUTE: '1000000',
  URR_RATE_LOGIN_PER_MINUTE: '1000000',
  URR_RATE_EXPORT_PER_MINUTE: '1000000',
};
