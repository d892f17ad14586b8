import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { serverNow } from '../app/server-clock.ts';
import { queueClient } from './queue-api.ts';
import { createQueueSession, type QueueSession, type TabNews } from './queue-session.ts';
import { queueStreamOf } from './queue-stream.ts';
import type { QueueView } from './queue-view.ts';
import { keptStartPosition } from './start-position.ts';
import { openTabNews } from './tab-news.ts';
import { watchWaking } from './wake.ts';

/** Lines up for the event while the page is there, and follows the place. */
export function useQueue(eventId: string): readonly [QueueView, QueueSession] {
  const tell = useRef<(news: TabNews) => void>(() => undefined);
  const session = useMemo(
    () =>
      createQueueSession({
        eventId,
        client: queueClient,
        stream: queueStreamOf(eventId),
        now: serverNow,
        deviceNow: Date.now,
        random: Math.random,
        tell: (news) => tell.current(news),
        startPosition: keptStartPosition(eventId),
      }),
    [eventId],
  );

  useEffect(() => {
    const tabs = openTabNews(eventId, session.hear);
    tell.current = tabs.tell;
    const stopWatching = watchWaking(session);
    session.start();
    return () => {
      session.stop();
      tabs.close();
      stopWatching();
    };
  }, [eventId, session]);

  return [useSyncExternalStore(session.subscribe, session.view), session];
}
