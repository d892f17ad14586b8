import { clockText } from '../design/time-parts.ts';
import { useI18n } from '../i18n/i18n.tsx';
import { HoldAnnouncer } from '../reservations/hold-time.tsx';
import { ticketCount } from '../reservations/live-hold.ts';
import type { Reservation } from '../reservations/reservation-types.ts';
import type { Booking } from './use-booking.ts';

/** While other places are chosen: what is still held, for how long, and the way back. */
export function ChangingNotice({ booking, hold }: { readonly booking: Booking; readonly hold: Reservation }) {
  const { t, format } = useI18n();
  const { holdLeftMs } = booking;
  return (
    <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 rounded-control border-jade border-l-4 bg-jade-wash px-4 py-2">
      <HoldAnnouncer leftMs={holdLeftMs} />
      <p role="timer" className="text-[0.9375rem] tabular-nums">
        {t.seats.nowHeld(t.seats.tickets(format.count(ticketCount(hold))), clockText(holdLeftMs))}
      </p>
      <button
        type="button"
        onClick={() => booking.change(false)}
        className="inline-flex min-h-11 items-center font-bold text-[0.9375rem] underline underline-offset-4"
      >
        {t.seats.keepHeld}
      </button>
    </div>
  );
}
