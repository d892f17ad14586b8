import { lazy, Suspense } from 'react';
import { Card } from '../../design/card.tsx';
import { Choice } from '../../design/choice.tsx';
import { Skeleton } from '../../design/skeleton.tsx';
import { usePurchaseWords } from '../../i18n/purchase/words.tsx';
import type { Order } from '../../payment/order-types.ts';
import type { DraftProps } from './draft-props.ts';
import { TestCardFields } from './test-cards.tsx';

export interface MethodProps extends DraftProps {
  readonly order: Order;
}

/** Few ask for it; it is fetched when somebody does. */
const RefundAccountFields = lazy(async () => ({ default: (await import('./refund-account.tsx')).RefundAccountFields }));

export function Method({ order, draft, change, wrong }: MethodProps) {
  const w = usePurchaseWords();
  const methods = (['card', 'virtual_account'] as const).map((value) => ({ value, label: w.pay.methods[value] }));
  return (
    <Card className="mt-5 p-5 sm:p-6">
      <Choice legend={w.pay.method} options={methods} value={draft.method} onChange={(method) => change({ method })} />
      {order.clientKey !== null && <p className="mt-4 text-[0.9375rem]">{w.pay.toss}</p>}
      {draft.method === 'virtual_account' ? (
        <Suspense fallback={<Skeleton className="mt-4 h-64 w-full" />}>
          <RefundAccountFields draft={draft} change={change} wrong={wrong} />
        </Suspense>
      ) : (
        order.clientKey === null && (
          <TestCardFields
            number={draft.cardNumber}
            onChange={(cardNumber) => change({ cardNumber })}
            isWrong={wrong.includes('cardNumber')}
          />
        )
      )}
    </Card>
  );
}
