import { openServerEvents } from '../app/server-events.ts';
import type { RankUpdate } from './queue-client.ts';

/** What is heard on a stream. All of it is a hint: a turn is claimed by asking, never by being told. */
export interface StreamListener {
  rank(update: RankUpdate): void;
  turn(): void;
  /** The place may be over, and the server has hung up: ask. */
  over(): void;
  /** Broken off. The browser connects again by itself, after as long as the server asked for, and says what it knew last. */
  dropped(): void;
  /** Nothing more comes of this one. */
  refused(): void;
}

export interface QueueStream {
  close(): void;
}

export type OpenStream = (listener: StreamListener) => QueueStream;

/** Connections are left for signs of life and for claiming the turn; a tab beyond these polls. */
const slots = { name: 'urr-queue-stream', count: 3 };

/** The stream of an event's queue. The server refuses a query string. */
export function queueStreamOf(eventId: string): OpenStream {
  return (listener) => {
    const hearRank = (data: unknown) => {
      const update = parse(data);
      if (update !== null) listener.rank(update);
    };
    return openServerEvents({
      path: `/api/queue/stream/${encodeURIComponent(eventId)}`,
      slots,
      on: [
        ['RANK_UPDATE', hearRank],
        ['ACTIVE_TURN', () => listener.turn()],
        ['PLACE_OVER', () => listener.over()],
      ],
      dropped: () => listener.dropped(),
      refused: () => listener.refused(),
    });
  };
}

function parse(data: unknown): RankUpdate | null {
  try {
    const update = JSON.parse(String(data)) as unknown;
    if (typeof update !== 'object' || update === null) return null;
    // The server that wrote it is tested to say nothing else; what decides anything is asked for.
    return 'position' in update && Number.isInteger(update.position) ? (update as RankUpdate) : null;
  } catch {
    return null;
  }
}
