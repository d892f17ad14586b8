import type { Socket } from 'node:net';

/** Which calls are under way on which caller's connection. */
export interface Callers {
  /** Calls back when the connection closes, until what it returns is called. Null: it is closed, or has too many calls under way. */
  begin(socket: Socket, onGone: () => void): (() => void) | null;
}

/**
 * Node tells an answer that its connection closed only when it was that answer's turn: those queued behind it, of calls that
 * were sent without waiting, never hear of it. So the connection itself is asked, with one listener for all its calls.
 */
export function createCallers({ callsMax }: { callsMax: number }): Callers {
  const callsOf = new WeakMap<Socket, Set<() => void>>();

  function callsOn(socket: Socket): Set<() => void> {
    const known = callsOf.get(socket);
    if (known !== undefined) return known;
    const calls = new Set<() => void>();
    callsOf.set(socket, calls);
    socket.once('close', () => {
      for (const onGone of calls) onGone();
      calls.clear();
    });
    return calls;
  }

  return {
    begin(socket, onGone) {
      if (socket.destroyed) return null;
      const calls = callsOn(socket);
      if (calls.size >= callsMax) return null;
      calls.add(onGone);
      return () => calls.delete(onGone);
    },
  };
}
