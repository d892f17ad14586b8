import type { UrrConfig } from './config.ts';
import { loadDemo } from './demo/load.ts';
import type { RoleName } from './roles.ts';
import type { RunningUrr } from './start.ts';

/** Loads the demonstration data into a running urr that has auth and catalog. Safe to repeat. */
export async function loadDemonstration(urr: RunningUrr, config: UrrConfig): Promise<void> {
  await loadDemo({ urr, password: config.demoPassword });
}

/** What a person who just started urr wants to know. */
export function printWelcome(options: {
  url: string;
  roles: readonly RoleName[];
  config: UrrConfig;
  demo: boolean;
  print: (line: string) => void;
}): void {
  const { url, roles, config, demo, print } = options;
  const engines = [
    config.databaseUrl === null ? 'embedded PostgreSQL' : 'PostgreSQL',
    config.redisUrl !== null || config.redisCluster.length > 0 ? 'Redis' : 'in-process store',
    config.kafkaBrokers.length > 0 ? 'Kafka' : 'embedded bus',
  ];
  print('');
  print(`  urr is ready      ${url}`);
  print(`  the API           ${url}/docs`);
  print(`  roles             ${roles.join(', ')} on ${engines.join(', ')}`);
  if (demo) {
    print(`  sign in as        buyer1@urr.test … buyer20@urr.test, seller@urr.test, operator@urr.test, admin@urr.test`);
    print(`  password          ${config.demoPassword}`);
  }
  print(`  Ctrl-C stops it.${config.databaseUrl === null ? ` Data is kept in ${config.dataDir}` : ''}`);
  print('');
}
