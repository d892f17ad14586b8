import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { watchWaking } from '../queue/wake.ts';
import { seatClientOf } from './seat-api.ts';
import { createSeatFeed, type FeedView, type SeatFeed } from './seat-feed.ts';
import { seatStreamOf } from './seat-stream.ts';

/** Follows the seats of an event while the page is shown and somebody may choose. The second: to ask at once. */
export function useSeatFeed(eventId: string, isWanted: boolean): readonly [FeedView, wake: () => void] {
  const feed = useMemo(
    () => createSeatFeed({ client: seatClientOf(eventId), stream: seatStreamOf(eventId), random: Math.random }),
    [eventId],
  );
  useEffect(() => (isWanted ? follow(feed) : undefined), [feed, isWanted]);
  return [useSyncExternalStore(feed.subscribe, feed.view), feed.wake];
}

/** A hidden tab asks nothing: the seats that it would show are old news when it is looked at again. */
function follow(feed: SeatFeed): () => void {
  const look = () => {
    if (document.visibilityState === 'hidden') feed.stop();
    else feed.start();
  };
  const stopWatching = watchWaking({ wake: feed.wake, reconnect: feed.wake });
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    document.removeEventListener('visibilitychange', look);
    stopWatching();
    feed.stop();
  };
}
