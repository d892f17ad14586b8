import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge, type Tone } from '../../design/badge.tsx';
import { buttonClass } from '../../design/button.tsx';
import { Perforation } from '../../design/perforation.tsx';
import type { EventDetail } from '../../events/event-types.ts';
import { useI18n } from '../../i18n/i18n.tsx';
import type { PurchaseWords } from '../../i18n/purchase/ko.ts';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { SeoulTime } from '../../i18n/seoul-time.tsx';
import { PayButton } from '../../payment/pay-button.tsx';
import { PaymentLink } from '../../payment/payment-link.tsx';
import { CancelHoldDialog } from '../../reservations/cancel-hold.tsx';
import { HoldAnnouncer, HoldTime } from '../../reservations/hold-time.tsx';
import { holdState } from '../../reservations/live-hold.ts';
import { ReservationLines } from '../../reservations/reservation-lines.tsx';
import { ticketsOf } from '../../reservations/reservation-queries.ts';
import type { Reservation, Ticket } from '../../reservations/reservation-types.ts';
import { CancelBookingDialog } from './cancel-booking.tsx';

export interface ReservationCardProps {
  readonly reservation: Reservation;
  readonly event: EventDetail | undefined;
  readonly nowMs: number;
  readonly onChanged: () => void;
  /** What is shown may be old. */
  readonly onStale: () => void;
}

export function ReservationCard({ reservation, event, nowMs, onChanged, onStale }: ReservationCardProps) {
  const { t, format, pick } = useI18n();
  const w = usePurchaseWords();
  const [dialog, setDialog] = useState<'hold' | 'booking' | null>(null);
  const hold = holdState(reservation, nowMs);
  const status = hold === 'over' ? 'expired' : reservation.status;
  // Asked for while nothing is paid: there is no refund yet, and nothing to pay any more.
  const isLeaving = hold === 'paying' && reservation.paymentStatus === 'refund_requested';
  const payment = isLeaving ? w.bookings.cancelling : w.bookings.payment[reservation.paymentStatus];
  const tickets = useQuery({ ...ticketsOf(reservation.id), enabled: status === 'partially_cancelled' });
  const leftMs = Date.parse(reservation.expiresAt) - nowMs;
  const hasTickets = status === 'confirmed' || status === 'partially_cancelled';
  const close = () => setDialog(null);
  return (
    <article className="relative overflow-hidden rounded-card border border-line bg-surface">
      <div className="p-5 sm:px-6">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={tones[status]}>{w.bookings.status[status]}</Badge>
          {payment !== '' && <Badge tone="plain">{payment}</Badge>}
          {hold === 'held' && <HoldTime leftMs={leftMs} />}
        </p>
        {hold === 'held' && <HoldAnnouncer leftMs={leftMs} />}
        <h2 className="mt-2 min-h-[1.3em] font-extrabold text-title">
          <Link
            to="/events/$eventId"
            params={{ eventId: reservation.eventId }}
            className="hover:underline hover:underline-offset-4"
          >
            {event === undefined ? reservation.reservationNumber : pick(event.title, event.titleEn)}
          </Link>
        </h2>
        {event !== undefined && (
          <p className="mt-1 text-[0.9375rem] text-ink-soft">
            <SeoulTime at={event.startsAt} /> · {pick(event.venue.name, event.venue.nameEn)}
          </p>
        )}
      </div>
      <Perforation />
      <div className="px-5 pb-5 sm:px-6">
        <ReservationLines reservation={reservation} event={event} marks={cancelledMarks(tickets.data ?? [], w)} />
        <p className="mt-2 text-ink-soft text-meta">
          {t.held.number} <span className="font-bold text-ink tracking-wide">{reservation.reservationNumber}</span> ·{' '}
          {w.bookings.booked} {format.dateTime(Date.parse(reservation.createdAt))}
        </p>
        <p role="status" className="font-bold text-[0.9375rem] not-empty:mt-3">
          {(reservation.refundPendingKrw ?? 0) > 0
            ? w.refund.pending(format.krw(reservation.refundPendingKrw ?? 0))
            : (reservation.refundedKrw ?? 0) > 0 && w.refund.done(format.krw(reservation.refundedKrw ?? 0))}
        </p>
        {reservation.status === 'paying' && !isLeaving && <p className="mt-3 font-bold">{t.held.paying}</p>}
        <div className="mt-4 flex flex-wrap gap-x-5 gap-y-2 empty:hidden">
          {hold === 'held' && reservation.totalKrw > 0 && <PayButton reservation={reservation} onRefused={onStale} />}
          {!isLeaving && <PaymentLink reservation={reservation} />}
          {hold === 'held' && (
            <Link
              to={reservation.seats.length > 0 ? '/events/$eventId/seats' : '/events/$eventId/book'}
              params={{ eventId: reservation.eventId }}
              className={reservation.totalKrw > 0 ? textButton : buttonClass()}
            >
              {w.bookings.continue}
            </Link>
          )}
          {hasTickets && (
            <Link to="/my/tickets" className={buttonClass()}>
              {w.bookings.showTickets}
            </Link>
          )}
          {hold === 'held' && (
            <button type="button" className={textButton} onClick={() => setDialog('hold')}>
              {t.held.giveUp}
            </button>
          )}
          {(hasTickets || (hold === 'paying' && !isLeaving)) && (
            <button type="button" className={textButton} onClick={() => setDialog('booking')}>
              {w.bookings.cancel}
            </button>
          )}
        </div>
      </div>
      {dialog === 'hold' && <CancelHoldDialog reservationId={reservation.id} close={close} done={onChanged} />}
      {dialog === 'booking' && <CancelBookingDialog reservation={reservation} close={close} done={onChanged} />}
    </article>
  );
}

/** Which seats were cancelled, and how many of each kind of standing ticket. */
function cancelledMarks(tickets: readonly Ticket[], w: PurchaseWords): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const { state, seat, area } of tickets) {
    const id = seat?.seatId ?? area?.ticketTypeId;
    if (state === 'void' && id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const isSeat = new Set(tickets.flatMap(({ seat }) => (seat === null ? [] : [seat.seatId])));
  return new Map(
    [...counts].map(([id, count]) => [
      id,
      isSeat.has(id) ? w.bookings.reasons.void : w.bookings.someCancelled(String(count)),
    ]),
  );
}

const textButton =
  'inline-flex min-h-12 items-center font-bold text-[0.9375rem] text-ink-soft underline underline-offset-4 hover:text-ink';

const tones: Readonly<Record<Reservation['status'], Tone>> = {
  pending: 'amber',
  paying: 'indigo',
  waiting_for_deposit: 'indigo',
  confirmed: 'jade',
  partially_cancelled: 'jade',
  cancelled: 'plain',
  expired: 'plain',
  released: 'plain',
};
