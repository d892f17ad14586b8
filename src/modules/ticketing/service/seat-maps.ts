import type { Clock } from '#platform/clock.ts';
import { platformErrors } from '#platform/errors.ts';
import type { Job } from '#platform/module.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { SeatPlan } from '../domain/seat-plan.ts';
import type { EventBooks, SeatMaps } from '../ports.ts';
import { readSeatMap, type SeatMapRows } from '../storage/seat-map-rows.ts';
import { createDatabaseTime } from './database-time.ts';
import { createLedgerReader } from './ledger-reader.ts';
import { createLiveMap, type LiveMap } from './live-map.ts';
import type { MapMetrics } from './map-metrics.ts';

/** The maps that this process keeps, each while somebody looks at it. */
export interface LiveMaps extends SeatMaps {
  /** Null: nothing is built. */
  open(eventId: string): Promise<LiveMap | null>;
  /** Called with each map that is read for the first time. */
  onOpened(listener: (map: LiveMap) => void): void;
  /** Keeps the map of an event although nobody asks for it, until the returned function is called. */
  watch(eventId: string): () => void;
  readonly job: Job;
  stop(): Promise<void>;
}

const readEveryMs = 250;
/** After the last look. */
const keptMs = 60_000;
const mapsMax = 200;
/** Without a word from the database, what is shown is no older than this. */
const staleMaxMs = 30_000;
/** The seats may be built anew while they are read. */
const loadsMax = 5;

interface Kept {
  readonly map: Promise<LiveMap | null>;
  /** Null while it is read for the first time. */
  live: LiveMap | null;
  lookedAtMs: number;
  watchers: number;
}

export function createSeatMaps(deps: {
  database: Database;
  books: EventBooks;
  clock: Clock;
  logger: Logger;
  metrics: MapMetrics;
}): LiveMaps {
  const { database, books, clock, logger, metrics } = deps;
  const kept = new Map<string, Kept>();
  const openedListeners: ((map: LiveMap) => void)[] = [];
  const time = createDatabaseTime(clock);
  let readAtMs = clock.monotonicMs();
  let isBehind = false;

  const reader = createLedgerReader({
    database,
    clock,
    time,
    logger,
    metrics,
    maps: () => [...kept.values()].flatMap(({ live }) => live ?? []),
    async beginAgain(map) {
      const begun = await load(map.eventId);
      if (begun === null) forget(map.eventId);
      else map.begin(begun.plan, begun.rows);
    },
  });

  /** Seats and plan of one and the same offer. */
  async function load(eventId: string): Promise<{ plan: SeatPlan; rows: SeatMapRows } | null> {
    for (let tried = 0; tried < loadsMax; tried++) {
      const connection = await reader.connect();
      const rows = await readSeatMap(database, eventId);
      if (rows === null || rows.builtOffer === null) return null;
      const known = await books.get(eventId);
      const plan = known?.plan?.offer === rows.builtOffer ? known.plan : (await books.renew(eventId))?.plan;
      metrics.wholeReading();
      time.heard(rows.nowMs);
      // Read before the connection was lost, it may be of a past that never came to be.
      if (plan?.offer === rows.builtOffer && connection === (await reader.connect())) return { plan, rows };
    }
    return null;
  }

  async function loadFirst(eventId: string): Promise<LiveMap | null> {
    const first = await load(eventId);
    if (first === null) return null;
    readAtMs = kept.size <= 1 ? clock.monotonicMs() : readAtMs;
    const map = createLiveMap({ eventId, ...first, time, refresh: (it) => reader.refresh(it) });
    for (const listener of openedListeners) listener(map);
    return map;
  }

  function forget(eventId: string): void {
    const live = kept.get(eventId)?.live;
    if (live) live.isForgotten = true;
    kept.delete(eventId);
    metrics.maps(kept.size);
  }

  function forgetUnseen(): void {
    const nowMs = clock.monotonicMs();
    for (const [eventId, { watchers, lookedAtMs }] of kept)
      if (watchers === 0 && nowMs - lookedAtMs >= keptMs) forget(eventId);
  }

  /** The one that nobody has looked at for longest makes room. */
  function makeRoom(): void {
    if (kept.size < mapsMax) return;
    const [oldest] = [...kept].sort(([, a], [, b]) => rank(a) - rank(b));
    if (oldest !== undefined) forget(oldest[0]);
  }

  const rank = ({ watchers, lookedAtMs }: Kept) => (watchers > 0 ? Number.MAX_VALUE : lookedAtMs);

  function keep(eventId: string): Kept {
    const known = kept.get(eventId);
    if (known !== undefined) return known;
    makeRoom();
    const map = loadFirst(eventId);
    const fresh: Kept = { map, live: null, lookedAtMs: clock.monotonicMs(), watchers: 0 };
    kept.set(eventId, fresh);
    metrics.maps(kept.size);
    map.then(
      (live) => {
        fresh.live = live;
        if (live === null && kept.get(eventId) === fresh) forget(eventId);
      },
      () => kept.get(eventId) === fresh && forget(eventId),
    );
    return fresh;
  }

  async function read(): Promise<void> {
    forgetUnseen();
    if (kept.size === 0) {
      metrics.lag(0);
      return;
    }
    try {
      await reader.read();
      readAtMs = clock.monotonicMs();
      isBehind = false;
    } catch (error) {
      // Four times a second would be too often to say it.
      if (!isBehind) logger.warn({ err: error }, 'the ledger cannot be read: seat maps stand still until it can');
      isBehind = true;
      metrics.lag((clock.monotonicMs() - readAtMs) / 1_000);
    }
  }

  return {
    async open(eventId) {
      const entry = keep(eventId);
      entry.lookedAtMs = clock.monotonicMs();
      const map = entry.live ?? (await entry.map);
      if (map !== null && isBehind && clock.monotonicMs() - readAtMs > staleMaxMs)
        throw platformErrors.fault('DATABASE_UNAVAILABLE');
      return map;
    },
    onOpened: (listener) => void openedListeners.push(listener),
    watch(eventId) {
      const entry = keep(eventId);
      entry.watchers += 1;
      return () => {
        entry.watchers -= 1;
        entry.lookedAtMs = clock.monotonicMs();
      };
    },
    job: { name: 'ticketing-seat-maps', everyMs: readEveryMs, run: read },
    stop: () => reader.stop(),
  };
}
