import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { TabTitle } from '../app/tab-title.tsx';
import { Notice } from '../design/notice.tsx';
import { Perforation } from '../design/perforation.tsx';
import { oneEvent } from '../events/event-queries.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { PaymentLink } from '../payment/payment-link.tsx';
import { CancelHoldDialog } from '../reservations/cancel-hold.tsx';
import { HoldAnnouncer, HoldTime } from '../reservations/hold-time.tsx';
import { ReservationLines } from '../reservations/reservation-lines.tsx';
import type { Reservation } from '../reservations/reservation-types.ts';
import type { Booking } from './use-booking.ts';
import { useHoldStanding } from './use-hold-standing.ts';
import { WayToPay } from './way-to-pay.tsx';

/** What one holds, until when, and everything that can be done about it. */
export function Held({ booking, hold }: { readonly booking: Booking; readonly hold: Reservation }) {
  const { t, format, pick } = useI18n();
  const event = useQuery(oneEvent(hold.eventId)).data;
  useHoldStanding(booking, hold);
  const [isGivingUp, setGivingUp] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  // What had the focus, the button to hold, is gone.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    // Newer browsers answer with a promise, which is nothing to clean up by.
    void scrollTo({ top: 0 });
  }, []);
  const isPending = booking.holdState === 'held';
  return (
    <div className="mx-auto mt-5 max-w-2xl">
      <TabTitle>{t.held.title}</TabTitle>
      {isPending && <HoldAnnouncer leftMs={booking.holdLeftMs} />}
      {!booking.hasSlot && (
        <div className="mb-4">
          <Notice tone="warning">{t.held.slotOver}</Notice>
        </div>
      )}
      <section
        aria-labelledby="held-title"
        className="relative overflow-hidden rounded-card border border-line bg-surface shadow-lift"
      >
        <div className="bg-jade-wash p-5 sm:p-7">
          {event !== undefined && <p className="font-bold text-ink-soft">{pick(event.title, event.titleEn)}</p>}
          <h1 id="held-title" ref={heading} tabIndex={-1} className="mt-1 font-black text-headline outline-none">
            {t.held.title}
          </h1>
          {isPending ? (
            <>
              <p className="mt-2 text-title">
                <HoldTime leftMs={booking.holdLeftMs} />
              </p>
              <p className="mt-1 text-[0.9375rem] text-ink-soft">
                {t.held.until(format.time(Date.parse(hold.expiresAt)))}
              </p>
            </>
          ) : (
            <p className="mt-2 font-bold">{hold.status === 'paying' ? t.held.paying : t.held.deposit}</p>
          )}
        </div>
        <Perforation />
        <div className="px-5 pb-5 sm:px-7">
          <ReservationLines reservation={hold} event={event} />
          <p className="mt-2 text-ink-soft text-meta">
            {t.held.number} <span className="font-bold text-ink tracking-wide">{hold.reservationNumber}</span>
          </p>
          {isPending ? <WayToPay booking={booking} hold={hold} /> : <PaymentLink reservation={hold} wide />}
          <div className="mt-5 flex flex-wrap gap-x-5 gap-y-1">
            {isPending && booking.hasSlot && (
              <button type="button" className={textButton} onClick={() => booking.change(true)}>
                {hold.seats.length > 0 ? t.held.change : t.held.changePlaces}
              </button>
            )}
            {isPending && (
              <button type="button" className={textButton} onClick={() => setGivingUp(true)}>
                {t.held.giveUp}
              </button>
            )}
            <Link to="/my/reservations" className={textButton}>
              {t.held.toReservations}
            </Link>
          </div>
        </div>
      </section>
      {isGivingUp && (
        <CancelHoldDialog
          reservationId={hold.id}
          close={() => setGivingUp(false)}
          done={() => booking.tell({ held: null, endedId: hold.id })}
        />
      )}
    </div>
  );
}

const textButton =
  'inline-flex min-h-11 items-center font-bold text-[0.9375rem] text-ink-soft underline underline-offset-4 hover:text-ink';

export { ChangingNotice } from './changing-notice.tsx';
