import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ApiProblem } from '../../api/problem.ts';
import { problemText } from '../../app/problem-text.ts';
import { safePath } from '../../app/safe-path.ts';
import { TabTitle } from '../../app/tab-title.tsx';
import { useServerNow } from '../../app/use-server-now.ts';
import { Button, buttonClass } from '../../design/button.tsx';
import { EmptyState } from '../../design/empty-state.tsx';
import { Notice } from '../../design/notice.tsx';
import { oneEvent } from '../../events/event-queries.ts';
import { OpeningAnnouncer } from '../../events/opening-countdown.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import type { QueueView } from '../../queue/queue-view.ts';
import { type QueueActs, useQueue } from '../../queue/use-queue.ts';
import { useTurnSound } from '../../queue/use-turn-sound.ts';
import { NotFoundPage } from '../not-found/page.tsx';
import { Closed } from './closed.tsx';
import { Entering } from './entering.tsx';
import { type FrameState, QueueFrame } from './frame.tsx';
import { Turn } from './turn.tsx';
import { Waiting } from './waiting.tsx';

export function QueuePage() {
  const { eventId } = useParams({ from: '/queue/$eventId' });
  // Another event is another queue: nothing of the first may be left over.
  return <QueueOfEvent key={eventId} eventId={eventId} />;
}

function QueueOfEvent({ eventId }: { readonly eventId: string }) {
  const [view, acts] = useQueue(eventId);
  const sound = useTurnSound();
  // The queue names the event itself; catalog adds the picture and the other language when it can.
  const detail = useQuery(oneEvent(eventId)).data ?? null;
  const opensAtMs = view.kind === 'closed' ? view.opensAtMs : null;
  // The question at the opening is on its way: everybody's is spread over a moment.
  const joins = useServerNow(opensAtMs !== null) >= (opensAtMs ?? Number.POSITIVE_INFINITY);
  if (view.kind === 'refused') return <Refused problem={view.problem} eventId={eventId} acts={acts} />;
  if (view.kind === 'gone') return <Gone view={view} eventId={eventId} acts={acts} />;
  return (
    <QueueFrame eventId={eventId} detail={detail} event={view.event} state={joins ? 'entering' : frameState(view)}>
      {/* Stays when the sale opens, so that the opening itself is announced. */}
      {opensAtMs !== null && <OpeningAnnouncer opensAt={opensAtMs} />}
      {view.kind === 'entering' && <Entering problem={view.problem} retry={acts.retry} />}
      {joins && <Entering problem={null} retry={acts.retry} />}
      {view.kind === 'closed' && !joins && (
        <Closed opensAtMs={view.opensAtMs} message={view.message} eventId={eventId} />
      )}
      {view.kind === 'waiting' && <Waiting view={view} sound={sound} leave={acts.leave} />}
      {view.kind === 'turn' && <Turn view={view} eventId={eventId} detail={detail} leave={acts.leave} />}
    </QueueFrame>
  );
}

function frameState(view: Exclude<QueueView, { kind: 'refused' | 'gone' }>): FrameState {
  if (view.kind === 'closed' && view.opensAtMs !== null) return 'early';
  if (view.kind !== 'waiting') return view.kind;
  if (view.connection === 'lost' || view.answer.stale === true) return 'unsure';
  return view.answer.paused === true ? 'paused' : 'waiting';
}

interface RefusedProps {
  readonly problem: ApiProblem;
  readonly eventId: string;
  readonly acts: QueueActs;
}

function Refused({ problem, eventId, acts }: RefusedProps) {
  const { t } = useI18n();
  const room = problem.code === 'WAITING_ROOM_REQUIRED' ? safePath(problem.document.redirectTo) : null;
  useEffect(() => {
    // The waiting room is a page of its own, outside of this application.
    if (room !== null && room !== '/') location.replace(room);
  }, [room]);
  if (problem.status === 401) return <Navigate to="/login" search={{ next: `/queue/${eventId}` }} replace />;
  if (problem.status === 404 || problem.status === 400) return <NotFoundPage what="event" />;
  return (
    <>
      <TabTitle>{t.queue.refused}</TabTitle>
      <div role="alert">
        <EmptyState
          level={1}
          title={t.queue.refused}
          text={problemText(problem, t).text}
          action={<WayOn eventId={eventId} acts={acts} />}
        />
        <p className="-mt-8 pb-8 text-center text-ink-soft text-meta">{t.states.code(problem.code)}</p>
      </div>
    </>
  );
}

interface GoneProps {
  readonly view: Extract<QueueView, { kind: 'gone' }>;
  readonly eventId: string;
  readonly acts: QueueActs;
}

function Gone({ view: { why, message }, eventId, acts }: GoneProps) {
  const { t } = useI18n();
  const { title, text } = t.queue.gone[why];
  return (
    <>
      <TabTitle>{title}</TabTitle>
      <div role="alert">
        {message !== null && message !== '' && (
          <div className="mx-auto mt-6 max-w-2xl">
            <Notice within="live-region">
              <strong className="mr-2">{t.queue.operator}</strong>
              {message}
            </Notice>
          </div>
        )}
        <EmptyState level={1} title={title} text={text} action={<WayOn eventId={eventId} acts={acts} />} />
      </div>
    </>
  );
}

function WayOn({ eventId, acts }: { readonly eventId: string; readonly acts: QueueActs }) {
  const { t } = useI18n();
  return (
    <>
      <Button onClick={acts.enterAgain}>{t.queue.again}</Button>
      <Link to="/events/$eventId" params={{ eventId }} className={buttonClass({ look: 'secondary' })}>
        {t.queue.toEvent}
      </Link>
    </>
  );
}
