import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../design/button.tsx';
import { Perforation } from '../../design/perforation.tsx';
import { Poster } from '../../design/poster.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import type { EventSummary } from '../../events/event-types.ts';
import { OpeningAnnouncer, OpeningCountdown } from '../../events/opening-countdown.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';

/** The sale that opens first, as a ticket whose stub is the countdown. */
export function NextOpening({ event }: { readonly event: EventSummary }) {
  const { t, pick } = useI18n();
  return (
    <section aria-labelledby="next-opening" className={ticket}>
      <Poster imageUrl={event.imageUrl} seed={event.id} alt="" eager className={picture} />
      <div className="flex flex-col justify-center p-5 sm:p-8">
        <p className="font-bold text-meta text-seal">{t.home.nextOpening}</p>
        <h2 id="next-opening" className="mt-2 font-black text-display">
          {pick(event.title, event.titleEn)}
        </h2>
        <p className="mt-3 text-ink-soft">
          {pick(event.artist.name, event.artist.nameEn)} · {pick(event.venue.name, event.venue.nameEn)}
        </p>
      </div>
      <Perforation upright />
      <div className="flex flex-col justify-center p-5 sm:p-7">
        <p className="font-bold text-[0.9375rem]">{t.countdown.opensIn}</p>
        <div className="mt-3">
          <OpeningCountdown opensAt={Date.parse(event.saleOpensAt)} size="small" />
        </div>
        <p className="mt-3 min-h-6 text-[0.9375rem]">
          <SeoulTime at={event.saleOpensAt} />
        </p>
        <Link to="/events/$eventId" params={{ eventId: event.id }} className={`${buttonClass({ wide: true })} mt-5`}>
          {t.home.details}
        </Link>
      </div>
      <OpeningAnnouncer opensAt={Date.parse(event.saleOpensAt)} />
    </section>
  );
}

export function NextOpeningSkeleton() {
  return (
    <div className={ticket}>
      <Skeleton className={`${picture} rounded-none`} />
      <div className="flex flex-col justify-center gap-3 p-5 sm:p-8">
        <Skeleton className="h-5 w-24" />
        <Skeleton className="h-10 w-4/5" />
        <Skeleton className="h-6 w-3/5" />
      </div>
      <Perforation upright />
      <div className="flex flex-col justify-center gap-3 p-5 sm:p-7">
        <Skeleton className="h-6 w-28" />
        <Skeleton className="h-17 w-full" />
        <Skeleton className="h-6 w-3/5" />
        <Skeleton className="mt-2 h-12 w-full" />
      </div>
    </div>
  );
}

const ticket =
  'relative mt-6 overflow-hidden rounded-card border border-line bg-surface shadow-lift md:grid md:min-h-88 md:grid-cols-[minmax(0,15rem)_minmax(0,1fr)_1.25rem_minmax(0,21rem)]';
const picture = 'aspect-[16/9] w-full md:aspect-auto md:h-full';
