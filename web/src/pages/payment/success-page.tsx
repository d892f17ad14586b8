import { Link, Navigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { QueryView } from '../../app/query-view.tsx';
import { buttonClass } from '../../design/button.tsx';
import { Notice } from '../../design/notice.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { PurchaseWordsProvider, usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import { type PaymentReturn, readPaymentReturn } from '../../payment/payment-return.ts';
import { isSettled, useOrder } from '../../payment/use-order.ts';
import { type PayAct, usePay } from '../../payment/use-pay.ts';
import { usePlaceShownHere } from '../../queue/shown-place.ts';
import { insteadOfOrder } from './gone-order.tsx';
import { PaySkeleton } from './pay-skeleton.tsx';
import { Slip, SlipFacts } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';
import { useFollowers } from './use-followers.ts';
import { useOrderName } from './use-order-name.ts';

/** Where a payment ends well. The provider's window leads back to here, and then the money is still to be taken. */
export function PaymentSuccessPage() {
  return (
    <PurchaseWordsProvider>
      <Success />
    </PurchaseWordsProvider>
  );
}

function Success() {
  const { orderId } = useParams({ from: '/payment/$orderId/success' });
  const { pay } = usePurchaseWords();
  const act = usePay(orderId);
  const [agreed] = useState(() => readPaymentReturn(location.search));
  const followed = useOrder(orderId, act);
  const { query, stage, isLong } = followed;
  const order = query.data;
  const hasConfirmed = useConfirmation(order, agreed, act);
  usePlaceShownHere(order?.reservation?.eventId ?? null);
  useFollowers(order);
  const instead = act.isSending ? null : insteadOfOrder(query.error, `/payment/${orderId}/success${location.search}`);
  if (instead !== null) return instead;
  const isOpen = stage === 'form' || stage === 'sending';
  const isConfirming = agreed !== null && isOpen && (!hasConfirmed || act.isSending);
  return (
    <QueryView query={query} skeleton={<PaySkeleton />}>
      {(found) =>
        isConfirming ? (
          <Slip tone="indigo" title={pay.sending} lead={<p>{pay.sendingText}</p>} actions={null} />
        ) : stage === 'paid' ? (
          <PaidSlip order={found} isLong={isLong} />
        ) : (
          <Navigate to="/payment/$orderId" params={{ orderId }} replace />
        )
      }
    </QueryView>
  );
}

/** Takes the money that the window has agreed on: once, whatever is reloaded, since the key is kept with the intent. */
function useConfirmation(order: Order | undefined, agreed: PaymentReturn | null, act: PayAct): boolean {
  const begun = useRef(false);
  const [hasEnded, setEnded] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the order has been read
  useEffect(() => {
    if (order === undefined || agreed === null || begun.current) return;
    begun.current = true;
    // Whatever became of it already is shown.
    if (order.state !== 'open') return setEnded(true);
    const { paymentKey, amountKrw: amount } = agreed;
    void act.confirm(order, { paymentKey, amount }).finally(() => setEnded(true));
  }, [order, agreed]);
  return hasEnded;
}

function PaidSlip({ order, isLong }: { readonly order: Order; readonly isLong: boolean }) {
  const { t, format } = useI18n();
  const { pay } = usePurchaseWords();
  const { reservation, payment } = order;
  const name = useOrderName(order);
  const hasTickets = isSettled(order);
  const text = hasTickets ? pay.paid.text : isLong ? pay.paid.comingLong : pay.paid.coming;
  return (
    <Slip
      tone="jade"
      title={pay.paid.title}
      lead={<p role="status">{text}</p>}
      actions={
        <>
          <Link to="/my/tickets" className={buttonClass()}>
            {pay.paid.toTickets}
          </Link>
          <ToReservations />
        </>
      }
    >
      <SlipFacts
        facts={[
          { name: pay.order, value: name },
          ...(reservation === null ? [] : [{ name: t.held.number, value: reservation.reservationNumber }]),
          { name: pay.paid.amount, value: format.krw(payment?.capturedKrw ?? order.amountKrw) },
        ]}
      />
      {payment !== null && payment.refundedKrw + payment.refundPendingKrw > 0 && (
        <Notice>
          {pay.refunded.done} {format.krw(payment.refundedKrw + payment.refundPendingKrw)}
        </Notice>
      )}
    </Slip>
  );
}
