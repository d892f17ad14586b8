import type { FastifyInstance } from 'fastify';
import { answerHeaders } from '#platform/http/names.ts';
import type { ReadinessCheck } from '#platform/module.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import { rootCause } from './engines/wait.ts';

export interface ReadinessReport {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

const checkLimitMs = 2_500;

export function createReadiness(
  checks: readonly ReadinessCheck[],
  state: { stopping: boolean },
): () => Promise<ReadinessReport> {
  return async () => {
    const results = await Promise.all(
      checks.map(async ({ name, check }): Promise<[string, string]> => {
        try {
          await withTimeout(check(), checkLimitMs, () => new Error(`no answer within ${checkLimitMs} ms`));
          return [name, 'ok'];
        } catch (error) {
          return [name, rootCause(error)];
        }
      }),
    );
    if (state.stopping) results.push(['process', 'stopping']);
    return { ready: results.every(([, result]) => result === 'ok'), checks: Object.fromEntries(results) };
  };
}

/** `/health`: the process is alive. `/ready`: it can do its work. `/metrics`: Prometheus. */
export function registerHealthRoutes(
  app: FastifyInstance,
  options: {
    readiness: () => Promise<ReadinessReport>;
    metricsText: () => Promise<string>;
    about: Record<string, unknown>;
  },
): void {
  app.get('/health', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
    return { status: 'alive', ...options.about };
  });
  app.get('/ready', async (_request, reply) => {
    const report = await options.readiness();
    reply.header('cache-control', 'no-store');
    if (!report.ready) reply.code(503).header(answerHeaders.retryAfter, '2');
    return { status: report.ready ? 'ready' : 'not ready', checks: report.checks };
  });
  app.get('/metrics', async (_request, reply) => {
    reply.type('text/plain; version=0.0.4; charset=utf-8');
    return options.metricsText();
  });
}
