import type { Engine } from './engines/engine.ts';

/** Runs `during` while the engine is down, and starts it again whatever happens. */
export async function whileStopped<T>(engine: Engine, during: () => Promise<T>): Promise<T> {
  await engine.stop();
  try {
    return await during();
  } finally {
    await engine.restart();
  }
}

/** Runs `during` while the engine hangs: connections stay open and nothing is answered. */
export async function whilePaused<T>(engine: Engine, during: () => Promise<T>): Promise<T> {
  await engine.pause();
  try {
    return await during();
  } finally {
    await engine.resume();
  }
}

const pollMs = 20;

/**
 * Calls `attempt` until it neither throws nor answers false, and returns its answer. The error after the deadline
 * names what was waited for and carries the last failure.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { withinMs, what }: { withinMs: number; what: string },
): Promise<Exclude<T, false>> {
  const deadline = Date.now() + withinMs;
  let lastFailure: unknown;
  do {
    try {
      const answer = await bounded(attempt, deadline);
      if (answer !== false) return answer as Exclude<T, false>;
      lastFailure = undefined;
    } catch (error) {
      lastFailure = error;
    }
    await new Promise((done) => setTimeout(done, pollMs));
  } while (Date.now() < deadline);
  const because = lastFailure instanceof Error ? `: ${lastFailure.message}` : '';
  throw new Error(`waited ${withinMs} ms for ${what}${because}`, { cause: lastFailure });
}

/** An attempt that hangs must not outlast the deadline either. */
async function bounded<T>(attempt: () => T | Promise<T>, deadline: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error('the attempt itself did not end')), Math.max(1, deadline - Date.now()));
  });
  try {
    return await Promise.race([(async () => attempt())(), late]);
  } finally {
    clearTimeout(timer);
  }
}
