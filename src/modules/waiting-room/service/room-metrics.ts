import type { Metrics } from '#platform/telemetry/metrics.ts';
import type { Rooms } from './rooms.ts';

export interface RoomMetrics {
  lost(): void;
}

export function createRoomMetrics({ metrics, rooms }: { metrics: Metrics; rooms: Pick<Rooms, 'active'> }): RoomMetrics {
  const lost = metrics.counter(
    'urr_waiting_room_lost_total',
    'Times that the counters of a waiting room were lost and went on behind their durable bound.',
  );
  metrics.gauge('urr_waiting_room_waiting', 'People in front of each waiting room that is on.', ['event'], (gauge) => {
    gauge.reset();
    for (const { eventId, lastLine, servingLine } of rooms.active())
      gauge.set({ event: eventId }, Math.max(0, lastLine - servingLine));
  });
  return { lost: () => lost.inc() };
}
