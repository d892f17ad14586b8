import { rewriteUrl } from '#modules/gateway/index.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { type Listening, listen } from '#platform/http/listen.ts';
import { createHttpServer } from '#platform/http/server.ts';
import { createIds } from '#platform/ids.ts';
import { createPartGraph, type Part } from '#platform/lifecycle/graph.ts';
import { createJobRunner } from '#platform/lifecycle/jobs.ts';
import type { ModuleInstance, ReadinessCheck } from '#platform/module.ts';
import { type Random, systemRandom } from '#platform/random.ts';
import { createHttpMetrics } from '#platform/telemetry/http-metrics.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { createMetrics, type Metrics } from '#platform/telemetry/metrics.ts';
import { type Composition, composeModules } from './compose.ts';
import type { UrrConfig } from './config.ts';
import { createEngineParts, type OpenEngines } from './engines/parts.ts';
import { createReadiness, registerHealthRoutes } from './health.ts';
import { listenProblem } from './listen-problem.ts';
import { platformJobs } from './platform-jobs.ts';
import type { RoleName } from './roles.ts';
import { installRoutes } from './routing.ts';

export interface StartOptions {
  readonly config: UrrConfig;
  readonly roles: readonly RoleName[];
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Set when several processes share the port. */
  readonly worker?: { readonly label: string; readonly allMetrics: () => Promise<string> };
  /** What must hold beside the engines for this process to be ready, e.g. data that is still being loaded. */
  readonly checks?: readonly ReadinessCheck[];
  /** This process can no longer do its work and must end. */
  readonly onFatal?: (reason: string) => void;
  /** Aborted: the start is given up, and what was started is stopped. */
  readonly stopping?: AbortSignal;
}

export interface RunningUrr {
  readonly url: string;
  readonly port: number;
  readonly modules: Composition;
  readonly engines: OpenEngines;
  readonly metrics: Metrics;
  /** Stops accepting, finishes what is in flight, flushes, closes. Safe to call twice. */
  stop(): Promise<void>;
}

/** For everything behind the door, when what was in flight has used up its own time. */
const closeEnginesMs = 10_000;

/** What the parts below hand to each other as they start. */
interface Running {
  composition?: Composition;
  listening?: Listening;
}

/** One process of urr: engines, then the modules of its roles, then their background work, then the door. */
export async function startUrr(options: StartOptions): Promise<RunningUrr> {
  const { config, roles, logger, clock = systemClock, random = systemRandom, worker } = options;
  const ids = createIds({ clock, random });
  const labels = worker ? { worker: worker.label } : {};
  const metrics = createMetrics({ labels, processMetrics: true });
  const state = { stopping: false };
  const running: Running = {};
  const onFatal = options.onFatal ?? ((reason) => logger.fatal({ reason }, 'this process must end'));
  const engines = createEngineParts({ config, roles, logger, clock, ids, metrics, onFatal });

  const modulesPart: Part = {
    name: 'modules',
    needs: engines.parts.map((part) => part.name),
    async start() {
      running.composition = composeModules({
        config,
        roles,
        engines: engines.open,
        clock,
        ids,
        random,
        logger,
        metrics,
      });
    },
    async stop() {
      for (const instance of instancesOf(running).reverse()) await instance.stop?.();
    },
  };

  const background = createBackground({ running, engines: engines.open, logger, metrics });

  const httpPart: Part = {
    name: 'http',
    needs: ['background'],
    async start() {
      const app = createHttpServer({
        logger,
        ids,
        trustedProxies: config.trustedProxies,
        bodyLimitBytes: config.bodyLimitBytes,
        requestTimeoutMs: config.requestTimeoutMs,
        logSampleEvery: config.logSampleEvery,
        metrics: createHttpMetrics(metrics, labels),
        rewriteUrl,
      });
      const ofModules = instancesOf(running).flatMap((instance) => instance.checks ?? []);
      const readiness = createReadiness([...engines.checks, ...ofModules, ...(options.checks ?? [])], state);
      const metricsText = worker?.allMetrics ?? (() => metrics.text());
      await installRoutes(app, compositionOf(running));
      registerHealthRoutes(app, { readiness, metricsText, about: { roles, ...labels } });
      const address = {
        host: config.host ?? (config.databaseUrl === null ? '127.0.0.1' : '0.0.0.0'),
        port: config.port,
      };
      running.listening = await listen(app, { ...address, reusePort: worker !== undefined }).catch((error) => {
        throw listenProblem(error, address);
      });
    },
    async stop() {
      await running.listening?.close(config.stopSeconds * 1000);
    },
  };

  const graph = createPartGraph([...engines.parts, modulesPart, background, httpPart], {
    stopLimitMs: config.stopSeconds * 1000 + closeEnginesMs,
  });
  await graph.start(options.stopping);

  let stopped: Promise<void> | undefined;
  const port = running.listening?.port ?? config.port;
  return {
    url: `http://localhost:${port}`,
    port,
    modules: compositionOf(running),
    engines: engines.open,
    metrics,
    stop() {
      state.stopping = true;
      stopped ??= graph.stop().then((problems) => {
        for (const { part, error } of problems) logger.error({ err: error, part }, 'did not stop cleanly');
      });
      return stopped;
    },
  };
}

function compositionOf({ composition }: Running): Composition {
  if (composition === undefined) throw new Error('the modules are not made yet');
  return composition;
}

function instancesOf(running: Running): ModuleInstance[] {
  return [...compositionOf(running).modules.values()];
}

/** Consumers and jobs of the modules that run here, and the platform's own. */
function createBackground(options: { running: Running; engines: OpenEngines; logger: Logger; metrics: Metrics }): Part {
  const { running, engines, logger, metrics } = options;
  const seconds = metrics.histogram('urr_job_seconds', 'How long runs of background jobs took.', ['job', 'outcome']);
  const stops: (() => Promise<void>)[] = [];
  return {
    name: 'background',
    needs: ['modules'],
    async start() {
      try {
        await startAll();
      } catch (error) {
        // Whoever starts this part again, or ends the process, finds nothing of it running.
        await stopAll();
        throw error;
      }
    },
    stop: stopAll,
  };

  async function startAll(): Promise<void> {
    const instances = instancesOf(running);
    const jobs = createJobRunner([...instances.flatMap((instance) => instance.jobs), ...platformJobs(engines)], {
      logger,
      observe: { ran: (job, duration, outcome) => seconds.observe({ job, outcome }, duration) },
    });
    jobs.start();
    stops.push(() => jobs.stop());
    const { bus } = engines;
    for (const consumer of instances.flatMap((instance) => instance.consumers)) {
      if (bus === null) throw new Error(`a consumer of ${consumer.declaration.topic.name} needs the bus`);
      stops.push(await bus.consume(consumer));
    }
  }

  async function stopAll(): Promise<void> {
    await Promise.all(stops.splice(0).map((stop) => stop()));
  }
}
