import type { RankUpdate } from '../queue-client.ts';
import type { OpenStream, StreamListener } from '../queue-stream.ts';

/** A stream whose other end is the test. Words go to the newest connection. */
export function aStream() {
  const listeners: StreamListener[] = [];
  let closed = 0;
  const newest = (): StreamListener => {
    const listener = listeners.at(-1);
    if (listener === undefined) throw new Error('nobody has opened the stream');
    return listener;
  };
  const open: OpenStream = (listener) => {
    listeners.push(listener);
    return {
      close() {
        closed += 1;
      },
    };
  };
  return {
    open,
    count: () => listeners.length,
    closed: () => closed,
    rank: (position: number, more: Partial<RankUpdate> = {}) => newest().rank({ position, ...more }),
    turn: () => newest().turn(),
    over: () => newest().over(),
    drop: () => newest().dropped(),
    refuse: () => newest().refused(),
  };
}
