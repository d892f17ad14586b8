import type { ReadinessCheck } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { UrrConfig } from './config.ts';
import { demoAccounts } from './demo/accounts.ts';
import { loadDemo } from './demo/load.ts';
import { rootCause } from './engines/wait.ts';
import type { RoleName } from './roles.ts';
import type { RunningUrr } from './start.ts';

/** It takes seconds; another process that loads the same makes this one wait. */
const loadLimitMs = 5 * 60_000;

/** Loads the demonstration data into a running urr that has auth and catalog. Safe to repeat. */
export async function loadDemonstration(urr: RunningUrr, config: UrrConfig): Promise<void> {
  const loading = loadDemo({ urr, password: config.demoPassword });
  await withTimeout(loading, loadLimitMs, () => new Error(`it took longer than ${loadLimitMs / 1_000} s`)).catch(
    (error: unknown) => {
      throw new Error(`the demonstration data could not be loaded: ${rootCause(error)}`, { cause: error });
    },
  );
}

/** The same for a process that serves already: it is not ready before it is `done`. */
export function createLoadingCheck(): { readonly check: ReadinessCheck; done(): void } {
  let isDone = false;
  return {
    check: {
      name: 'demonstration data',
      async check() {
        if (!isDone) throw new Error('is being loaded');
      },
    },
    done() {
      isDone = true;
    },
  };
}

/**
 * Why the demonstration data may not be loaded; null: it may. Its accounts have a known password, an administrator's among
 * them, and a database that somebody has set up may be the one that a production gateway uses: that one has to be named.
 */
export function demonstrationProblem(
  { mode, databaseUrl }: Pick<UrrConfig, 'mode' | 'databaseUrl'>,
  into: string | undefined,
): string | null {
  if (mode === 'production') return 'the demonstration data is not for production';
  if (databaseUrl === null) {
    return into === undefined ? null : '--into names the database of URR_DATABASE_URL, which is not set';
  }
  const name = databaseName(databaseUrl);
  if (into === name) return null;
  return (
    'the demonstration data has accounts with a known password, an administrator among them. URR_DATABASE_URL is a ' +
    `database of your own: to load it there nevertheless, add --into ${name}`
  );
}

/** As PostgreSQL reads it: without a path, the database is called like the user. */
function databaseName(url: string): string {
  const { pathname, username } = new URL(url);
  return decodeURIComponent(pathname.slice(1) || username);
}

/** Those of the demonstration's accounts that can sign in to this database. */
export async function demonstrationAccounts(database: Database): Promise<string[]> {
  const emails = demoAccounts('').map(({ email }) => email);
  const { rows } = await database.query<{ email: string }>(
    'SELECT email FROM auth.users WHERE email = ANY($1) AND disabled_at IS NULL ORDER BY role, email',
    [emails],
  );
  return rows.map(({ email }) => email);
}

/** What a person who just started urr wants to know. */
export function printWelcome(options: {
  url: string;
  roles: readonly RoleName[];
  config: UrrConfig;
  demo: boolean;
  schemaProblem: string | null;
  print: (line: string) => void;
}): void {
  const { url, roles, config, demo, schemaProblem, print } = options;
  const engines = [
    config.databaseUrl === null ? 'embedded PostgreSQL' : 'PostgreSQL',
    config.redisUrl !== null || config.redisCluster.length > 0 ? 'Redis' : 'in-process store',
    config.kafkaBrokers.length > 0 ? 'Kafka' : 'embedded bus',
  ];
  print('');
  print(schemaProblem === null ? `  urr is ready      ${url}` : `  urr is NOT ready  ${url}/ready: ${schemaProblem}`);
  print(`  the API           ${url}/docs`);
  print(`  roles             ${roles.join(', ')} on ${engines.join(', ')}`);
  if (demo) {
    print(`  sign in as        buyer1@urr.test … buyer20@urr.test, seller@urr.test, operator@urr.test, admin@urr.test`);
    print(`  password          ${config.demoPassword}`);
  }
  print(`  Ctrl-C stops it.${config.databaseUrl === null ? ` Data is kept in ${config.dataDir}` : ''}`);
  print('');
}
