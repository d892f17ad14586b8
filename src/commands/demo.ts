import { loadConfig } from '#app/config.ts';
import { demonstrationProblem, loadDemonstration } from '#app/demonstration.ts';
import { withSecrets } from '#app/secrets.ts';
import { startUrr } from '#app/start.ts';
import { systemRandom } from '#platform/random.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { type Command, exitCodes, UsageProblem } from './command.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'Load the demonstration data: accounts, artists, venues, shows.',
  usage: 'demo [--into DATABASE]',
  help: `
Safe to repeat: what is there stays, and shows whose sale has passed move to new dates. \`npm start\` does this by itself.
While an embedded urr is running, stop it first: the data folder belongs to it.

  --into DATABASE    the name of the database in URR_DATABASE_URL, where that is set: the accounts have a known password,
                     so a database of your own gets them only by name, and never in production mode`,
  options: { into: { type: 'string' } },
  async run({ values, env, print }) {
    const { config } = loadConfig(env);
    const problem = demonstrationProblem(config, typeof values.into === 'string' ? values.into : undefined);
    if (problem !== null) throw new UsageProblem(problem);
    const logger = createLogger({ level: 'warn' });
    const sealed = withSecrets({ ...config, port: 0, host: '127.0.0.1' }, systemRandom);
    const urr = await startUrr({ config: sealed, roles: ['auth', 'catalog'], logger });
    try {
      await loadDemonstration(urr, sealed);
      print('the demonstration data is loaded');
      return exitCodes.ok;
    } finally {
      await urr.stop();
    }
  },
};
