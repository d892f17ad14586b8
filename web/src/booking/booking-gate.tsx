import { Link, Navigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { keepFocus } from '../app/keep-focus.ts';
import { problemText } from '../app/problem-text.ts';
import { TabTitle } from '../app/tab-title.tsx';
import { Button, buttonClass } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { NotFoundPage } from '../pages/not-found/page.tsx';
import { useQueueView } from '../queue/use-queue.ts';
import type { LiveMap } from '../seats/live-map.ts';
import { Held, loadHeld } from './held-parts.ts';
import type { Booking } from './use-booking.ts';
import { useSoon } from './use-soon.ts';

export interface BookingGateProps {
  readonly eventId: string;
  readonly path: '/events/$eventId/seats' | '/events/$eventId/book';
  readonly booking: Booking;
  /** Takes the room that the choice will take. */
  readonly skeleton: ReactNode;
  readonly children: (map: LiveMap, isLost: boolean) => ReactNode;
}

/** Lets those choose who have a slot, shows what is held, and leads everybody else to the line and back. */
export function BookingGate({ eventId, path, booking, skeleton, children }: BookingGateProps) {
  const { t } = useI18n();
  const { stage, feed, hold } = booking;
  const view = useQueueView(eventId);
  const hasPassed = view?.kind === 'gone' && view.why === 'passed';
  useSoon(loadHeld);
  switch (stage) {
    case 'to-queue':
      return <Navigate to="/queue/$eventId" params={{ eventId }} replace />;
    case 'booked':
      return <Navigate to="/my/tickets" replace />;
    case 'held':
      return (
        <Suspense fallback={<Loading problem={null}>{skeleton}</Loading>}>
          {hold !== null && <Held booking={booking} hold={hold} />}
        </Suspense>
      );
    case 'hold-over':
      return (
        <Told title={t.held.over} text={t.held.overText}>
          {booking.hasSlot ? (
            <Button onClick={booking.dismiss}>{t.held.again}</Button>
          ) : (
            <Link to="/queue/$eventId" params={{ eventId }} className={buttonClass()}>
              {t.queue.again}
            </Link>
          )}
        </Told>
      );
    case 'slot-over':
      return (
        <Told
          title={hasPassed ? t.queue.gone.passed.title : t.seats.over}
          text={hasPassed ? t.queue.gone.passed.text : t.seats.overText}
        >
          <Link to="/queue/$eventId" params={{ eventId }} className={buttonClass()}>
            {t.queue.again}
          </Link>
          <Link to="/events/$eventId" params={{ eventId }} className={buttonClass({ look: 'secondary' })}>
            {t.queue.toEvent}
          </Link>
        </Told>
      );
    case 'checking':
      return <Loading problem={null}>{skeleton}</Loading>;
    case 'choosing':
      if (feed.kind === 'loading') {
        return <Loading problem={feed.problem === null ? null : problemText(feed.problem, t).text}>{skeleton}</Loading>;
      }
      if (feed.kind === 'ready') return children(feed.map, feed.isLost);
      if (feed.problem.status === 401) {
        return <Navigate to="/login" search={{ next: path.replace('$eventId', eventId) }} replace />;
      }
      if (feed.problem.status === 404 || feed.problem.status === 400) return <NotFoundPage what="event" />;
      return (
        <Told title={t.seats.entryLost} text={problemText(feed.problem, t).text}>
          <Button onClick={booking.wake}>{t.common.retry}</Button>
          <Link to="/queue/$eventId" params={{ eventId }} className={buttonClass({ look: 'secondary' })}>
            {t.queue.again}
          </Link>
        </Told>
      );
  }
}

function Loading({ problem, children }: { readonly problem: string | null; readonly children: ReactNode }) {
  const { t } = useI18n();
  return (
    <div aria-busy="true">
      <p role="status" className={problem === null ? 'sr-only' : 'mt-4 rounded-control bg-amber-wash px-4 py-3'}>
        {problem ?? t.seats.preparing}
      </p>
      {children}
    </div>
  );
}

function Told({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}) {
  useEffect(() => {
    // It stands where the choice was, and that one may have been scrolled far down, with the focus on a seat.
    scrollTo(0, 0);
    keepFocus();
  }, []);
  return (
    <div role="alert">
      <TabTitle>{title}</TabTitle>
      <EmptyState level={1} title={title} text={text} action={children} />
    </div>
  );
}
