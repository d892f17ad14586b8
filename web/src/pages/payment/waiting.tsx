import { Button } from '../../design/button.tsx';
import { useI18n } from '../../i18n/i18n.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import type { OrderFollowed } from '../../payment/use-order.ts';
import { Slip, SlipFacts } from './slip.tsx';
import { ToReservations } from './to-reservations.tsx';
import { useOrderName } from './use-order-name.ts';

/** Nobody knows yet whether money moved. The one thing not to do is to pay again, so there is no way to. */
export function WaitingSlip({ order, followed }: { readonly order: Order; readonly followed: OrderFollowed }) {
  const { format } = useI18n();
  const { pay } = usePurchaseWords();
  const name = useOrderName(order);
  const { query, isLong } = followed;
  const isLost = query.error !== null || query.fetchStatus === 'paused';
  return (
    <Slip
      tone="indigo"
      title={isLong ? pay.waiting.longTitle : pay.waiting.title}
      lead={
        <>
          <p className="font-extrabold text-title">{pay.waiting.lead}</p>
          <p className="mt-2">{isLong ? pay.waiting.longText : pay.waiting.text}</p>
        </>
      }
      actions={
        <>
          {isLong && (
            <Button busy={query.isFetching} onClick={followed.askAgain}>
              {pay.waiting.check}
            </Button>
          )}
          <ToReservations />
        </>
      }
    >
      <p role="status" className="font-bold not-empty:pb-3">
        {isLost && pay.waiting.lost}
      </p>
      <SlipFacts
        facts={[
          { name: pay.order, value: name },
          { name: pay.amount, value: format.krw(order.amountKrw) },
        ]}
      />
    </Slip>
  );
}
