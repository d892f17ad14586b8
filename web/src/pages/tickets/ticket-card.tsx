import { Badge, type Tone } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Perforation } from '../../design/perforation.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';
import { QrCode } from '../../reservations/qr-code.tsx';
import type { Ticket } from '../../reservations/reservation-types.ts';
import { useTicketCode } from './use-tickets.ts';

/** One ticket, as one shows it at the door: the code white in both themes, the place in large letters. */
export function TicketCard({ name, ticket }: { readonly name: string; readonly ticket: Ticket }) {
  const { t, format, pick } = useI18n();
  const w = usePurchaseWords();
  const { event, seat, area } = ticket;
  const place =
    seat === null
      ? pick(area?.name ?? '', area?.nameEn ?? null)
      : t.seats.seat(t.seats.sectionById(seat.section), seat.row, seat.label);
  return (
    <article className="relative mx-auto w-full max-w-md overflow-hidden rounded-card border border-line bg-surface shadow-lift print:break-inside-avoid print:shadow-none">
      <div className="p-5 sm:p-6">
        <div className="flex items-start justify-between gap-3">
          <h2 className="font-extrabold text-title leading-snug">{pick(event.title, event.titleEn)}</h2>
          <Badge tone={event.cancelled ? 'amber' : tones[ticket.state]}>
            {event.cancelled ? w.bookings.eventCancelled : w.tickets.state[ticket.state]}
          </Badge>
        </div>
        <p className="mt-4 text-ink-soft text-meta">{w.tickets.seat}</p>
        <p className="font-black text-headline">{place}</p>
        {seat !== null && <p className="font-bold">{t.seats.grade(seat.grade)}</p>}
      </div>
      <Perforation />
      <div className="px-5 pb-2 sm:px-6">
        <Code name={name} ticket={ticket} place={place} />
      </div>
      <Perforation />
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 p-5 pt-2 text-[0.9375rem] sm:px-6">
        <div className="col-span-2">
          <dt className="text-ink-soft text-meta">{w.tickets.starts}</dt>
          <dd className="font-bold">
            <SeoulTime at={event.startsAt} />
          </dd>
        </div>
        <div>
          <dt className="text-ink-soft text-meta">{w.tickets.venue}</dt>
          <dd className="font-bold">{pick(event.venue, event.venueEn)}</dd>
        </div>
        {event.doorsAt !== null && (
          <div>
            <dt className="text-ink-soft text-meta">{w.tickets.doors}</dt>
            <dd className="font-bold">{format.time(Date.parse(event.doorsAt))}</dd>
          </div>
        )}
        <div>
          <dt className="text-ink-soft text-meta">{w.tickets.number}</dt>
          <dd className="font-bold tracking-wide">{ticket.reservationNumber}</dd>
        </div>
        <div>
          <dt className="text-ink-soft text-meta">{t.seats.price}</dt>
          <dd className="tabular-nums">{ticket.priceKrw === 0 ? t.common.free : format.krw(ticket.priceKrw)}</dd>
        </div>
      </dl>
    </article>
  );
}

function Code({ name, ticket, place }: { readonly name: string; readonly ticket: Ticket; readonly place: string }) {
  const { t, format } = useI18n();
  const w = usePurchaseWords();
  const { code, isGood, query } = useTicketCode(name, ticket);
  if (!isGood || ticket.event.cancelled) {
    const text =
      ticket.checkedInAt === null
        ? w.tickets.noQr
        : w.tickets.checkedIn(format.dateTime(Date.parse(ticket.checkedInAt)));
    return <p className="rounded-control bg-sunk px-4 py-10 text-center font-bold text-ink-soft">{text}</p>;
  }
  return (
    <div className="mx-auto w-full max-w-64 py-1">
      {code !== undefined ? (
        <QrCode code={code} label={w.tickets.qr(place)} />
      ) : query.error !== null ? (
        <div
          role="alert"
          className="flex aspect-square flex-col items-center justify-center gap-4 rounded-control bg-sunk p-4 text-center"
        >
          <p>{w.tickets.qrFailed}</p>
          <Button look="secondary" busy={query.isFetching} onClick={() => void query.refetch()}>
            {t.common.retry}
          </Button>
        </div>
      ) : (
        <Skeleton className="aspect-square w-full" />
      )}
    </div>
  );
}

const tones: Readonly<Record<Ticket['state'], Tone>> = {
  issued: 'jade',
  listed: 'indigo',
  checked_in: 'plain',
  void: 'plain',
};
