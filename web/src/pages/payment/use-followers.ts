import { useEffect, useRef } from 'react';
import { api } from '../../app/api.ts';
import { tellHoldNews } from '../../booking/hold-news.ts';
import type { Order } from '../../payment/order-types.ts';
import { tellPaymentNews } from '../../payment/payment-news.ts';
import { leaveSlot } from '../../queue/leave-slot.ts';

/** When the reservation of an order moves on, every tab of this browser hears of it: those that pay, and those with the seats. */
export function useFollowers(order: Order | undefined): void {
  const reservation = order?.reservation ?? null;
  const status = reservation?.status;
  const before = useRef<string | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what becomes of it is news
  useEffect(() => {
    if (reservation === null || status === undefined) return;
    const isNews = before.current !== undefined && before.current !== status;
    before.current = status;
    // The slot has done its work. The server ends it too; this way it is not told as a loss.
    if (status === 'confirmed') leaveSlot(reservation.eventId);
    if (!isNews) return;
    tellPaymentNews(reservation.id);
    void api.getReservation({ params: { reservationId: reservation.id } }).then(
      (held) => tellHoldNews(reservation.eventId, { held, endedId: null }),
      // Those tabs ask by themselves, a little later.
      () => undefined,
    );
  }, [reservation?.id, status]);
}
