import { availableParallelism } from 'node:os';
import { ConfigProblem, loadConfig, type UrrConfig } from '#app/config.ts';
import { createLoadingCheck, demonstrationProblem, loadDemonstration, printWelcome } from '#app/demonstration.ts';
import { parseRoles, type RoleName, roleNames, secretsMissing } from '#app/roles.ts';
import { withSecrets } from '#app/secrets.ts';
import { type RunningUrr, type StartOptions, startUrr } from '#app/start.ts';
import { runWorkers } from '#app/workers/parent.ts';
import { asWorker } from '#app/workers/worker.ts';
import { outliveForgottenFailures } from '#platform/lifecycle/forgotten.ts';
import { type Stopping, stopOnSignals } from '#platform/lifecycle/signals.ts';
import { systemRandom } from '#platform/random.ts';
import { createLogger } from '#platform/telemetry/logger.ts';
import { type Command, exitCodes, UsageProblem } from './command.ts';

const workersMax = 256;

export const serve: Command = {
  name: 'serve',
  summary: 'Run urr, or some of its roles.',
  usage: 'serve [--roles a,b] [--workers N|auto] [--demo [--into DATABASE]]',
  help: `
Without options: every role in one process, with embedded engines for whatever is not configured.

  --roles a,b        only these roles (urr roles lists them); the gateway forwards to the others
  --workers N|auto   N processes that share the port, one per core with auto; they need a Redis and a PostgreSQL
                     of your own, since what is embedded belongs to one process
  --demo             load the demonstration data (roles auth and catalog, one process, not in production); /ready and the
                     line "ready" wait for it
  --into DATABASE    with --demo: the name of the database in URR_DATABASE_URL, where that is set (see urr help demo)

Ctrl-C or SIGTERM stops it: no new requests, what is in flight is finished, engines are closed.`,
  options: {
    roles: { type: 'string' },
    workers: { type: 'string' },
    demo: { type: 'boolean' },
    into: { type: 'string' },
  },
  async run({ values, env, print, warn }) {
    const loaded = loadConfig(env);
    for (const warning of loaded.warnings) warn(`urr: ${warning}`);
    const roles = chosenRoles(values.roles);
    const count = workerCount(values.workers);
    const demo = values.demo === true;
    if (demo) refuseDemo({ config: loaded.config, into: values.into, roles, count });

    const config = withSecrets(loaded.config, systemRandom);
    const missing = secretsMissing(config, roles);
    if (missing.length > 0) throw new ConfigProblem(missing);
    const worker = asWorker(env);
    const logger = createLogger({ level: config.logLevel, ...(worker && { base: { worker: worker.label } }) });
    if (count !== null && worker === null) return runWorkers({ config, roles, count, logger, print });

    const stopping = stopOnSignals();
    let countForgotten = () => {};
    outliveForgottenFailures({ logger, counted: () => countForgotten() });
    const loading = demo ? createLoadingCheck() : null;
    const urr = await startUnlessStopped(stopping, {
      config,
      roles,
      logger,
      checks: loading === null ? [] : [loading.check],
      ...(worker && { worker }),
      onFatal: (reason) => stopping.stop(reason),
    });
    if (urr === null) {
      logger.info({ reason: await stopping.asked }, 'stopped before it had started');
      return exitCodes.ok;
    }
    const forgotten = urr.metrics.counter('urr_forgotten_failures_total', 'Promises that failed unheard.');
    countForgotten = () => forgotten.inc();
    try {
      const isStopped = loading !== null && (await loadUnlessStopped(urr, config, stopping));
      loading?.done();
      if (worker !== null) worker.ready(urr.metrics);
      else if (!isStopped) {
        printWelcome({ url: urr.url, roles, config, demo, schemaProblem: urr.engines.schemaProblem, print });
      }
      const reason = await stopping.asked;
      logger.info({ reason }, 'stopping');
      return exitCodes.ok;
    } finally {
      await urr.stop();
    }
  },
};

/** Null: somebody asked to stop before everything was there. */
async function startUnlessStopped(stopping: Stopping, options: StartOptions): Promise<RunningUrr | null> {
  try {
    return await startUrr({ ...options, stopping: stopping.signal });
  } catch (error) {
    if (stopping.signal.aborted) return null;
    throw error;
  }
}

function chosenRoles(text: string | boolean | undefined): readonly RoleName[] {
  if (typeof text !== 'string') return roleNames;
  const parsed = parseRoles(text);
  if (!parsed.ok) throw new UsageProblem(parsed.problem);
  return parsed.roles;
}

/** Says whether it was asked to stop before the data was there; what is still being loaded then fails with the database. */
async function loadUnlessStopped(urr: RunningUrr, config: UrrConfig, stopping: Stopping): Promise<boolean> {
  const loading = loadDemonstration(urr, config).then(() => false);
  const isStopped = await Promise.race([loading, stopping.asked.then(() => true)]);
  if (isStopped) loading.catch(() => {});
  return isStopped;
}

function refuseDemo(asked: {
  config: UrrConfig;
  into: string | boolean | undefined;
  roles: readonly RoleName[];
  count: number | null;
}): void {
  const problem = demonstrationProblem(asked.config, typeof asked.into === 'string' ? asked.into : undefined);
  if (problem !== null) throw new UsageProblem(problem);
  if (!(['auth', 'catalog'] as const).every((role) => asked.roles.includes(role))) {
    throw new UsageProblem('--demo needs the roles auth and catalog');
  }
  if (asked.count !== null) throw new UsageProblem('--demo and --workers do not go together; run urr demo first');
}

function workerCount(text: string | boolean | undefined): number | null {
  if (text === undefined) return null;
  if (text === 'auto') return availableParallelism();
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > workersMax) {
    throw new UsageProblem(`--workers takes auto or a whole number from 1 to ${workersMax}`);
  }
  return count;
}
