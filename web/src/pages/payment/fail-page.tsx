import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { buttonClass } from '../../design/button.tsx';
import { PurchaseWordsProvider, usePurchaseWords } from '../../i18n/purchase/words.tsx';
import { readPaymentFailure } from '../../payment/payment-return.ts';
import { Slip } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';

/** Where the provider's window leads back to without a payment. */
export function PaymentFailPage() {
  return (
    <PurchaseWordsProvider>
      <Fail />
    </PurchaseWordsProvider>
  );
}

const closedByBuyer: readonly string[] = ['PAY_PROCESS_CANCELED', 'USER_CANCEL'];

function Fail() {
  const { orderId } = useParams({ from: '/payment/$orderId/fail' });
  const { fail } = usePurchaseWords().pay;
  const [{ code, message }] = useState(() => readPaymentFailure(location.search));
  const said = closedByBuyer.includes(code) ? fail.cancelled : message;
  return (
    <Slip
      tone="amber"
      title={fail.title}
      lead={
        <>
          {said !== '' && <p className="font-bold">{said}</p>}
          <p className="mt-1">{fail.text}</p>
        </>
      }
      actions={
        <>
          <Link to="/payment/$orderId" params={{ orderId }} replace className={buttonClass()}>
            {fail.again}
          </Link>
          <ToReservations />
        </>
      }
    >
      {code !== '' && <p className="text-ink-soft text-meta">{fail.code(code)}</p>}
    </Slip>
  );
}
