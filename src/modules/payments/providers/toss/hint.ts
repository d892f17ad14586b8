import type { PaymentProvider } from '../../ports.ts';
import { namesIn, objectIn } from '../hint-names.ts';

/**
 * PAYMENT_STATUS_CHANGED has the payment in `data`; DEPOSIT_CALLBACK is flat and knows no payment key. Neither is signed, both may come twice,
 * late and out of order: nothing but the names is read.
 */
export function readHint(body: unknown): ReturnType<PaymentProvider['readHint']> {
  return namesIn(objectIn(body, 'data') ?? body);
}
