import type { RankUpdate } from './queue-client.ts';
import { tryLock } from './tab-locks.ts';

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

/**
 * Over HTTP/1.1 a browser opens six connections to a site, for all of its tabs together. A tab beyond these would leave no
 * connection for signs of life and for claiming the turn, so it polls.
 */
const streamsPerBrowser = 3;

/** The stream of an event's queue. The cookies say whose it is; the server refuses a query string. */
export function queueStreamOf(eventId: string): OpenStream {
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
      source = new EventSource(`/api/queue/stream/${encodeURIComponent(eventId)}`);
      source.addEventListener('RANK_UPDATE', ({ data }: MessageEvent<unknown>) => {
        const update = parse(data);
        if (update !== null) listener.rank(update);
      });
      source.addEventListener('ACTIVE_TURN', () => listener.turn());
      source.addEventListener('PLACE_OVER', () => listener.over());
      source.addEventListener('error', () => {
        if (source?.readyState === EventSource.CLOSED) refuse();
        else listener.dropped();
      });
    }
    open().catch(refuse);
    return { close };
  };
}

/** Without locks (old browsers, plain http) tabs cannot count each other, and the safe way is to poll. */
async function takeConnection(): Promise<(() => void) | null> {
  for (let index = 0; index < streamsPerBrowser; index++) {
    const release = await tryLock(`urr-queue-stream-${index}`);
    if (release !== null) return release;
  }
  return null;
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
