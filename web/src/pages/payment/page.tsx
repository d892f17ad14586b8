import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { QueryView } from '../../app/query-view.tsx';
import { TabTitle } from '../../app/tab-title.tsx';
import { useSoon } from '../../booking/use-soon.ts';
import { PurchaseWordsProvider, usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import { type OrderFollowed, useOrder } from '../../payment/use-order.ts';
import { type PayAct, usePay } from '../../payment/use-pay.ts';
import { usePlaceShownHere } from '../../queue/shown-place.ts';
import { insteadOfOrder } from './gone-order.tsx';
import { PayForm } from './pay-form.tsx';
import { PaySkeleton } from './pay-skeleton.tsx';
import { useFollowers } from './use-followers.ts';
import { useOwnDocument } from './use-own-document.ts';

export function PaymentPage() {
  return (
    <PurchaseWordsProvider>
      <Payment />
    </PurchaseWordsProvider>
  );
}

function Payment() {
  const { orderId } = useParams({ from: '/payment/$orderId' });
  const w = usePurchaseWords();
  const act = usePay(orderId);
  const followed = useOrder(orderId, act);
  const { query } = followed;
  usePlaceShownHere(query.data?.reservation?.eventId ?? null);
  useFollowers(query.data);
  useSoon(loadLaterStep);
  const instead = act.isSending ? null : insteadOfOrder(query.error, `/payment/${orderId}`);
  if (instead !== null) return instead;
  return (
    <>
      <TabTitle>{w.pay.title}</TabTitle>
      <QueryView query={query} skeleton={<PaySkeleton />}>
        {(order) => <PayStep order={order} followed={followed} act={act} />}
      </QueryView>
    </>
  );
}

interface PayStepProps {
  readonly order: Order;
  readonly followed: OrderFollowed;
  readonly act: PayAct;
}

function PayStep({ order, followed, act }: PayStepProps) {
  const { orderId } = order;
  const isOwn = useOwnDocument(order.clientKey !== null && followed.stage === 'form');
  if (!isOwn) return <PaySkeleton />;
  switch (followed.stage) {
    case 'form':
    case 'sending':
      return <PayForm order={order} act={act} nowMs={followed.nowMs} isSending={followed.stage === 'sending'} />;
    case 'paid':
      return <ToSuccess orderId={orderId} />;
    case null:
      return <PaySkeleton />;
    default:
      return (
        <Suspense fallback={<PaySkeleton />}>
          <LaterStep order={order} followed={followed} stage={followed.stage} />
        </Suspense>
      );
  }
}

/** Not needed before something was pressed, and fetched as soon as there is nothing else to do. */
const loadLaterStep = () => import('./later-step.tsx');
const LaterStep = lazy(async () => ({ default: (await loadLaterStep()).LaterStep }));

/** Not `Navigate`: a step that was left with the payment under way must not hold it up. */
function ToSuccess({ orderId }: { readonly orderId: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ to: '/payment/$orderId/success', params: { orderId }, replace: true, ignoreBlocker: true });
  }, [navigate, orderId]);
  return <PaySkeleton />;
}
