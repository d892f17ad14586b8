import type { Job } from '#platform/module.ts';
import type { EventBooks, TicketingDeps } from '../ports.ts';
import { createBuildSeats } from '../service/build-seats.ts';
import { unbuiltEvents } from '../storage/seats.ts';

export interface SeatBuilding {
  readonly jobs: readonly Job[];
  /** Something was heard: there may be seats to build. Losing it costs the wait until the job looks by itself. */
  wake(): void;
  stop(): Promise<void>;
}

const everyMs = 1_000;
/** Of one look; the rest is found by the next, which follows at once. */
const eventsPerLookMax = 100;
/** After a build that failed, twice as long each time. */
const backoffMs = { first: 1_000, max: 60_000 };

/** Builds what is not built, one event after the other. What fails is tried again later and holds up nobody else. */
export function createSeatBuilding(
  deps: Pick<TicketingDeps, 'database' | 'catalog' | 'clock' | 'logger' | 'metrics'> & { readonly books: EventBooks },
): SeatBuilding {
  const { database, clock, logger, metrics } = deps;
  const build = createBuildSeats(deps);
  const seconds = metrics.histogram(
    'urr_ticketing_build_seconds',
    'How long building the seats of an event took.',
    ['outcome'],
    [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10],
  );
  const waiting = metrics.gauge(
    'urr_ticketing_unbuilt_events',
    'Events whose seats are not yet those of their newest layout and prices.',
  );
  const oldest = metrics.gauge(
    'urr_ticketing_unbuilt_oldest_seconds',
    'How long the event among them that changed first has waited.',
  );
  const stopping = new AbortController();
  const failed = new Map<string, { readonly times: number; readonly againAtMs: number }>();
  let running: Promise<void> | null = null;
  let isWoken = false;

  async function buildDue(): Promise<void> {
    do {
      isWoken = false;
      const unbuilt = await unbuiltEvents(database, eventsPerLookMax);
      waiting.set(unbuilt.length);
      oldest.set(unbuilt.reduce((max, { waited_ms }) => Math.max(max, waited_ms), 0) / 1_000);
      const known = new Set(unbuilt.map(({ event_id }) => event_id));
      for (const eventId of failed.keys()) if (!known.has(eventId)) failed.delete(eventId);
      const due = [...known].filter((eventId) => (failed.get(eventId)?.againAtMs ?? 0) <= clock.monotonicMs());
      for (const eventId of due) {
        if (stopping.signal.aborted) return;
        await buildOne(eventId);
      }
      if (due.length === eventsPerLookMax) isWoken = true;
    } while (isWoken && !stopping.signal.aborted);
  }

  async function buildOne(eventId: string): Promise<void> {
    const started = performance.now();
    const verdict = await build(eventId).catch((error: unknown) => {
      logger.warn({ err: error, eventId }, 'the seats of an event could not be built; it is tried again');
      return 'failed' as const;
    });
    seconds.observe({ outcome: verdict }, (performance.now() - started) / 1_000);
    if (verdict === 'built' || verdict === 'repriced' || verdict === 'unchanged') {
      failed.delete(eventId);
      if (verdict !== 'unchanged') logger.info({ eventId, verdict }, 'the seats of an event are ready');
      return;
    }
    if (verdict === 'reserved') {
      logger.error(
        { eventId },
        'the layout or the standing places of an event changed after something was reserved; its sale stands still. Catalog takes no such change back once the sale has opened: cancel the event, which refunds everybody, and sell the show as a new one',
      );
    }
    const times = (failed.get(eventId)?.times ?? 0) + 1;
    failed.set(eventId, {
      times,
      againAtMs: clock.monotonicMs() + Math.min(backoffMs.max, backoffMs.first * 2 ** (times - 1)),
    });
  }

  function run(): Promise<void> {
    isWoken = true;
    running ??= buildDue().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    jobs: [{ name: 'ticketing-seat-building', everyMs, run }],
    wake() {
      run().catch((error: unknown) =>
        logger.warn({ err: error }, 'what is to be built could not be read; it is tried again'),
      );
    },
    async stop() {
      stopping.abort();
      await running?.catch(() => undefined);
    },
  };
}
