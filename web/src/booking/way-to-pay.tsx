import { useState } from 'react';
import { api } from '../app/api.ts';
import { problemText } from '../app/problem-text.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import { PayButton } from '../payment/pay-button.tsx';
import { leaveSlot } from '../queue/leave-slot.ts';
import type { Reservation } from '../reservations/reservation-types.ts';
import type { Booking } from './use-booking.ts';

/** What costs something is paid for on a page of its own. What costs nothing is confirmed here. */
export function WayToPay({ booking, hold }: { readonly booking: Booking; readonly hold: Reservation }) {
  const { t } = useI18n();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  if (hold.totalKrw > 0) {
    return (
      <div className="mt-5">
        <PayButton reservation={hold} wide onRefused={booking.wake} />
      </div>
    );
  }
  const confirm = async () => {
    setBusy(true);
    setFailure(null);
    try {
      // Repeating it is harmless, so it needs no key.
      const booked = await api.confirmReservation({ params: { reservationId: hold.id } });
      leaveSlot(hold.eventId);
      // Leads to the tickets, in every tab.
      booking.tell({ held: booked, endedId: null });
    } catch (error) {
      setFailure(error);
      setBusy(false);
      booking.wake();
    }
  };
  return (
    <div className="mt-5">
      <p className="text-[0.9375rem]">{t.held.free}</p>
      {failure !== null && (
        <div className="mt-3">
          <Notice tone="problem">{problemText(failure, t).text}</Notice>
        </div>
      )}
      <Button wide className="mt-4" busy={busy} onClick={() => void confirm()}>
        {t.held.confirm}
      </Button>
    </div>
  );
}
