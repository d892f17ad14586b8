import type { Order } from '../../payment/order-types.ts';
import type { PayStage } from '../../payment/pay-stage.ts';
import type { OrderFollowed } from '../../payment/use-order.ts';
import { DepositSlip } from './deposit.tsx';
import { ClosedSlip, ElsewhereSlip, OverSlip } from './ended.tsx';
import { RefundedSlip } from './refunded.tsx';
import { WaitingSlip } from './waiting.tsx';

export interface LaterStepProps {
  readonly order: Order;
  readonly followed: OrderFollowed;
  readonly stage: Exclude<PayStage, 'form' | 'sending' | 'paid'>;
}

/** What there is to say once nothing can be filled in any more. */
export function LaterStep({ order, followed, stage }: LaterStepProps) {
  switch (stage) {
    case 'waiting':
      return <WaitingSlip order={order} followed={followed} />;
    case 'deposit':
      return <DepositSlip order={order} nowMs={followed.nowMs} />;
    case 'refunded':
      return <RefundedSlip order={order} />;
    case 'over':
      return <OverSlip order={order} />;
    case 'elsewhere':
      return <ElsewhereSlip order={order} />;
    case 'closed':
      return <ClosedSlip order={order} />;
  }
}
