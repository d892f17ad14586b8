import { useQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import { buttonClass } from '../../design/button.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import { myPayments } from '../../payment/payment-queries.ts';
import { PaySkeleton } from './pay-skeleton.tsx';
import { Slip } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';
import { TriedOutSlip } from './tried-out.tsx';

/** The hold, or the time for the deposit, is over. Choosing anew leads through the line where one has no slot. */
export function OverSlip({ order }: { readonly order: Order }) {
  const { pay } = usePurchaseWords();
  const wasDeposit = order.payment?.status === 'expired';
  return (
    <Slip
      tone="amber"
      title={wasDeposit ? pay.deposit.over : pay.over.title}
      lead={<p>{wasDeposit ? pay.deposit.overText : pay.over.text}</p>}
      actions={<WaysOn order={order} />}
    />
  );
}

export function ClosedSlip({ order }: { readonly order: Order }) {
  const { pay } = usePurchaseWords();
  if (order.reservation?.status === 'pending') return <TriedOutSlip order={order} reservation={order.reservation} />;
  return (
    <Slip tone="amber" title={pay.closed.title} lead={<p>{pay.closed.text}</p>} actions={<WaysOn order={order} />} />
  );
}

/** Another order has paid for it: its page is shown instead. */
export function ElsewhereSlip({ order }: { readonly order: Order }) {
  const { pay } = usePurchaseWords();
  const payments = useQuery(myPayments);
  const other = payments.data?.get(order.referenceId);
  if (payments.isPending) return <PaySkeleton />;
  if (other !== undefined && other.orderId !== order.orderId) {
    return <Navigate to="/payment/$orderId" params={{ orderId: other.orderId }} replace />;
  }
  return (
    <Slip
      tone="jade"
      title={pay.elsewhere.title}
      lead={<p>{pay.elsewhere.text}</p>}
      actions={<ToReservations isMain />}
    />
  );
}

function WaysOn({ order: { reservation } }: { readonly order: Order }) {
  const { pay } = usePurchaseWords();
  return (
    <>
      {reservation !== null && (
        <Link to="/events/$eventId/seats" params={{ eventId: reservation.eventId }} className={buttonClass()}>
          {pay.over.again}
        </Link>
      )}
      <ToReservations />
    </>
  );
}
