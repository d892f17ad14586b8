import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../design/button.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import { Slip, SlipFacts } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';

/** The money went back, or is on its way: by a cancellation, or because there was nothing to give for it. */
export function RefundedSlip({ order: { payment, reservation } }: { readonly order: Order }) {
  const { format } = useI18n();
  const { pay } = usePurchaseWords();
  const status = payment?.status;
  const isPending = (payment?.refundPendingKrw ?? 0) > 0 || status === 'orphaned';
  const text =
    status === 'orphaned' ? pay.refunded.orphaned : status === 'reversed' ? pay.refunded.reversed : pay.refunded.text;
  return (
    <Slip
      tone="amber"
      title={isPending ? pay.refunded.pending : pay.refunded.title}
      lead={<p>{text}</p>}
      actions={
        <>
          {reservation !== null && (
            <Link to="/events/$eventId" params={{ eventId: reservation.eventId }} className={buttonClass()}>
              {pay.toEvent}
            </Link>
          )}
          <ToReservations />
        </>
      }
    >
      {payment !== null && (
        <SlipFacts
          facts={[
            { name: pay.paid.amount, value: format.krw(payment.capturedKrw) },
            { name: pay.refunded.done, value: format.krw(payment.refundedKrw) },
            ...(payment.refundPendingKrw > 0
              ? [{ name: pay.refunded.onTheWay, value: format.krw(payment.refundPendingKrw) }]
              : []),
          ]}
        />
      )}
    </Slip>
  );
}
