import type { Logger } from '#platform/telemetry/logger.ts';
import type { Metrics } from '#platform/telemetry/metrics.ts';
import { grantedAtMs } from '../domain/slot-id.ts';
import type { Slot } from '../ports.ts';
import { slotAtOnce, type WaitingTicket } from './waiting-tickets.ts';

export interface QueueMetrics {
  /** By what: `snapshot` asked nobody, `store` and `check` asked the store, `stale` could not. */
  answered(by: AnsweredBy): void;
  /** Hands the counts of answers on. Once a second. */
  flush(): void;
  refused(reason: string, userId: string): void;
  left(what: 'place' | 'slot' | 'nothing'): void;
  /**
   * Somebody is in a slot: how long it took to get there beside what was said, if this is the ticket of that place and it was
   * waited for at all. Counts each slot once, however often its user asks.
   */
  admitted(ticket: WaitingTicket, slot: Slot): void;
  /** Waiting tickets and tokens that were edited, or are of somebody else. */
  waitingTicketRefused(): void;
  streams(open: number): void;
  streamDropped(reason: 'slow' | 'replaced'): void;
  hotUnattended(is: boolean): void;
  slotsGiven(count: number): void;
  ticked(counts: { parked: number; returned: number; dropped: number; seconds: number }): void;
  journalAway(eventId: string, away: boolean): void;
  superseded(events: number): void;
  onReplica(is: boolean): void;
  lost(): void;
  broughtBack(): void;
}

type AnsweredBy = 'snapshot' | 'store' | 'check' | 'stale';

const waitBucketsSeconds = [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 3_600, 10_800];
const errorBuckets = [0.25, 0.5, 0.8, 0.9, 1, 1.1, 1.25, 2, 4];
/** Beyond it the first ones are forgotten, which have most likely ended. */
const slotsMax = 100_000;

export function createQueueMetrics({ metrics, logger }: { metrics: Metrics; logger: Logger }): QueueMetrics {
  const answers = metrics.counter('urr_queue_answers_total', 'Answers about places, by what was asked.', ['by']);
  const refusals = metrics.counter('urr_queue_refusals_total', 'Entries and tickets refused.', ['reason']);
  const leaves = metrics.counter('urr_queue_leaves_total', 'Places and slots given up.', ['left']);
  const waits = metrics.histogram('urr_queue_wait_seconds', 'From place to slot.', [], waitBucketsSeconds);
  const errors = metrics.histogram(
    'urr_queue_wait_actual_to_predicted',
    'Actual wait divided by the one predicted on entering.',
    [],
    errorBuckets,
  );
  const openStreams = metrics.gauge('urr_queue_streams', 'Open streams of this process.');
  const dropped = metrics.counter('urr_queue_streams_dropped_total', 'Streams ended by us.', ['reason']);
  const unattended = metrics.gauge('urr_queue_hot_unattended', '1: hot entries wait and nobody consumes them.');
  const given = metrics.counter('urr_queue_slots_given_total', 'Slots given by admission.');
  const passed = metrics.counter('urr_queue_passed_total', 'People passed over (absent) or taken back (unclaimed).', [
    'why',
  ]);
  const ticks = metrics.histogram('urr_queue_tick_seconds', 'How long one admission step of one event took.');
  const away = new Set<string>();
  const paused = metrics.gauge(
    'urr_queue_journal_away',
    'Events to which this process admits nobody: it cannot write the journal.',
  );
  const superseded = metrics.gauge(
    'urr_queue_superseded',
    'Events of which this process is connected to a server of the store that another one has superseded.',
  );
  const onReplica = metrics.gauge(
    'urr_queue_on_replica',
    '1: this process is connected to a read replica of the store.',
  );
  const losses = metrics.counter(
    'urr_queue_losses_total',
    'Losses of the state of a queue that this process raised the epoch for.',
  );
  const recoveries = metrics.counter('urr_queue_recoveries_total', 'Lost queues that this process brought back.');
  // A counter with labels hashes them at every call; the poll path pays for one addition.
  const counted: Record<AnsweredBy, number> = { snapshot: 0, store: 0, check: 0, stale: 0 };
  const seenSlots = new Set<string>();

  return {
    answered(by) {
      counted[by] += 1;
    },
    flush() {
      for (const by of Object.keys(counted) as AnsweredBy[]) {
        answers.inc({ by }, counted[by]);
        counted[by] = 0;
      }
    },
    refused(reason, userId) {
      refusals.inc({ reason });
      logger.info({ reason, userId }, 'an entry was refused');
    },
    left: (left) => leaves.inc({ left }),
    admitted({ order, takenAtMs, predicted }, slot) {
      const { slotId } = slot;
      if (order !== slot.order || predicted === slotAtOnce || seenSlots.has(slotId)) return;
      const [oldest] = seenSlots;
      if (seenSlots.size >= slotsMax && oldest !== undefined) seenSlots.delete(oldest);
      seenSlots.add(slotId);
      // Until the slot was given and not until its user came: that is what was foretold.
      const seconds = Math.max(0, grantedAtMs(slotId) - takenAtMs) / 1_000;
      waits.observe(seconds);
      if (predicted !== null) errors.observe(seconds / predicted);
    },
    waitingTicketRefused: () => refusals.inc({ reason: 'ticket' }),
    streams: (open) => openStreams.set(open),
    streamDropped: (reason) => dropped.inc({ reason }),
    slotsGiven: (count) => given.inc(count),
    ticked({ parked, returned, dropped: droppedPlaces, seconds }) {
      ticks.observe(seconds);
      if (parked > 0) passed.inc({ why: 'absent' }, parked);
      if (returned > 0) passed.inc({ why: 'unclaimed-returned' }, returned);
      if (droppedPlaces > 0) passed.inc({ why: 'unclaimed-dropped' }, droppedPlaces);
    },
    journalAway(eventId, is) {
      if (is) away.add(eventId);
      else away.delete(eventId);
      paused.set(away.size);
    },
    superseded: (events) => superseded.set(events),
    onReplica: (is) => onReplica.set(is ? 1 : 0),
    lost: () => losses.inc(),
    broughtBack: () => recoveries.inc(),
    hotUnattended: (is) => unattended.set(is ? 1 : 0),
  };
}
