import { Type } from 'typebox';
import { defineRoutes } from '#platform/http/contract.ts';
import { exactly, line, oneOf, Page, pageQuery, Uuid } from '#platform/schemas.ts';
import { krwMax } from '../domain/money.ts';
import { paymentMethods, paymentTypes } from '../domain/payment.ts';
import {
  ManualItem,
  manualKinds,
  Order,
  OrderId,
  OrderView,
  Payment,
  PaymentKey,
  RefundAccount,
  resolutions,
  Settled,
} from '../schemas.ts';

const staff = ['operator', 'admin'] as const;
const paying = { access: 'user', rate: 'confirm' } as const;
const payingProblems = [
  'NOT_FOUND',
  'PAYMENT_DECLINED',
  'RESERVATION_EXPIRED',
  'PAYMENT_IN_PROGRESS',
  'ORDER_PAID',
  'ORDER_CLOSED',
  'METHOD_MISMATCH',
  'PROVIDER_UNAVAILABLE',
];

/** Paying and being paid back. Needs no slot: anyone who holds something may pay for it. */
export const paymentRoutes = defineRoutes({
  preparePayment: {
    ...paying,
    operation: 'preparePayment',
    method: 'POST',
    path: '/api/payments/prepare',
    summary: 'What is to be paid, decided by the server; extends the hold once. Repeating it gives the same order',
    idempotency: 'accepted',
    body: exactly({
      paymentType: oneOf(paymentTypes),
      referenceId: Uuid,
      method: oneOf(paymentMethods),
      refundAccount: Type.Optional(RefundAccount),
    }),
    responses: { 201: Order },
    problems: [
      'NOT_FOUND',
      'RESERVATION_EXPIRED',
      'ORDER_CLOSED',
      'PAYMENT_IN_PROGRESS',
      'AMOUNT_TOO_SMALL',
      'REFUND_ACCOUNT_NEEDED',
    ],
  },
  confirmPayment: {
    ...paying,
    operation: 'confirmPayment',
    method: 'POST',
    path: '/api/payments/confirm',
    summary: 'Take the money for an order, once. Repeating it says what became of it',
    description:
      '202 where the provider has not answered in time: the outcome is found out, do not pay again. Seats are kept before anything is charged.',
    idempotency: 'accepted',
    body: exactly({ paymentKey: PaymentKey, orderId: OrderId, amount: Type.Integer({ minimum: 0, maximum: krwMax }) }),
    responses: { 200: Settled, 202: Settled },
    problems: [...payingProblems, 'AMOUNT_MISMATCH'],
  },
  processPayment: {
    ...paying,
    operation: 'processPayment',
    method: 'POST',
    path: '/api/payments/process',
    summary:
      'Pay by a card of the sandbox, in one step; or open its virtual account (no card). Answers as confirm does',
    idempotency: 'accepted',
    body: exactly({
      orderId: OrderId,
      card: Type.Optional(
        exactly({
          number: Type.String({ minLength: 12, maxLength: 23, pattern: '^[0-9 ]+$' }),
          expiry: Type.Optional(Type.String({ maxLength: 7, pattern: '^[0-9/]*$' })),
          owner: Type.Optional(Type.String({ maxLength: 60 })),
        }),
      ),
    }),
    responses: { 200: Settled, 202: Settled },
    problems: payingProblems,
  },
  sandboxDeposit: {
    ...paying,
    operation: 'sandboxDeposit',
    method: 'POST',
    path: '/api/payments/sandbox/:orderId/:act',
    summary: 'Play the bank of the sandbox: the deposit of a virtual account comes, or is taken back',
    description: 'Not found where another provider is in force.',
    params: exactly({ orderId: OrderId, act: oneOf(['deposit', 'reverse']) }),
    responses: { 200: Type.Object({ done: Type.Boolean() }) },
    problems: ['PROVIDER_UNAVAILABLE'],
  },
  cancelPayment: {
    operation: 'cancelPayment',
    method: 'POST',
    path: '/api/payments/:paymentKey/cancel',
    summary:
      'Cancel tickets and give their money back, by the policy for their owner, in full for staff; or give goodwill',
    description:
      '`ticketIds`: only these; without them all that are left. `amountKrw` (staff): a goodwill amount, which voids nothing. `refundAccount`: where the money of a virtual account goes.',
    access: 'user',
    rate: 'write',
    idempotency: 'accepted',
    params: exactly({ paymentKey: PaymentKey }),
    body: exactly({
      ticketIds: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: 100 })),
      amountKrw: Type.Optional(Type.Integer({ minimum: 1, maximum: krwMax })),
      reason: line(200),
      refundAccount: Type.Optional(RefundAccount),
    }),
    responses: { 200: Settled },
    problems: ['FORBIDDEN', 'PAYMENT_NOT_REFUNDABLE'],
  },
  getOrder: {
    operation: 'getOrder',
    method: 'GET',
    path: '/api/payments/order/:orderId',
    summary: 'How an order of mine stands',
    access: 'user',
    rate: 'poll',
    params: exactly({ orderId: OrderId }),
    responses: { 200: OrderView },
  },
  listMyPayments: {
    operation: 'listMyPayments',
    method: 'GET',
    path: '/api/payments/user/me',
    summary: 'My payments, the newest first',
    access: 'user',
    rate: 'read',
    query: exactly(pageQuery),
    responses: { 200: Page(Payment) },
  },
  paymentWebhook: {
    operation: 'paymentWebhook',
    method: 'POST',
    path: '/api/payments/webhooks/:provider',
    summary: 'A hint from a provider that something has changed. It is asked what; the hint itself is not believed',
    access: 'public',
    rate: 'webhook',
    params: exactly({ provider: oneOf(['sandbox', 'toss']) }),
    body: Type.Object({}, { additionalProperties: true }),
    responses: { 200: Type.Object({ received: Type.Boolean() }) },
    problems: ['WEBHOOK_UNREADABLE'],
  },
  listManualPayments: {
    operation: 'listManualPayments',
    method: 'GET',
    path: '/api/admin/payments/manual',
    summary: 'What a person has to look at, the oldest first',
    access: staff,
    rate: 'read',
    query: exactly({ ...pageQuery, kind: Type.Optional(oneOf(manualKinds)), resolved: Type.Optional(Type.Boolean()) }),
    responses: { 200: Page(ManualItem) },
  },
  resolveManualPayment: {
    operation: 'resolveManualPayment',
    method: 'POST',
    path: '/api/admin/payments/manual/:manualId/resolve',
    summary: 'Say what was done about it; audited',
    description:
      '`retry`: try the refund or the question again. `refund`: give the money back. `accept`: nothing more is owed, and what is missing is goodwill; a refund that could not be sent was settled in another way, and an attempt of unknown outcome ends. `never_charged`: seen at the provider that an attempt of unknown outcome took nothing; it fails, and its seats are let go.',
    access: staff,
    rate: 'write',
    params: exactly({ manualId: Uuid }),
    body: exactly({ resolution: oneOf(resolutions), note: line(500) }),
    responses: { 200: ManualItem },
    problems: ['PAYMENT_NOT_REFUNDABLE'],
  },
});
