import { type Static, Type } from 'typebox';
import { defineTopic, type EventOf } from '#platform/bus/port.ts';
import { nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { paymentTypes, refundKinds } from './domain/payment.ts';

/** Its messages are written by SQL (`urr.append_event`), which reckons with this many. */
const paymentTopicPartitions = 3;

/** The whole outcome of a payment, in every message: a reader keeps the highest `version` of an attempt and needs no history. */
const payment = {
  attemptId: Uuid,
  orderId: Type.String({ minLength: 1, maxLength: 64 }),
  /** Grows with every change of the payment. */
  version: Type.Integer({ minimum: 1 }),
  paymentType: oneOf(paymentTypes),
  /** Of the reservation, the transfer or the membership. */
  referenceId: Uuid,
  userId: Uuid,
  provider: Type.String(),
  paymentKey: nullable(Type.String()),
  amountKrw: Type.Integer({ minimum: 0 }),
  capturedKrw: Type.Integer({ minimum: 0 }),
  refundedKrw: Type.Integer({ minimum: 0 }),
  at: Time,
};

export const paymentEvents = defineTopic({
  name: 'payment-events',
  key: 'orderId',
  partitions: paymentTopicPartitions,
  retention: 'forever',
  types: {
    PAYMENT_CONFIRMED: {
      version: 1,
      summary: 'The money was captured.',
      data: Type.Object(payment),
    },
    PAYMENT_FAILED: {
      version: 1,
      summary: 'An attempt ended without a capture: declined, abandoned, or a deposit that did not come in time.',
      data: Type.Object({ ...payment, reason: Type.String() }),
    },
    PAYMENT_WAITING_FOR_DEPOSIT: {
      version: 1,
      summary: 'A virtual account was given out; the seats stay until its deadline.',
      data: Type.Object({ ...payment, depositUntil: Time }),
    },
    PAYMENT_REFUNDED: {
      version: 1,
      summary: 'Money went back. `refundedKrw` is the sum so far, with what a person has settled in another way.',
      data: Type.Object({
        ...payment,
        refundId: Uuid,
        refundKrw: Type.Integer({ minimum: 0 }),
        /** Of the cancellation that asked for it; null for one that was found at the provider. */
        cancellationId: nullable(Uuid),
        ticketIds: Type.Array(Uuid),
        /** Goodwill voids nothing. Older messages do not say it. */
        kind: Type.Optional(oneOf(refundKinds)),
      }),
    },
    PAYMENT_REVERSED: {
      version: 1,
      summary: 'The provider took a deposit back after it was captured. Counts as refunded.',
      data: Type.Object({ ...payment, reason: Type.String() }),
    },
  },
});

export type PaymentEvent = EventOf<typeof paymentEvents>;
export type PaymentConfirmed = Static<(typeof paymentEvents)['types']['PAYMENT_CONFIRMED']['data']>;
