import type { Logger } from '../telemetry/logger.ts';
import type { Control } from './control.ts';
import { backoffMs, createWake, sleep } from './waiting.ts';

export interface Relay {
  start(): void;
  stop(): Promise<void>;
  /** There is something to relay in this partition. Says whether this relay is the one to do it. */
  wake(partition: number): boolean;
}

export interface RelayOptions {
  readonly control: Control;
  /** The largest number of partitions that any topic has. */
  readonly partitions: number;
  /** Moves one batch of these partitions to the broker. Returns how many, and whether there may be more at once. */
  readonly relayBatch: (partitions: readonly number[]) => Promise<{ count: number; more: boolean }>;
  readonly logger: Logger;
}

export const outboxChannel = 'urr_outbox';
/** The safety net under the notices. */
const pollMs = 250;
/**
 * The least time between two batches that were not full. After a pause an event is relayed at once; under load many
 * travel together, which costs the broker and the consumers a fraction per event.
 */
const lingerMs = 10;
const brokerBackoff = { baseMs: 100, maxMs: 3_000 };

/**
 * Carries the outbox to the broker. A partition here is a number, whatever the topic; only the holder of its lock
 * relays it, so per-key order survives any number of relays. Delivery is at least once: what was sent but not marked
 * when a relay died is sent again by the next one, and the inbox of each group lets it through once.
 */
export function createRelay({ control, partitions, relayBatch, logger }: RelayOptions): Relay {
  const wake = createWake();
  const stopping = new AbortController();
  let batch: Promise<unknown> = Promise.resolve();
  let running: Promise<void> | null = null;

  const share = control.share({
    name: 'urr:relay',
    partitions: () => partitions,
    gained: () => wake.notify(),
    // The batch in hand may hold rows of the lost partition; the lock is given back when it is done.
    lost: async () => {
      await batch.catch(() => undefined);
    },
  });
  control.onNotice(outboxChannel, () => wake.notify());

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const held = [...share.held];
      try {
        const work = held.length > 0 ? relayBatch(held) : Promise.resolve({ count: 0, more: false });
        batch = work;
        const started = performance.now();
        const { count, more } = await work;
        if (failures > 0) logger.info({ failures }, 'the relay delivers again');
        failures = 0;
        if (more) continue;
        if (count > 0) await sleep(Math.max(0, lingerMs - (performance.now() - started)), stopping.signal);
        await wake.wait(pollMs, stopping.signal);
      } catch (error) {
        failures += 1;
        if (failures === 1) logger.warn({ err: error }, 'the relay cannot deliver; events wait in the outbox');
        await sleep(backoffMs(failures, brokerBackoff), stopping.signal);
      }
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
      await share.leave();
    },
    wake(partition) {
      if (!share.held.has(partition)) return false;
      wake.notify();
      return true;
    },
  };
}
