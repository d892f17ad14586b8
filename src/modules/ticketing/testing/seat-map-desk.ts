import { type Clock, systemClock } from '#platform/clock.ts';
import { createIds } from '#platform/ids.ts';
import type { Database } from '#platform/postgres/database.ts';
import { systemRandom } from '#platform/random.ts';
import { type Logger, silentLogger } from '#platform/telemetry/logger.ts';
import { createMetrics } from '#platform/telemetry/metrics.ts';
import { atEnd } from '#test/kit/at-end.ts';
import { eventually } from '#test/kit/faults.ts';
import { type BestAvailable, createBestAvailable } from '../service/best-available.ts';
import { createEventBooks, type RefreshedBooks } from '../service/books.ts';
import { createHolds } from '../service/holds.ts';
import type { LiveMap } from '../service/live-map.ts';
import { createMapMetrics } from '../service/map-metrics.ts';
import { createSeatMaps, type LiveMaps } from '../service/seat-maps.ts';

/** One process's maps, read when the test says so. */
export interface SeatMapDesk {
  readonly maps: LiveMaps;
  readonly books: RefreshedBooks;
  open(eventId: string): Promise<LiveMap>;
  read(): Promise<void>;
  /**
   * Reads until `check` throws no more. A reading stops before the oldest open transaction of the server, and the databases of
   * other tests are on the same server.
   */
  readUntil(check: () => void | Promise<void>): Promise<void>;
  /** Gives out the best seats of these maps, with holds of its own. */
  readonly bestAvailable: BestAvailable;
  /** Of one metric of this process. */
  metric(name: string): Promise<number>;
}

export function aSeatMapDesk(
  database: Database,
  { clock = systemClock, logger = silentLogger }: { clock?: Clock; logger?: Logger } = {},
): SeatMapDesk {
  const metrics = createMetrics();
  const books = createEventBooks({ database, clock });
  const maps = createSeatMaps({ database, books, clock, logger, metrics: createMapMetrics(metrics) });
  const ids = createIds({ clock, random: systemRandom });
  const holds = createHolds({
    ...{ database, books, clock, ids, metrics, random: systemRandom, shield: null },
    bus: { publish: async () => undefined, wakeRelays: () => undefined },
    tiers: { tierOf: async () => 'general' },
  });
  atEnd(async () => {
    await holds.stop();
    await maps.stop();
  });
  async function open(eventId: string): Promise<LiveMap> {
    const map = await maps.open(eventId);
    if (map === null) throw new Error('the seats are not built');
    return map;
  }
  const read = () => maps.job.run(new AbortController().signal);
  return {
    maps,
    books,
    open,
    bestAvailable: createBestAvailable({ mapOf: open, holds, clock }),
    read,
    readUntil: (check) =>
      eventually(
        async () => {
          await read();
          await check();
        },
        { withinMs: 60_000, what: 'the map to show it' },
      ),
    metric: async (name) => Number(new RegExp(`^${name}(?:{.*})? (.*)$`, 'm').exec(await metrics.text())?.[1]),
  };
}

/** What the rows say, read by the test itself. */
export async function rowsOf(database: Database, eventId: string): Promise<{ looks: number[]; places: number[] }> {
  const seats = await database.query<{ look: number }>(
    `SELECT CASE WHEN state = 1 AND held_until <= urr.now() THEN 0 WHEN state IN (1, 2) THEN 1 WHEN state = 3 THEN 2 WHEN state = 4 THEN 3
       ELSE 0 END AS look FROM ticketing.seats WHERE event_id = $1 ORDER BY seat_no`,
    [eventId],
  );
  const places = await database.query<{ places: number }>(
    `SELECT (sum(places_left) + coalesce((SELECT sum((item ->> 'quantity')::integer) FROM ticketing.reservations AS r,
         jsonb_array_elements(r.lines -> 'items') AS item WHERE r.event_id = $1 AND r.status = 'pending'
         AND r.expires_at <= urr.now() AND item ->> 'ticketTypeId' = t.ticket_type_id::text), 0))::integer AS places
     FROM ticketing.ticket_types AS t JOIN ticketing.shards USING (ticket_type_id) WHERE event_id = $1
     GROUP BY t.ticket_type_id, area_id ORDER BY area_id`,
    [eventId],
  );
  return { looks: seats.rows.map(({ look }) => look), places: places.rows.map((row) => row.places) };
}

export function shownBy(map: LiveMap): { looks: number[]; places: number[] } {
  return { looks: [...map.looks()], places: map.left().areas.map(({ left }) => left) };
}
