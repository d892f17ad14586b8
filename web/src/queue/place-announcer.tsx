import { useEffect, useRef } from 'react';
import { useServerNow } from '../app/use-server-now.ts';
import { useAnnouncement } from '../i18n/announcement.ts';
import { type I18n, useI18n } from '../i18n/i18n.tsx';
import { useEventTitle } from './place-bar.tsx';
import { type PlaceNews, placeNews, type ToldPlace } from './place-news.ts';
import type { FollowedQueue } from './urgency.ts';

/** Tells a screen reader what happens to a place while its page is not shown: at milestones, and a turn at once. */
export function PlaceAnnouncer({ place: { eventId, view } }: { readonly place: FollowedQueue }) {
  const i18n = useI18n();
  const { title } = useEventTitle(eventId, view);
  const now = useServerNow(view.kind === 'turn');
  const told = useRef<ToldPlace | null>(null);
  const [polite, sayPolitely] = useAnnouncement();
  const [urgent, sayAtOnce] = useAnnouncement();
  useEffect(() => {
    const next = placeNews(told.current, view, now);
    told.current = next.told;
    if (next.news === null) return;
    const say = next.news.kind === 'position' ? sayPolitely : sayAtOnce;
    say(`${title}: ${newsText(next.news, i18n)}`);
  }, [view, now, title, i18n, sayPolitely, sayAtOnce]);
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {polite}
      </p>
      <p role="alert" className="sr-only">
        {urgent}
      </p>
    </>
  );
}

function newsText(news: PlaceNews, { t, format }: I18n): string {
  switch (news.kind) {
    case 'position':
      return t.place.inLine(format.count(news.position));
    case 'turn':
      return t.queue.turn;
    case 'lastMinute':
      return t.queue.slotWarning;
    case 'over':
      return t.queue.slotOver;
    case 'passed':
    case 'ended':
      return t.queue.gone[news.kind].title;
    case 'closed':
      return t.queue.closed;
  }
}
