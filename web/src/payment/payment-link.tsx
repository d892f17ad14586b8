import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../design/button.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import type { Reservation } from '../reservations/reservation-types.ts';
import { myPayments } from './payment-queries.ts';

export interface PaymentLinkProps {
  readonly reservation: Reservation;
  readonly wide?: boolean;
}

/** The way back to a payment that is under way, or that waits for its deposit. */
export function PaymentLink({ reservation: { id, status }, wide = false }: PaymentLinkProps) {
  const { t } = useI18n();
  const isUnderWay = status === 'paying' || status === 'waiting_for_deposit';
  const payment = useQuery({ ...myPayments, enabled: isUnderWay }).data?.get(id);
  if (!isUnderWay || payment === undefined) return null;
  return (
    <div className={wide ? 'mt-5' : undefined}>
      <Link to="/payment/$orderId" params={{ orderId: payment.orderId }} className={buttonClass({ wide })}>
        {status === 'paying' ? t.held.payState : t.held.depositState}
      </Link>
    </div>
  );
}
