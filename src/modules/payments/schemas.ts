import { type Static, Type } from 'typebox';
import { exactly, nullable, oneOf, Time, Uuid } from '#platform/schemas.ts';
import { nameForms } from './domain/name-forms.ts';
import { paymentMethods, paymentStatuses, paymentTypes } from './domain/payment.ts';

/** The pieces that payments' requests and answers are made of. */

const Krw = Type.Integer({ minimum: 0 });
export const OrderId = Type.String(nameForms.orderId);
export const PaymentKey = Type.String(nameForms.paymentKey);

export const RefundAccount = exactly({
  bank: Type.String({ minLength: 1, maxLength: 20, pattern: '^[\\p{L}\\p{N} .-]+$' }),
  number: Type.String({ minLength: 4, maxLength: 30, pattern: '^[0-9-]+$' }),
  holder: Type.String({ minLength: 1, maxLength: 60, pattern: '^[^\\p{Cc}\\p{Cs}]+$' }),
});

const VirtualAccount = Type.Object({ bank: Type.String(), number: Type.String(), depositUntil: Time });

export const Payment = Type.Object({
  id: Uuid,
  orderId: Type.String(),
  paymentKey: nullable(Type.String()),
  paymentType: oneOf(paymentTypes),
  referenceId: Uuid,
  provider: Type.String(),
  method: oneOf(paymentMethods),
  status: oneOf(paymentStatuses),
  amountKrw: Krw,
  capturedKrw: Krw,
  refundedKrw: Krw,
  refundPendingKrw: Type.Integer({ minimum: 0, description: 'on its way back' }),
  account: Type.Union([VirtualAccount, Type.Null()]),
  declineReason: nullable(Type.String()),
  createdAt: Time,
});
export type Payment = Static<typeof Payment>;

/** What was paid for, as far as its buyer needs to know here. */
export const PaidReservation = Type.Object({
  id: Uuid,
  reservationNumber: Type.String(),
  eventId: Uuid,
  status: Type.String(),
  paymentStatus: Type.String(),
  expiresAt: Time,
  attemptsLeft: Type.Integer({ minimum: 0, description: 'how often it can still be tried to be paid for' }),
});
export type PaidReservation = Static<typeof PaidReservation>;

/** `open`: can be paid for. `closed`: no longer, and nothing was charged. */
const orderStates = ['open', 'paying', 'unknown', 'waiting_for_deposit', 'paid', 'refunded', 'closed'] as const;

export const Order = Type.Object({
  orderId: Type.String(),
  orderName: Type.String(),
  paymentType: oneOf(paymentTypes),
  referenceId: Uuid,
  amountKrw: Krw,
  provider: Type.String(),
  method: oneOf(paymentMethods),
  clientKey: nullable(Type.String()),
  sdkUrl: nullable(Type.String({ description: "the script of the provider's window" })),
  expiresAt: Time,
});
export type Order = Static<typeof Order>;

export const OrderView = Type.Object({
  ...Order.properties,
  state: oneOf(orderStates),
  payment: Type.Union([Payment, Type.Null()]),
  reservation: Type.Union([PaidReservation, Type.Null()]),
});
export type OrderView = Static<typeof OrderView>;

export const Settled = Type.Object({ payment: Payment, reservation: Type.Optional(PaidReservation) });
export type Settled = Static<typeof Settled>;

export const manualKinds = [
  'unknown_outcome',
  'refund_stuck',
  'unknown_order',
  'tickets_in_use',
  'amount_differs',
  'late_deposit',
  'reversed_in_use',
  'refunded_elsewhere',
] as const;

export const resolutions = ['retry', 'refund', 'accept', 'never_charged'] as const;

export const ManualItem = Type.Object({
  id: Uuid,
  kind: oneOf(manualKinds),
  orderId: nullable(Type.String()),
  paymentId: nullable(Uuid),
  refundId: nullable(Uuid),
  provider: nullable(Type.String()),
  paymentKey: nullable(Type.String()),
  amountKrw: nullable(Type.Integer()),
  detail: Type.String(),
  openedAt: Time,
  resolvedAt: nullable(Time),
  resolution: nullable(Type.String()),
});
export type ManualItem = Static<typeof ManualItem>;
