import { openServerEvents } from '../app/server-events.ts';
import type { SeatChanges } from './seat-types.ts';

export interface SeatStreamListener {
  opened(): void;
  changes(changes: SeatChanges): void;
  /** Broken off; the browser connects again by itself. */
  dropped(): void;
  /** Nothing more comes of this one. */
  refused(): void;
}

export interface SeatStream {
  close(): void;
}

export type OpenSeatStream = (listener: SeatStreamListener) => SeatStream;

/** Beside the queue's three, and so that a connection stays free for the holds. */
const slots = { name: 'urr-seat-stream', count: 2 };

/** The changes of an event's seats. */
export function seatStreamOf(eventId: string): OpenSeatStream {
  return (listener) => {
    const hear = (data: unknown, resync: boolean) => {
      const changes = parse(data, resync);
      if (changes !== null) listener.changes(changes);
    };
    return openServerEvents({
      path: `/api/seats/events/${encodeURIComponent(eventId)}/stream`,
      slots,
      on: [
        ['SEATS', (data) => hear(data, false)],
        ['RESYNC', (data) => hear(data, true)],
      ],
      opened: () => listener.opened(),
      dropped: () => listener.dropped(),
      refused: () => listener.refused(),
    });
  };
}

const nothing = { version: 0, resync: false, seats: [], grades: [], areas: [] };

function parse(data: unknown, resync: boolean): SeatChanges | null {
  try {
    const value = JSON.parse(String(data)) as unknown;
    if (typeof value !== 'object' || value === null) return resync ? { ...nothing, resync } : null;
    // The server that wrote it is tested to say nothing else.
    return { ...nothing, ...(value as Partial<SeatChanges>), ...(resync && { resync }) };
  } catch {
    return null;
  }
}
