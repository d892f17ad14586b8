import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../design/badge.tsx';
import { Poster } from '../../design/poster.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';
import type { QueueEvent } from '../../queue/queue-client.ts';

export type FrameState = 'entering' | 'waiting' | 'paused' | 'unsure' | 'early' | 'closed' | 'turn';

export interface QueueFrameProps {
  readonly eventId: string;
  readonly detail: EventDetail | null;
  readonly event: QueueEvent | null;
  readonly state: FrameState;
  readonly children: ReactNode;
}

/** What one waits for, above whatever the wait has come to. */
export function QueueFrame({ eventId, detail, event, state, children }: QueueFrameProps) {
  const { t, pick } = useI18n();
  const title = detail === null ? event?.title : pick(detail.title, detail.titleEn);
  const artist = detail === null ? event?.artist : pick(detail.artist.name, detail.artist.nameEn);
  const startsAt = detail?.startsAt ?? event?.date;
  const words: Readonly<Record<FrameState, string>> = {
    entering: t.queue.entering,
    waiting: t.queue.waiting,
    paused: t.queue.pausedShort,
    unsure: t.queue.unsure,
    early: t.status.announced,
    closed: t.queue.closed,
    turn: t.queue.turn,
  };
  return (
    <div className="mx-auto mt-6 max-w-2xl md:mt-10">
      <div className="flex min-h-36 items-center gap-4 sm:gap-6">
        <Poster
          imageUrl={detail?.imageUrl ?? null}
          seed={eventId}
          alt=""
          eager
          className="aspect-[3/4] w-20 shrink-0 rounded-control border border-line sm:w-28"
        />
        <div className="min-w-0 flex-1">
          <Badge tone={tones[state]}>{words[state]}</Badge>
          {title === undefined || startsAt === undefined ? (
            <>
              <h1 className="sr-only">{words[state]}</h1>
              <Skeleton className="mt-2 h-9 w-4/5" />
              <Skeleton className="mt-1.5 h-10 w-1/2" />
            </>
          ) : (
            <>
              <h1 className="mt-2 font-black text-headline">
                <Link
                  to="/events/$eventId"
                  params={{ eventId }}
                  className="hover:underline hover:decoration-2 hover:underline-offset-4"
                >
                  {title}
                </Link>
              </h1>
              <p className="mt-1.5 text-[0.9375rem] text-ink-soft leading-snug">
                <span className="font-bold text-ink">{artist}</span>
                <br />
                <SeoulTime at={startsAt} />
              </p>
            </>
          )}
        </div>
      </div>
      <div className="mt-6 sm:mt-8">{children}</div>
    </div>
  );
}

const tones: Readonly<Record<FrameState, Tone>> = {
  entering: 'plain',
  waiting: 'indigo',
  paused: 'amber',
  unsure: 'amber',
  early: 'indigo',
  closed: 'amber',
  turn: 'jade',
};
