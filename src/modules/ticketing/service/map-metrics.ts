import type { Metrics } from '#platform/telemetry/metrics.ts';

export interface MapMetrics {
  lag(seconds: number): void;
  maps(count: number): void;
  wholeReading(): void;
  streams(count: number): void;
  streamDropped(reason: 'slow' | 'replaced'): void;
}

export function createMapMetrics(metrics: Metrics): MapMetrics {
  const lag = metrics.gauge('urr_seat_map_lag_seconds', 'How far the seat maps of this process are behind the ledger.');
  const maps = metrics.gauge('urr_seat_maps', 'Events whose seat map this process keeps in memory.');
  const whole = metrics.counter('urr_seat_map_whole_readings_total', 'Seat maps that were read as a whole.');
  const streams = metrics.gauge('urr_seat_streams', 'Open streams of seat changes.');
  const dropped = metrics.counter('urr_seat_streams_dropped_total', 'Seat streams that were ended by us.', ['reason']);
  return {
    lag: (seconds) => lag.set(seconds),
    maps: (count) => maps.set(count),
    wholeReading: () => whole.inc(),
    streams: (count) => streams.set(count),
    streamDropped: (reason) => dropped.inc({ reason }),
  };
}
