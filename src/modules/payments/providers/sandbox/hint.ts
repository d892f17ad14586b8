import type { PaymentProvider } from '../../ports.ts';

/** Longer than any key or order; what is longer was not sent by the sandbox. */
const nameMax = 200;

/** `{ type, paymentKey, orderId, status }`. What it claims is not read: the provider is asked. */
export function readHint(body: unknown): ReturnType<PaymentProvider['readHint']> {
  const paymentKey = nameIn(body, 'paymentKey');
  const orderId = nameIn(body, 'orderId');
  return paymentKey === null && orderId === null ? null : { paymentKey, orderId };
}

function nameIn(body: unknown, member: string): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const value: unknown = Object.getOwnPropertyDescriptor(body, member)?.value;
  return typeof value === 'string' && value !== '' && value.length <= nameMax ? value : null;
}
