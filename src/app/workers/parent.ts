import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { stopOnSignals } from '#platform/lifecycle/signals.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { configSchema, type SecretKey, secretKeys, type UrrConfig } from '../config.ts';
import type { RoleName } from '../roles.ts';
import { type FromWorker, type ToWorker, workerVariable } from './messages.ts';

const mainFile = fileURLToPath(new URL('../../main.ts', import.meta.url));
const restartBackoffMs = [100, 500, 2_000, 5_000];
/** A worker that lived this long was healthy: its next death begins the back-off anew. */
const healthyAfterMs = 30_000;
const gatherLimitMs = 1_500;
/** Longer than a worker itself takes to close its engines after the time for what is in flight. */
const stopGraceMs = 15_000;

class WorkersNeedRedis extends Error {
  constructor() {
    super(
      '--workers needs engines that the workers share: set URR_REDIS_URL or URR_REDIS_CLUSTER, and URR_DATABASE_URL',
    );
  }
}

/** Keeps `count` processes serving the same port. The parent holds no engine and no socket, so nothing of theirs can bring it down. */
export async function runWorkers(options: {
  config: UrrConfig;
  roles: readonly RoleName[];
  count: number;
  logger: Logger;
  print: (line: string) => void;
}): Promise<0> {
  const { config, roles, count, logger, print } = options;
  const shared = config.redisUrl !== null || config.redisCluster.length > 0;
  if (!shared || config.databaseUrl === null) throw new WorkersNeedRedis();
  const port = config.port === 0 ? await freePort() : config.port;
  const stopping = stopOnSignals();
  const workers = new Map<string, ChildProcess>();
  const gatherings = new Map<number, Gathering>();
  let stopped = false;
  const serving = new Set<string>();
  let nextGathering = 0;
  let announced = false;

  function start(label: string, deaths: number): void {
    const startedAt = performance.now();
    const child = fork(mainFile, ['serve', '--roles', roles.join(',')], {
      env: workerEnv(config, port, label),
      stdio: 'inherit',
    });
    workers.set(label, child);
    const startAgain = (facts: Record<string, unknown>) => {
      workers.delete(label);
      serving.delete(label);
      if (stopped) return;
      const streak = performance.now() - startedAt > healthyAfterMs ? 0 : deaths;
      const waitMs = restartBackoffMs[Math.min(streak, restartBackoffMs.length - 1)] ?? 0;
      logger.error({ worker: label, ...facts, waitMs }, 'a worker ended; starting it again');
      setTimeout(() => {
        if (!stopped) start(label, streak + 1);
      }, waitMs);
    };
    child.on('message', (message: FromWorker) => onMessage(label, child, message));
    child.once('exit', (code, signal) => startAgain({ code, signal }));
    // Without a listener this would end the parent: a worker that dies while it is being told something.
    child.on('error', (error) => {
      if (child.pid === undefined) startAgain({ err: error });
      else logger.warn({ err: error, worker: label }, 'a worker could not be told something');
    });
  }

  function onMessage(label: string, child: ChildProcess, message: FromWorker): void {
    if (message.kind === 'ready') {
      logger.info({ worker: label, pid: child.pid }, 'worker serves');
      serving.add(label);
      if (serving.size < count || announced) return;
      announced = true;
      print(`urr serves on http://localhost:${port} with ${count} workers (${roles.join(', ')})`);
    } else if (message.kind === 'gather') gather(child, message.id);
    else gatherings.get(message.id)?.take(message.text);
  }

  function gather(asker: ChildProcess, askerId: number): void {
    nextGathering += 1;
    const id = nextGathering;
    const done = (texts: readonly string[]) => {
      gatherings.delete(id);
      if (asker.connected) asker.send({ kind: 'gathered', id: askerId, texts } satisfies ToWorker);
    };
    gatherings.set(id, createGathering(workers.size, done));
    for (const worker of workers.values()) {
      if (worker.connected) worker.send({ kind: 'metrics?', id } satisfies ToWorker);
    }
  }

  for (let index = 1; index <= count; index++) start(String(index), 0);
  const reason = await stopping.asked;
  stopped = true;
  logger.info({ reason }, 'stopping the workers');
  await Promise.all([...workers.values()].map((child) => end(child, config.stopSeconds * 1000 + stopGraceMs)));
  return 0;
}

interface Gathering {
  take(text: string): void;
}

/** Waits for all, but not for ever: a worker that is stuck is missing from the page, and that shows. */
function createGathering(expected: number, done: (texts: readonly string[]) => void): Gathering {
  const texts: string[] = [];
  const limit = setTimeout(() => done(texts), gatherLimitMs);
  return {
    take(text) {
      texts.push(text);
      if (texts.length < expected) return;
      clearTimeout(limit);
      done(texts);
    },
  };
}

async function end(child: ChildProcess, limitMs: number): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  await gone;
  clearTimeout(limit);
}

/** Workers get the secrets that this process has, so that ones made here are the same everywhere. */
function workerEnv(config: UrrConfig, port: number, label: string): NodeJS.ProcessEnv {
  const secrets = secretKeys.map((key: SecretKey) => [configSchema[key].env, config[key].join(',')]);
  return { ...process.env, ...Object.fromEntries(secrets), URR_PORT: String(port), [workerVariable]: label };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
