import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { isProblem } from '../api/problem.ts';
import { api } from '../app/api.ts';
import { problemText } from '../app/problem-text.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useI18n } from '../i18n/i18n.tsx';
import type { Reservation } from '../reservations/reservation-types.ts';
import { myPayments } from './payment-queries.ts';

export interface PayButtonProps {
  readonly reservation: Reservation;
  readonly wide?: boolean;
  /** It could not be prepared: what is known of the hold may be old. */
  readonly onRefused?: () => void;
}

/** Makes an order of what is held, and leads to its page. The slot may have ended: what is held can still be paid for. */
export function PayButton({ reservation, wide = false, onRefused }: PayButtonProps) {
  const { t, format } = useI18n();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isUnderWay = useRef(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const referenceId = reservation.id;

  const go = async () => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setBusy(true);
    setFailure(null);
    try {
      // Preparing again gives the same order, so it needs no key.
      const { orderId } = await api
        .preparePayment({ body: { paymentType: 'reservation', referenceId, method: 'card' } })
        .catch(async (error: unknown) => {
          // Another tab is at it: its order is shown.
          const under = isProblem(error, 'PAYMENT_IN_PROGRESS') ? await queries.fetchQuery(myPayments) : null;
          const payment = under?.get(referenceId);
          if (payment === undefined) throw error;
          return payment;
        });
      await navigate({ to: '/payment/$orderId', params: { orderId } });
    } catch (error) {
      setFailure(error);
      onRefused?.();
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  return (
    <div className={wide ? undefined : 'min-w-0'}>
      {failure !== null && (
        <div className="mb-3">
          <Notice tone="problem">{problemText(failure, t).text}</Notice>
        </div>
      )}
      <Button wide={wide} busy={busy} onClick={() => void go()}>
        {t.held.pay(format.krw(reservation.totalKrw))}
      </Button>
    </div>
  );
}
