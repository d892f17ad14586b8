import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import { CancelHoldDialog } from '../../reservations/cancel-hold.tsx';
import { Slip } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';

export interface TriedOutSlipProps {
  readonly order: Order;
  readonly reservation: NonNullable<Order['reservation']>;
}

/** Declined as often as one hold allows. The places are still held, so the way on is to give them up. */
export function TriedOutSlip({ order, reservation: { id, eventId } }: TriedOutSlipProps) {
  const { pay } = usePurchaseWords();
  const navigate = useNavigate();
  const [isGivingUp, setGivingUp] = useState(false);
  const reasons: Readonly<Record<string, string>> = pay.declined.reasons;
  return (
    <Slip
      tone="seal"
      title={pay.triedOut.title}
      lead={
        <>
          <p>{reasons[order.payment?.declineReason ?? 'declined']}</p>
          <p className="mt-1">{pay.triedOut.text}</p>
        </>
      }
      actions={
        <>
          <Button onClick={() => setGivingUp(true)}>{pay.triedOut.giveUp}</Button>
          <ToReservations />
        </>
      }
    >
      {isGivingUp && (
        <CancelHoldDialog
          reservationId={id}
          close={() => setGivingUp(false)}
          done={() => void navigate({ to: '/events/$eventId/seats', params: { eventId }, replace: true })}
        />
      )}
    </Slip>
  );
}
