import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useServerNow } from '../app/use-server-now.ts';
import { classNames } from '../design/class-names.ts';
import { Icon } from '../design/icon.tsx';
import { oneEvent } from '../events/event-queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { warnMs } from './place-news.ts';
import { placeWords } from './place-words.ts';
import type { QueueView } from './queue-view.ts';
import { queues } from './queues.ts';
import { slotPath } from './slot-path.ts';
import type { FollowedQueue } from './urgency.ts';

export interface PlaceBarProps {
  readonly places: readonly FollowedQueue[];
  /** A phone's menu is at the bottom, too. */
  readonly aboveMenu: boolean;
}

/**
 * Where one stands, on every page: the most urgent queue, and a way to the others. It lies over the page's end, so that
 * nothing moves when a place begins or ends.
 */
export function PlaceBar({ places, aboveMenu }: PlaceBarProps) {
  const { t } = useI18n();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const [first, ...others] = places;
  if (first === undefined) return null;
  return (
    <section
      aria-label={t.place.label}
      data-place-bar
      className={classNames(
        'fixed inset-x-3 z-20 overflow-hidden rounded-card border border-line-strong bg-surface shadow-lift md:bottom-6 md:left-auto',
        // Without the menu it is a page of booking: one narrow column in the middle, and room beside it on a wide screen.
        aboveMenu
          ? 'bottom-[calc(4.25rem+env(safe-area-inset-bottom))] md:right-6 md:w-100'
          : 'bottom-[calc(0.75rem+env(safe-area-inset-bottom))] md:right-3 md:w-68',
        // A booking page has its own bar there.
        'max-md:group-has-[[data-page-action]]/shell:bottom-[calc(9.25rem+env(safe-area-inset-bottom))]',
        'group-has-[[data-action-bar]]/shell:bottom-[calc(5.5rem+env(safe-area-inset-bottom))] lg:group-has-[[data-action-bar]]/shell:bottom-6 print:hidden',
      )}
    >
      <ul id={id} className="max-h-[50dvh] divide-y divide-line overflow-y-auto">
        {isOpen && others.toReversed().map((place) => <Place key={place.eventId} place={place} />)}
        <Place key={first.eventId} place={first} />
      </ul>
      {others.length > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
          className="min-h-11 w-full border-line border-t px-4 text-left font-bold text-meta hover:bg-sunk"
        >
          {isOpen ? t.place.fewer : t.place.others(others.length)}
        </button>
      )}
    </section>
  );
}

function Place({ place: { eventId, view } }: { readonly place: FollowedQueue }) {
  const i18n = useI18n();
  const now = useServerNow(view.kind === 'turn');
  const { title, detail } = useEventTitle(eventId, view);
  const isLast = view.kind === 'turn' && view.slotEndsAtMs !== null && view.slotEndsAtMs - now <= warnMs;
  const isEnd = view.kind === 'gone' || view.kind === 'closed';
  return (
    <li className={classNames('flex items-center', looks[view.kind])}>
      <Link
        to={view.kind === 'turn' ? slotPath(eventId, detail) : `/queue/${eventId}`}
        className="flex min-h-14 min-w-0 flex-1 items-center gap-3 px-4 py-2 -outline-offset-3"
      >
        <Icon
          name={view.kind === 'turn' ? 'bell' : 'ticket'}
          className={classNames('size-6 shrink-0', view.kind === 'turn' ? 'text-jade' : 'text-seal')}
        />
        <span className="min-w-0 flex-1 leading-snug">
          <span className="block min-h-[1.45em] truncate text-ink-soft text-meta">{title}</span>{' '}
          <span className={classNames('block font-extrabold tabular-nums', isLast && 'text-seal')}>
            {placeWords(view, now, i18n)}
          </span>
        </span>
        {!isEnd && <Icon name="right" className="size-5 shrink-0" />}
      </Link>
      {isEnd && (
        <button
          type="button"
          onClick={() => queues.dismiss(eventId)}
          className="mr-1.5 inline-flex size-11 shrink-0 items-center justify-center rounded-full hover:bg-sunk"
        >
          <Icon name="close" />
          <span className="sr-only">{i18n.t.place.dismiss}</span>
        </button>
      )}
    </li>
  );
}

const looks: Readonly<Record<QueueView['kind'], string>> = {
  turn: 'bg-jade-wash',
  waiting: '',
  entering: '',
  gone: 'bg-amber-wash',
  closed: 'bg-amber-wash',
  refused: '',
};

/** The queue names the event itself; catalog adds the other language when it can. */
export function useEventTitle(eventId: string, view: QueueView) {
  const { pick } = useI18n();
  const detail = useQuery({ ...oneEvent(eventId), staleTime: titleFreshMs }).data;
  const told = view.kind === 'refused' ? '' : (view.event?.title ?? '');
  return { title: detail === undefined ? told : pick(detail.title, detail.titleEn), detail };
}

const titleFreshMs = 10 * 60_000;
