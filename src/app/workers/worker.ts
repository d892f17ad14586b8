import type { Metrics } from '#platform/telemetry/metrics.ts';
import { mergeMetrics } from './merge-metrics.ts';
import { type FromWorker, type ToWorker, workerVariable } from './messages.ts';

export interface Worker {
  readonly label: string;
  /** The metrics of all workers, gathered by the parent. */
  allMetrics(): Promise<string>;
  /** Tells the parent that this worker serves, and answers its questions from now on. */
  ready(metrics: Metrics): void;
}

const gatherLimitMs = 2_000;

/** This process as one of several, or null when it is on its own. */
export function asWorker(env: Readonly<Record<string, string | undefined>>): Worker | null {
  const label = env[workerVariable];
  if (label === undefined) return null;
  const waiting = new Map<number, (texts: readonly string[]) => void>();
  let own: Metrics | undefined;
  let asked = 0;
  // With a callback a parent that is gone is no uncaught error: this worker is then stopping, and finishes what it has.
  const tell = (message: FromWorker) => process.send?.(message, undefined, undefined, () => {});
  const ownText = async () => (await own?.text()) ?? '';

  process.on('message', (message: ToWorker) => {
    if (message.kind === 'gathered') waiting.get(message.id)?.(message.texts);
    else
      void ownText()
        .catch(() => '')
        .then((text) => tell({ kind: 'metrics', id: message.id, text }));
  });

  return {
    label,
    async allMetrics() {
      asked += 1;
      const id = asked;
      const gathered = new Promise<readonly string[] | null>((resolve) => {
        const limit = setTimeout(() => resolve(null), gatherLimitMs);
        waiting.set(id, (texts) => {
          clearTimeout(limit);
          resolve(texts);
        });
      });
      tell({ kind: 'gather', id });
      const texts = await gathered;
      waiting.delete(id);
      // Without the parent's answer a scrape still gets this worker's own numbers.
      return mergeMetrics(texts ?? [await ownText()]);
    },
    ready(metrics) {
      own = metrics;
      tell({ kind: 'ready' });
    },
  };
}
