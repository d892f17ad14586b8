import { tryLock } from '../queue/tab-locks.ts';
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

/** Beside the queue's streams, and so that one of the six connections of HTTP/1.1 stays free for the holds. */
const streamsPerBrowser = 2;

/** The changes of an event's seats. Cookies say whose slot it is. */
export function seatStreamOf(eventId: string): OpenSeatStream {
  return (listener) => {
    let source: EventSource | null = null;
    let release = () => {};
    let closed = false;
    const close = () => {
      closed = true;
      source?.close();
      release();
    };
    const refuse = () => {
      if (closed) return;
      close();
      listener.refused();
    };

    async function open(): Promise<void> {
      const taken = await takeConnection();
      if (taken !== null) release = taken;
      if (closed) release();
      else if (taken === null) refuse();
      else listen();
    }

    function listen(): void {
      source = new EventSource(`/api/seats/events/${encodeURIComponent(eventId)}/stream`);
      source.addEventListener('open', () => listener.opened());
      for (const name of ['SEATS', 'RESYNC']) {
        source.addEventListener(name, ({ data }: MessageEvent<unknown>) => {
          const changes = parse(data, name === 'RESYNC');
          if (changes !== null) listener.changes(changes);
        });
      }
      source.addEventListener('error', () => {
        if (source?.readyState === EventSource.CLOSED) refuse();
        else listener.dropped();
      });
    }
    open().catch(refuse);
    return { close };
  };
}

async function takeConnection(): Promise<(() => void) | null> {
  for (let index = 0; index < streamsPerBrowser; index += 1) {
    const release = await tryLock(`urr-seat-stream-${index}`);
    if (release !== null) return release;
  }
  return null;
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
