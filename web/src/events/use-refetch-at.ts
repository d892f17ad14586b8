import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { serverNow, useClockState } from '../app/server-clock.ts';

/** Everybody's page reaches the opening at once; their questions to the server are spread over this long. */
const spreadMs = 4_000;
/** Timers hold at most 2³¹ milliseconds, and a page open that long will have asked again for other reasons. */
const waitMaxMs = 2 ** 31 - 1;

/** Reads the named queries anew a little after a moment on the server's clock. */
export function useRefetchAt(atMs: number | null, key: QueryKey): void {
  const queries = useQueryClient();
  const clock = useClockState();
  const name = JSON.stringify(key);
  useEffect(() => {
    if (atMs === null || clock.source === 'pending') return;
    const waitMs = atMs - serverNow() + Math.random() * spreadMs;
    if (waitMs < 0 || waitMs > waitMaxMs) return;
    const timer = setTimeout(() => void queries.invalidateQueries({ queryKey: JSON.parse(name) as QueryKey }), waitMs);
    return () => clearTimeout(timer);
  }, [atMs, clock, name, queries]);
}
