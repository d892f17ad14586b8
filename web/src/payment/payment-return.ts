/** What the provider's window says when it leads back to us after the buyer has agreed to pay. */
export interface PaymentReturn {
  readonly paymentKey: string;
  readonly amountKrw: number;
}

/** Read from the address itself: the router would take a key of digits for a number. Null: it says nothing of the kind. */
export function readPaymentReturn(search: string): PaymentReturn | null {
  const said = new URLSearchParams(search);
  const paymentKey = said.get('paymentKey') ?? '';
  const amount = said.get('amount') ?? '';
  return paymentKey === '' || !/^\d{1,12}$/.test(amount) ? null : { paymentKey, amountKrw: Number(amount) };
}

/** And when it leads back without a payment. */
export interface PaymentFailure {
  readonly code: string;
  readonly message: string;
}

/** More than any provider says; a longer text is somebody's joke. */
const messageLengthMax = 200;

export function readPaymentFailure(search: string): PaymentFailure {
  const said = new URLSearchParams(search);
  const code = said.get('code') ?? '';
  return {
    code: /^[A-Z0-9_]{1,60}$/.test(code) ? code : '',
    message: (said.get('message') ?? '').slice(0, messageLengthMax),
  };
}
