import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { serverNow } from '../app/server-clock.ts';
import { queueClient } from './queue-api.ts';
import { createQueueSession, type QueueSession, type TabNews } from './queue-session.ts';
import type { QueueView } from './queue-view.ts';
import { keptStartPosition } from './start-position.ts';
import { openTabNews } from './tab-news.ts';

/** Lines up for the event while the page is there, and follows the place. */
export function useQueue(eventId: string): readonly [QueueView, QueueSession] {
  const tell = useRef<(news: TabNews) => void>(() => undefined);
  const session = useMemo(
    () =>
      createQueueSession({
        eventId,
        client: queueClient,
        now: serverNow,
        random: Math.random,
        tell: (news) => tell.current(news),
        startPosition: keptStartPosition(eventId),
      }),
    [eventId],
  );

  useEffect(() => {
    const tabs = openTabNews(eventId, session.hear);
    tell.current = tabs.tell;
    // Timers of a sleeping phone stand still. Whoever looks at the page again is told at once.
    const onVisible = () => {
      if (document.visibilityState === 'visible') session.wake();
    };
    document.addEventListener('visibilitychange', onVisible);
    addEventListener('online', session.wake);
    addEventListener('pageshow', onVisible);
    session.start();
    return () => {
      session.stop();
      tabs.close();
      document.removeEventListener('visibilitychange', onVisible);
      removeEventListener('online', session.wake);
      removeEventListener('pageshow', onVisible);
    };
  }, [eventId, session]);

  return [useSyncExternalStore(session.subscribe, session.view), session];
}
