import type { Logger } from '#platform/telemetry/logger.ts';

const firstWaitMs = 200;
const longestWaitMs = 3_000;

/** At boot an engine may come later than we do: ask again until it answers or the limit has passed. */
export async function waitForEngine(options: {
  name: string;
  ping: () => Promise<void>;
  limitSeconds: number;
  logger: Logger;
}): Promise<void> {
  const deadline = performance.now() + options.limitSeconds * 1000;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    try {
      return await options.ping();
    } catch (error) {
      if (performance.now() + waitMs > deadline) {
        throw new Error(`${options.name} could not be reached within ${options.limitSeconds} s: ${rootCause(error)}`, {
          cause: error,
        });
      }
      options.logger.warn({ reason: rootCause(error) }, `waiting for ${options.name}`);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}

export function rootCause(error: unknown): string {
  let deepest = error;
  for (let depth = 0; depth < 5 && deepest instanceof Error && deepest.cause instanceof Error; depth++) {
    deepest = deepest.cause;
  }
  if (deepest instanceof AggregateError) return deepest.errors.map((inner) => (inner as Error).message).join('; ');
  return deepest instanceof Error ? deepest.message || deepest.name : String(deepest);
}
