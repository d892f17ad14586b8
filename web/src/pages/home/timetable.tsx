import { Link } from '@tanstack/react-router';
import { timeParts } from '../../design/time-parts.ts';
import type { EventSummary } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';

/** Openings as a timetable: the day is what people look for. */
export function Timetable({ events, nowMs }: { readonly events: readonly EventSummary[]; readonly nowMs: number }) {
  return (
    <ol className="border-line border-t">
      {events.map((event) => (
        <li key={event.id} className="border-line border-b">
          <Row event={event} nowMs={nowMs} />
        </li>
      ))}
    </ol>
  );
}

function Row({ event, nowMs }: { readonly event: EventSummary; readonly nowMs: number }) {
  const { t, format, pick } = useI18n();
  const opensAt = Date.parse(event.saleOpensAt);
  const day = format.day(opensAt);
  const left = timeParts(opensAt - nowMs);
  const viewer = format.viewerTime(opensAt);
  return (
    <article className="group relative grid grid-cols-[4.5rem_minmax(0,1fr)] items-center gap-x-4 py-5 hover:bg-surface sm:grid-cols-[6rem_minmax(0,1fr)_auto] sm:px-4">
      <time dateTime={event.saleOpensAt} className="leading-tight">
        <span className="block text-ink-soft text-meta">
          {day.month} · {day.weekday}
        </span>
        <span className="block font-black font-figures text-[2.5rem] tabular-nums leading-none">{day.day}</span>
        <span className="mt-1 block font-bold text-meta">{format.time(opensAt)}</span>
      </time>
      <div>
        <h3 className="font-bold text-lead leading-snug">
          <Link
            to="/events/$eventId"
            params={{ eventId: event.id }}
            className="after:absolute after:inset-0 group-hover:underline group-hover:decoration-2 group-hover:underline-offset-4"
          >
            {pick(event.title, event.titleEn)}
          </Link>
        </h3>
        <p className="mt-1 text-[0.9375rem] text-ink-soft">
          {pick(event.artist.name, event.artist.nameEn)} · {pick(event.venue.name, event.venue.nameEn)}
        </p>
        {viewer !== null && (
          <p className="mt-0.5 text-ink-soft text-meta">{t.common.viewerTime(viewer.time, viewer.offset)}</p>
        )}
      </div>
      <p className="col-start-2 mt-1 font-bold text-[0.9375rem] text-indigo tabular-nums sm:col-start-3 sm:mt-0 sm:text-right">
        <span className="sr-only">{t.countdown.opensIn} </span>
        {t.countdown.short(left.days, left.hours, left.minutes, left.seconds)}
      </p>
    </article>
  );
}
