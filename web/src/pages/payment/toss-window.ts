import { ANONYMOUS, loadTossPayments } from '@tosspayments/tosspayments-sdk';
import type { PayMethod } from '../../payment/order-types.ts';

export interface TossOrder {
  readonly orderId: string;
  readonly orderName: string;
  readonly amountKrw: number;
  readonly clientKey: string;
  /** Where Toss's script is; null: where the package knows it to be. */
  readonly sdkUrl: string | null;
  readonly method: PayMethod;
}

/** Opens the window of Toss Payments, which leaves this page and leads back to /success or /fail. */
export async function openTossWindow(order: TossOrder): Promise<void> {
  const { orderId, orderName, amountKrw, clientKey, sdkUrl, method } = order;
  const toss = await loadTossPayments(clientKey, sdkUrl === null ? {} : { src: sdkUrl });
  const back = `${location.origin}/payment/${encodeURIComponent(orderId)}`;
  const request = {
    amount: { currency: 'KRW', value: amountKrw },
    orderId,
    orderName,
    successUrl: `${back}/success`,
    failUrl: `${back}/fail`,
  };
  const payment = toss.payment({ customerKey: ANONYMOUS });
  if (method === 'card') await payment.requestPayment({ ...request, method: 'CARD' });
  else await payment.requestPayment({ ...request, method: 'VIRTUAL_ACCOUNT' });
}
