import type { Logger } from '../telemetry/logger.ts';
import type { Control } from './control.ts';
import { createFloors, lowerLostFloors } from './floors.ts';
import { findLanes, type Lane, type LaneName } from './outbox.ts';
import { letRowsBehindGo } from './refused.ts';
import { backoffMs, createWake, sleep } from './waiting.ts';

export interface Relay {
  start(): void;
  stop(): Promise<void>;
  /** There is something to relay in this partition. Says whether this relay is the one to do it. */
  wake(partition: number): boolean;
}

/** What moves rows from the outbox to the broker. */
export interface Carrier {
  /** One turn: some rows of each of these lanes. Throws only when the outbox cannot be read or marked. */
  carry(lanes: readonly Lane[]): Promise<Carried>;
  /** Resolves when nothing of this partition is in hand any more. */
  release?(partition: number): Promise<void>;
}

export interface Carried {
  readonly moved: readonly { readonly lane: LaneName; readonly count: number }[];
  /** There may be more at once. */
  readonly more: boolean;
}

export interface RelayOptions {
  readonly control: Control;
  /** The largest number of partitions that any topic of this program has; rows with higher ones are found in the outbox. */
  readonly partitions: number;
  readonly carrier: Carrier;
  readonly logger: Logger;
}

export const outboxChannel = 'urr_outbox';
/** The safety net under the notices. */
const pollMs = 250;
/**
 * The least time between two turns that were not full. After a pause an event is relayed at once; under load many
 * travel together, which costs the broker and the consumers a fraction per event.
 */
const lingerMs = 10;
const databaseBackoff = { baseMs: 100, maxMs: 3_000 };
/** A row with a partition above this is a mistake; locks for it are not asked for every second. */
const partitionsMax = 1_000;

/**
 * Carries the outbox to the broker. A partition here is a number, whatever the topic; only the holder of its lock
 * relays it, so per-key order survives any number of relays. Within a partition each topic is a lane, and in each turn
 * every lane gets its share. Delivery is at least once: what was sent but not marked when a relay died is sent again by
 * the next one, and the inbox of each group lets it through once.
 */
export function createRelay({ control, partitions, carrier, logger }: RelayOptions): Relay {
  const wake = createWake();
  const stopping = new AbortController();
  const floors = createFloors({ on: control });
  let lanes: readonly Lane[] = [];
  /** Rows may wait behind one that was released. */
  let isLettingGo = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let turn: Promise<unknown> = Promise.resolve();
  let running: Promise<void> | null = null;

  const share = control.share({
    name: 'urr:relay',
    // In a rolling deployment the newer program has more partitions: the older relays learn of them by their rows.
    partitions: () =>
      Math.max(partitions, ...lanes.map((lane) => lane.partition + 1).filter((n) => n <= partitionsMax)),
    gained: () => wake.notify(),
    // The turn in hand may hold rows of the lost partition; the lock is given back when it is done.
    lost: async (partition) => {
      await turn.catch(() => undefined);
      await carrier.release?.(partition);
    },
  });
  control.onNotice(outboxChannel, () => wake.notify());

  async function look(): Promise<void> {
    for (const lost of await lowerLostFloors(control))
      logger.error(
        lost,
        'ids of the outbox begin again below those that were relayed; the lane is looked through anew',
      );
    lanes = await findLanes(control);
    isLettingGo = true;
    lookedAt = performance.now();
  }

  async function takeTurn(): Promise<{ count: number; more: boolean }> {
    const held = lanes.filter((lane) => share.held.has(lane.partition));
    // One piece in each turn, so that other topics go on in between.
    if (isLettingGo) isLettingGo = await letRowsBehindGo(control, [...share.held]);
    const { moved, more } = await carrier.carry(held);
    let count = 0;
    for (const part of moved) {
      floors.left(part.lane, part.count);
      count += part.count;
    }
    await floors.raise(held);
    return { count, more: more || isLettingGo };
  }

  /** A lane is looked for at every poll, and when a notice came but no known lane had anything. */
  async function takeTurns(): Promise<void> {
    const started = performance.now();
    let isLooked = started - lookedAt >= pollMs;
    if (isLooked) await look();
    let result = await takeTurn();
    if (result.count === 0 && !isLooked) {
      isLooked = true;
      await look();
      result = await takeTurn();
    }
    while (result.more && !stopping.signal.aborted && performance.now() - started < pollMs) result = await takeTurn();
    if (result.more) wake.notify();
    else if (result.count > 0) await sleep(Math.max(0, lingerMs - (performance.now() - started)), stopping.signal);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        if (share.held.size > 0) {
          const work = takeTurns();
          turn = work;
          await work;
          // Only here: while the database is away no partition is held, and a round without any proves nothing.
          if (failures > 0) logger.info({ failures }, 'the relay reads the outbox again');
          failures = 0;
        }
        await wake.wait(pollMs, stopping.signal);
      } catch (error) {
        failures += 1;
        if (failures === 1) logger.warn({ err: error }, 'the relay cannot read the outbox; events wait in it');
        await sleep(backoffMs(failures, databaseBackoff), stopping.signal);
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
