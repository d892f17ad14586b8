import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import type { Order } from '../../payment/order-types.ts';
import type { PayChoice } from '../../payment/pay-choice.ts';
import { orderFor } from '../../payment/use-pay.ts';

export interface PayWindow {
  readonly isOpening: boolean;
  readonly problem: ApiProblem | null;
  open(order: Order, clientKey: string, choice: PayChoice): Promise<void>;
}

/** The provider's own window, where the order has one. It leads back to /success or /fail; only its failure to open is known here. */
export function usePayWindow(): PayWindow {
  const [isOpening, setOpening] = useState(false);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  return {
    isOpening,
    problem,
    async open(order, clientKey, choice) {
      setOpening(true);
      setProblem(null);
      try {
        const { orderId } = await orderFor(order, choice);
        const { openTossWindow } = await import('./toss-window.ts');
        await openTossWindow({ ...order, orderId, clientKey, method: choice.method });
      } catch (error) {
        setProblem(
          error instanceof ApiProblem ? error : new ApiProblem({ code: 'PAY_WINDOW', status: 0, cause: error }),
        );
      } finally {
        setOpening(false);
      }
    },
  };
}
