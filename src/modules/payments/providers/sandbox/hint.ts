import type { PaymentProvider } from '../../ports.ts';
import { nameIn } from '../hint-names.ts';

/** `{ type, paymentKey, orderId, status }`. What it claims is not read: the provider is asked. */
export function readHint(body: unknown): ReturnType<PaymentProvider['readHint']> {
  const paymentKey = nameIn(body, 'paymentKey');
  const orderId = nameIn(body, 'orderId');
  return paymentKey === null && orderId === null ? null : { paymentKey, orderId };
}
