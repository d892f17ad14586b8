import { Link } from '@tanstack/react-router';
import { Icon } from '../design/icon.tsx';
import type { EventDetail } from '../events/event-types.ts';
import { useI18n } from '../i18n/i18n.tsx';

export interface ChooserHeadingProps {
  readonly event: EventDetail;
  readonly page: 'seats' | 'standing';
}

/** What is being booked, and the way to the other kind of place where there are both. */
export function ChooserHeading({ event, page }: ChooserHeadingProps) {
  const { t, format, pick } = useI18n();
  const hasOther = page === 'seats' ? event.standingCapacity > 0 : event.seatCount > 0;
  return (
    <div className="mb-4">
      <h1 className="font-black text-headline">{page === 'seats' ? t.seats.title : t.seats.standingTitle}</h1>
      <p className="mt-1 text-[0.9375rem] text-ink-soft leading-snug">
        {pick(event.title, event.titleEn)} · {format.date(Date.parse(event.startsAt))}
        <br />
        {t.event.limit(event.purchaseLimit)}
      </p>
      {hasOther && (
        <Link
          to={page === 'seats' ? '/events/$eventId/book' : '/events/$eventId/seats'}
          params={{ eventId: event.id }}
          className="inline-flex min-h-11 items-center gap-1 font-bold text-[0.9375rem] underline underline-offset-4"
        >
          {page === 'seats' ? t.seats.toStanding : t.seats.toSeats}
          <Icon name="right" className="size-4" />
        </Link>
      )}
    </div>
  );
}
