import type { Job } from '#platform/module.ts';
import type { EventBooks, TicketingDeps } from './ports.ts';
import { createMapOf, createSeatMapHandlers, type SeatMapHandlers } from './routes/seat-map-handlers.ts';
import { createStreamSeatsHandler, type StreamSeatsHandler } from './routes/stream-seats.ts';
import type { LiveMap } from './service/live-map.ts';
import { createMapMetrics } from './service/map-metrics.ts';
import { createSeatMapAnswers } from './service/seat-map-answers.ts';
import { createSeatMaps, type LiveMaps } from './service/seat-maps.ts';
import { createSeatStreams } from './service/seat-streams.ts';

const tidyEveryMs = 1_000;

export interface SeatMapParts {
  readonly maps: LiveMaps;
  /** Throws the fault that the caller is to see where there is no map. */
  mapOf(eventId: string): Promise<LiveMap>;
  readonly handlers: SeatMapHandlers & { readonly streamSeats: StreamSeatsHandler };
  readonly jobs: readonly Job[];
  stop(): Promise<void>;
}

/** Everything about looking at seats: the maps in memory, their reader, their streams and the routes. */
export function createSeatMapParts(
  deps: Pick<TicketingDeps, 'database' | 'clock' | 'ids' | 'random' | 'logger' | 'metrics'> & { books: EventBooks },
): SeatMapParts {
  const { clock, ids, random, logger, books } = deps;
  const metrics = createMapMetrics(deps.metrics);
  const maps = createSeatMaps({ ...deps, metrics });
  const mapOf = createMapOf({ maps, books });
  const streams = createSeatStreams({ clock, logger, metrics });
  maps.onOpened(streams.follow);
  return {
    maps,
    mapOf,
    handlers: {
      ...createSeatMapHandlers({ mapOf, answers: createSeatMapAnswers(ids.next()) }),
      streamSeats: createStreamSeatsHandler({ mapOf, maps, streams, random }),
    },
    jobs: [maps.job, { name: 'ticketing-seat-streams', everyMs: tidyEveryMs, run: async () => streams.tidy() }],
    async stop() {
      streams.endAll();
      await maps.stop();
    },
  };
}
