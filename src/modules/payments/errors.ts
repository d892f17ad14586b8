import { defineErrors } from '#platform/errors.ts';

export const paymentErrors = defineErrors({
  PAYMENT_DECLINED: {
    status: 402,
    title: 'The payment was declined',
    help: 'Nothing was charged and the seats stay held for at least two more minutes. `reason` says why in one word, `detail` in a sentence for the buyer. Try another card.',
  },
  // Ticketing's, word for word: the same thing is refused at two doors.
  RESERVATION_EXPIRED: {
    status: 409,
    title: 'The time of this reservation is over',
    help: 'The seats are free again. Choose anew.',
  },
  PAYMENT_IN_PROGRESS: {
    status: 409,
    title: 'This is being paid for right now',
    help: 'Another attempt for the same order has not ended. Do not pay again: read `GET /api/payments/order/{orderId}` until its outcome is known.',
    retryAfterSeconds: 2,
  },
  ORDER_PAID: {
    status: 409,
    title: 'This order is paid for already',
    help: 'Nothing was charged again. `GET /api/payments/order/{orderId}` shows the payment.',
  },
  ORDER_CLOSED: {
    status: 409,
    title: 'This can no longer be paid for',
    help: 'It was cancelled, given up or is over, or it was tried three times. Nothing was charged. Choose anew.',
  },
  AMOUNT_MISMATCH: {
    status: 422,
    title: 'This is not the amount of the order',
    help: 'Nothing was charged. The amount is decided by the server; `amountKrw` says what it is.',
  },
  AMOUNT_TOO_SMALL: {
    status: 422,
    title: 'The provider does not take so little',
    help: '`minimumKrw` is the smallest amount of this method. A total of zero needs no payment at all: confirm the reservation instead.',
  },
  METHOD_MISMATCH: {
    status: 422,
    title: 'This order is paid for in another way',
    help: 'The order was prepared for another method or provider. Prepare it anew with the method that is wanted.',
  },
  REFUND_ACCOUNT_NEEDED: {
    status: 422,
    title: 'A virtual account needs an account to refund to',
    help: 'Give `refundAccount` with bank, number and holder: money that comes too late or goes back is sent there.',
  },
  PAYMENT_NOT_REFUNDABLE: {
    status: 409,
    title: 'This payment cannot be refunded like that',
    help: '`left` says how much of it has not gone back or is on its way. Tickets that are used, sold on or past the doors cannot be cancelled.',
  },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    title: 'The payment provider does not answer',
    help: 'Nothing was charged. Try again after Retry-After; the seats stay held meanwhile.',
    retryAfterSeconds: 3,
  },
  WEBHOOK_UNREADABLE: {
    status: 400,
    title: 'This webhook names no payment',
    help: 'The body has neither a payment key nor an order id.',
  },
});
