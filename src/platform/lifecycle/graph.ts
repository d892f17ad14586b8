import { withTimeout } from '../resilience/timeout.ts';

/** Something that starts and stops, and what must be running before it. */
export interface Part {
  readonly name: string;
  readonly needs: readonly string[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PartGraph {
  /**
   * Starts every part after what it needs. If one fails, what was started is stopped again and the failure is thrown; so it
   * is when `stopping` is aborted meanwhile, whatever a part is waiting for.
   */
  start(stopping?: AbortSignal): Promise<void>;
  /** Stops in reverse, all within one limit. A part that fails or hangs is reported and does not keep the others from stopping. */
  stop(): Promise<StopProblem[]>;
}

export interface StopProblem {
  readonly part: string;
  readonly error: Error;
}

/** How long a part that is just starting may go on to do so before it is left alone. */
const abandonedWithinMs = 2_000;
/** When the limit is used up, each remaining part still gets this share of it: an engine closes quickly once nobody uses it. */
const lastChance = 0.1;

export function createPartGraph(parts: readonly Part[], options: { stopLimitMs: number }): PartGraph {
  const order = startOrder(parts);
  const running: Part[] = [];

  async function stop(): Promise<StopProblem[]> {
    const problems: StopProblem[] = [];
    const deadline = performance.now() + options.stopLimitMs;
    for (let part = running.pop(); part !== undefined; part = running.pop()) {
      const limitMs = Math.ceil(Math.max(deadline - performance.now(), options.stopLimitMs * lastChance));
      try {
        await withTimeout(part.stop(), limitMs, () => new Error(`${part.name} did not stop within ${limitMs} ms`));
      } catch (error) {
        problems.push({ part: part.name, error: error as Error });
      }
    }
    return problems;
  }

  return {
    async start(stopping) {
      for (const part of order) {
        try {
          await unlessStopped(part, stopping);
          running.push(part);
        } catch (error) {
          await stop();
          throw error;
        }
      }
    },
    stop,
  };
}

/** Somebody asked to stop before everything had started. */
export class StartAbandoned extends Error {}

async function unlessStopped(part: Part, stopping: AbortSignal | undefined): Promise<void> {
  if (stopping?.aborted === true) throw new StartAbandoned(`${part.name} was not started`);
  const started = part.start();
  if (stopping === undefined) return started;
  const asked = Promise.withResolvers<'asked'>();
  const onAbort = () => asked.resolve('asked');
  stopping.addEventListener('abort', onAbort);
  try {
    if ((await Promise.race([started, asked.promise])) !== 'asked') return;
  } finally {
    stopping.removeEventListener('abort', onAbort);
  }
  // It may be about to be there, and then it is stopped in order.
  const isThere = started.then(
    () => true,
    () => false,
  );
  const soon = new Promise<false>((resolve) => setTimeout(() => resolve(false), abandonedWithinMs).unref());
  if (await Promise.race([isThere, soon])) await part.stop();
  throw new StartAbandoned(`${part.name} was still starting`);
}

/** Every part after all that it needs; otherwise in the order given. */
export function startOrder(parts: readonly Part[]): Part[] {
  const byName = new Map(parts.map((part) => [part.name, part]));
  const ordered = new Set<Part>();
  const visit = (part: Part, path: readonly string[]) => {
    if (ordered.has(part)) return;
    if (path.includes(part.name))
      throw new Error(`parts need each other in a circle: ${[...path, part.name].join(' → ')}`);
    for (const need of part.needs) {
      const needed = byName.get(need);
      if (needed === undefined) throw new Error(`${part.name} needs ${need}, which is not there`);
      visit(needed, [...path, part.name]);
    }
    ordered.add(part);
  };
  for (const part of parts) visit(part, []);
  return [...ordered];
}
