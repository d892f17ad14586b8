import type { PaymentProvider } from '../../ports.ts';
import { namesIn } from '../hint-names.ts';

/** `{ type, paymentKey, orderId, status }`. What it claims is not read: the provider is asked. */
export function readHint(body: unknown): ReturnType<PaymentProvider['readHint']> {
  return namesIn(body);
}
