import { Link } from '@tanstack/react-router';
import { Poster } from '../design/poster.tsx';
import { Skeleton } from '../design/skeleton.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import type { EventSummary } from './event-types.ts';
import { StatusBadge } from './status-badge.tsx';

/** One event in a list. The whole card is the link; its name is the title. */
function EventCard({ event }: { readonly event: EventSummary }) {
  const { t, format, pick } = useI18n();
  const over = event.status === 'ended' || event.status === 'cancelled';
  return (
    <article className="group relative">
      <div className="overflow-hidden rounded-card border border-line">
        <Poster
          imageUrl={event.imageUrl}
          seed={event.id}
          alt=""
          className={`aspect-[3/4] w-full motion-safe:transition-transform motion-safe:duration-300 motion-safe:group-hover:scale-[1.03] ${over ? 'grayscale' : ''}`}
        />
      </div>
      <div className="mt-3">
        <StatusBadge status={event.status} />
        <h3 className="mt-1.5 font-bold text-lead leading-snug">
          <Link
            to="/events/$eventId"
            params={{ eventId: event.id }}
            className="after:absolute after:inset-0 after:rounded-card group-hover:underline group-hover:decoration-2 group-hover:underline-offset-4"
          >
            {pick(event.title, event.titleEn)}
          </Link>
        </h3>
        <p className="mt-1 text-[0.9375rem] text-ink-soft leading-snug">
          {format.date(Date.parse(event.startsAt))}
          <br />
          {pick(event.venue.name, event.venue.nameEn)}
        </p>
        <p className="mt-1 text-[0.9375rem]">
          {event.priceMinKrw === event.priceMaxKrw
            ? format.krw(event.priceMinKrw)
            : t.common.from(format.krw(event.priceMinKrw))}
        </p>
      </div>
    </article>
  );
}

export function EventGrid({ events }: { readonly events: readonly EventSummary[] }) {
  return (
    <ul className={grid}>
      {events.map((event) => (
        <li key={event.id}>
          <EventCard event={event} />
        </li>
      ))}
    </ul>
  );
}

export function EventGridSkeleton({ count = 4 }: { readonly count?: number }) {
  return (
    <div className={grid}>
      {Array.from({ length: count }, (_, index) => index).map((index) => (
        <div key={index}>
          <Skeleton className="aspect-[3/4] w-full rounded-card" />
          <Skeleton className="mt-3 h-6 w-16 rounded-full" />
          <Skeleton className="mt-2 h-6 w-4/5" />
          <Skeleton className="mt-2 h-10 w-3/5" />
        </div>
      ))}
    </div>
  );
}

const grid = 'grid grid-cols-2 gap-x-4 gap-y-9 sm:gap-x-6 md:grid-cols-3 lg:grid-cols-4';
