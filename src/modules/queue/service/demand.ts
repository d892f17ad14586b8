import type { Clock } from '#platform/clock.ts';
import type { QueueDeps } from '../deps.ts';
import type { QueueConfig } from '../ports.ts';
import { isInStore } from './event-view.ts';
import type { Snapshots } from './snapshots.ts';

interface Demand {
  readonly eventId: string;
  readonly waiting: number;
  readonly freeSlots: number;
  readonly threshold: number;
  readonly slotSeconds: number;
  readonly measuredRate: number;
  readonly soldOut: boolean;
  readonly entered: number;
  readonly epoch: number;
}

/** Catalog is asked at most so often for each event. */
const soldOutForMs = 5_000;
const soldOutMax = 1_000;

/** What tier 1 has to know to keep the line behind it short. From snapshots, so it costs the store nothing. */
export function createDemand(deps: {
  snapshots: Pick<Snapshots, 'get'>;
  catalog: Pick<QueueDeps['catalog'], 'eventFacts'>;
  clock: Clock;
  config: Pick<QueueConfig, 'activeTtlMs'>;
}) {
  const { snapshots, catalog, clock, config } = deps;
  const soldOut = new Map<string, { is: boolean; untilMs: number }>();

  async function isSoldOut(eventId: string): Promise<boolean> {
    const known = soldOut.get(eventId);
    if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.is;
    // While catalog is away what it last said counts.
    const is = await catalog.eventFacts({ eventId }).then(
      ({ event }) => event?.soldOut === true,
      () => known?.is ?? false,
    );
    if (soldOut.size >= soldOutMax) soldOut.clear();
    soldOut.set(eventId, { is, untilMs: clock.monotonicMs() + soldOutForMs });
    return is;
  }

  async function of(eventId: string): Promise<Demand | null> {
    const view = await snapshots.get(eventId).catch(() => null);
    if (view === null || view.stale || !isInStore(view)) return null;
    const { waiting, active, settings, admittedPerSecond, numbered, epoch } = view.snapshot;
    const { threshold } = settings;
    return {
      eventId,
      waiting,
      freeSlots: Math.max(0, threshold - active),
      threshold,
      slotSeconds: config.activeTtlMs / 1_000,
      measuredRate: admittedPerSecond.reduce((sum, count) => sum + count, 0) / admittedPerSecond.length,
      soldOut: await isSoldOut(eventId),
      entered: numbered,
      epoch,
    };
  }

  return async ({ eventIds }: { eventIds: readonly string[] }): Promise<{ events: Demand[] }> => {
    const all = await Promise.all([...new Set(eventIds)].map(of));
    return { events: all.filter((each) => each !== null) };
  };
}
