import { expect, test } from 'vitest';
import { type PaymentHistory, type PaymentStep, replayPayment } from './replay-payment.ts';

const step = (version: number, status: PaymentStep['status'], more: Partial<PaymentStep> = {}): PaymentStep => ({
  ...{
    id: version,
    version,
    status,
    capturedKrw: 0,
    refundedKrw: 0,
    refundId: null,
    refundStatus: null,
    refundKrw: null,
    kind: null,
    askedKrw: null,
  },
  ...more,
});

/** Captured, and 40 of 100 given back. */
const whole: PaymentHistory = {
  paymentId: 'p',
  status: 'partially_refunded',
  version: 4,
  amountKrw: 100,
  orderKrw: 100,
  capturedKrw: 100,
  refundedKrw: 40,
  isSettled: true,
  isOrphan: false,
  steps: [
    step(1, 'created'),
    step(2, 'capturing'),
    step(3, 'captured', { capturedKrw: 100 }),
    step(3, 'captured', {
      ...{ id: 4, capturedKrw: 100, refundId: 'r', refundStatus: 'requested', refundKrw: 40 },
      ...{ kind: 'cancellation', askedKrw: 40 },
    }),
    step(4, 'partially_refunded', {
      ...{ id: 5, capturedKrw: 100, refundedKrw: 40, refundId: 'r', refundStatus: 'done', refundKrw: 40 },
    }),
  ],
  refunds: [{ refundId: 'r', kind: 'cancellation', status: 'done', amountKrw: 40, askedKrw: 40 }],
};
const [refund] = whole.refunds;
if (refund === undefined) throw new Error('it has a refund');

test('a payment that is what its ledger says has no contradiction', () => {
  expect(replayPayment(whole)).toBeNull();
});

test('a capture that the provider showed after the attempt had ended is possible', () => {
  const steps = [step(1, 'created'), step(2, 'abandoned'), step(3, 'captured', { capturedKrw: 100 })];
  const late = { ...whole, status: 'captured' as const, version: 3, refundedKrw: 0, refunds: [], steps };
  expect(replayPayment(late)).toBeNull();
});

const [created, capturing, captured, asked, done] = whole.steps as [
  ...[PaymentStep, PaymentStep, PaymentStep, PaymentStep, PaymentStep],
];

test.each<[string, Partial<PaymentHistory>]>([
  ['its status', { status: 'captured' }],
  ['its version', { version: 5 }],
  ['what was captured', { capturedKrw: 99 }],
  ['what was refunded', { refundedKrw: 41 }],
  ['no ledger at all', { steps: [] }],
  ['a row that is missing', { steps: [created, captured, asked, done] }],
  ['a step that cannot be', { steps: [created, { ...capturing, status: 'refunded' }, captured, asked, done] }],
  [
    'a refund beyond what was captured',
    { steps: [created, capturing, captured, asked, { ...done, refundedKrw: 140 }] },
  ],
  ['a beginning in the middle', { steps: [capturing, captured, asked, done] }],
  ['a refund that is gone', { refunds: [] }],
  ['a refund of another amount', { refunds: [{ ...refund, amountKrw: 41, askedKrw: 41 }] }],
  ['a refund that was not done', { refunds: [{ ...refund, status: 'failed' }] }],
  ['a refund for something else', { refunds: [{ ...refund, kind: 'goodwill' }] }],
  ['a refund of which more was asked for', { refunds: [{ ...refund, askedKrw: 50 }] }],
  ['a refund from nowhere', { refunds: [refund, { ...refund, refundId: 's', status: 'requested', amountKrw: 1 }] }],
  ['an order of another amount', { orderKrw: 99 }],
  ['an amount that was lowered with its order', { amountKrw: 99, orderKrw: 99 }],
])('a corrupted payment is found: %s', (_, corrupted) => {
  expect(replayPayment({ ...whole, ...corrupted })).toContain('payment p');
});
