import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import type { Random } from '#platform/random.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { AdmissionNotice, AdmissionNotices } from '../deps.ts';

/** Where notices go. */
export interface NoticeTransport {
  readonly batchMax: number;
  /** Rejects when it is not known that anything arrived. Must end within a bounded time, and at once when aborted. */
  send(batch: readonly AdmissionNotice[], signal: AbortSignal): Promise<SendOutcome>;
  close(): void;
}

export interface SendOutcome {
  /** Not taken this time. */
  readonly again: readonly AdmissionNotice[];
  /** Will never be taken. */
  readonly refused: readonly { readonly notice: AdmissionNotice; readonly reason: string }[];
}

export interface NoticeLimits {
  /** Beyond it the oldest are dropped: the newest are those whose users are still deciding. */
  readonly bufferMax: number;
  /**
   * Nobody wants to be told of a turn that is nearly over. Also shorter than the five minutes for which SQS remembers
   * what it has seen, so that a batch sent again after a lost answer is never delivered twice.
   */
  readonly ageMaxMs: number;
  readonly backOffMs: { readonly first: number; readonly max: number };
  /** How long a stopping process still tries to send. */
  readonly flushMs: number;
}

const defaultLimits: NoticeLimits = {
  bufferMax: 10_000,
  ageMaxMs: 240_000,
  backOffMs: { first: 200, max: 30_000 },
  flushMs: 2_000,
};

export interface NoticeBufferDeps {
  readonly transport: NoticeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly limits?: Partial<NoticeLimits>;
}

/**
 * Keeps notices in memory and sends them one batch after the other, in the order they came: two batches under way at
 * once could overtake each other within one event.
 *
 *   idle ──admitted──▶ sending ──failed──▶ backing off ──▶ sending ──buffer empty──▶ idle
 */
export function createNoticeBuffer(deps: NoticeBufferDeps): AdmissionNotices {
  const { transport, clock, random, logger, metrics } = deps;
  const limits = { ...defaultLimits, ...deps.limits };
  const outcomes = metrics.counter('urr_queue_notices_total', 'Admission notices, by what became of them.', [
    'outcome',
  ]);
  metrics.gauge('urr_queue_notices_waiting', 'Admission notices not sent yet.', [], (gauge) =>
    gauge.set(waiting.length),
  );
  const waiting: AdmissionNotice[] = [];
  const keptSinceMs = new WeakMap<AdmissionNotice, number>();
  const stopping = new AbortController();
  const cutOff = new AbortController();
  let running: Promise<void> | null = null;
  let stopped: Promise<void> | null = null;
  let underWay: readonly AdmissionNotice[] = [];
  let failures = 0;

  function dropOldest(outcome: 'full' | 'late', count: number): void {
    if (count <= 0) return;
    waiting.splice(0, count);
    outcomes.inc({ outcome }, count);
  }

  function dropLate(): void {
    const since = clock.monotonicMs() - limits.ageMaxMs;
    const firstInTime = waiting.findIndex((notice) => (keptSinceMs.get(notice) ?? since) >= since);
    dropOldest('late', firstInTime === -1 ? waiting.length : firstInTime);
  }

  /** Puts back at the front what was taken from there; as ever, the oldest give way. */
  function putBack(batch: readonly AdmissionNotice[]): void {
    waiting.unshift(...batch);
    dropOldest('full', waiting.length - limits.bufferMax);
  }

  async function sendOne(batch: readonly AdmissionNotice[]): Promise<void> {
    underWay = batch;
    try {
      const { again, refused } = await transport.send(batch, cutOff.signal);
      outcomes.inc({ outcome: 'sent' }, batch.length - again.length - refused.length);
      if (refused.length > 0) {
        outcomes.inc({ outcome: 'refused' }, refused.length);
        const { reason, notice } = refused[0] ?? {};
        const { eventId, userId } = notice ?? {};
        logger.error({ refused: refused.length, reason, eventId, userId }, 'admission notices were refused for good');
      }
      if (again.length > 0) return failed(again, new Error(`${again.length} of ${batch.length} were not taken`));
    } catch (error) {
      return failed(batch, error);
    }
    if (failures > 0) logger.info({ waiting: waiting.length }, 'admission notices are sent again');
    failures = 0;
  }

  function failed(batch: readonly AdmissionNotice[], error: unknown): void {
    if (cutOff.signal.aborted) return;
    putBack(batch);
    // Said once when it begins: during an outage every try fails alike.
    if (failures === 0) logger.warn({ err: error }, 'admission notices cannot be sent; they are kept for a while');
    failures += 1;
  }

  async function backOff(): Promise<void> {
    const { first, max } = limits.backOffMs;
    const ms = Math.min(max, first * 2 ** (failures - 1)) * (0.5 + random.fraction() / 2);
    await setTimeout(ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
  }

  async function run(): Promise<void> {
    // An admission step tells of its slots one by one; after this turn of the event loop all of them are here.
    await setImmediate();
    for (dropLate(); waiting.length > 0 && !cutOff.signal.aborted; dropLate()) {
      await sendOne(waiting.splice(0, transport.batchMax));
      underWay = [];
      if (failures > 0 && stopping.signal.aborted) break;
      if (failures > 0) await backOff();
    }
    // Together with the last look at the buffer, so that no notice comes between them.
    running = null;
  }

  async function flushAndClose(): Promise<void> {
    stopping.abort();
    const limit = setTimeout(limits.flushMs, undefined, { signal: cutOff.signal }).catch(() => undefined);
    await Promise.race([running, limit]);
    cutOff.abort();
    const lost = underWay.length + waiting.length;
    waiting.length = 0;
    outcomes.inc({ outcome: 'stopped' }, lost);
    if (lost > 0) logger.warn({ lost }, 'admission notices were not sent before the stop');
    transport.close();
  }

  return {
    admitted(notice) {
      if (stopped !== null) return outcomes.inc({ outcome: 'stopped' });
      waiting.push(notice);
      keptSinceMs.set(notice, clock.monotonicMs());
      dropOldest('full', waiting.length - limits.bufferMax);
      running ??= run();
    },
    stop() {
      stopped ??= flushAndClose();
      return stopped;
    },
  };
}
