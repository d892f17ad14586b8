import { expect, test } from 'vitest';
import type { Order } from './order-types.ts';
import { type PayStage, payStage } from './pay-stage.ts';

const nowMs = Date.parse('2026-11-18T10:00:00Z');
const minuteMs = 60_000;

interface Closed {
  readonly reservation: string | null;
  readonly payment: string | null;
  readonly paymentStatus?: string;
}

function stageOfClosed({ reservation, payment, paymentStatus = 'pending' }: Closed): PayStage {
  const order = {
    state: 'closed',
    expiresAt: new Date(nowMs + minuteMs).toISOString(),
    reservation: reservation === null ? null : { status: reservation, paymentStatus },
    payment: payment === null ? null : { status: payment },
  } as unknown as Order;
  return payStage({ order, nowMs, isSending: false, isUnsure: false });
}

test.each<[string, Closed, PayStage]>([
  ['the hold is over', { reservation: 'expired', payment: null }, 'over'],
  ['the deadline of the deposit is over', { reservation: 'expired', payment: 'expired' }, 'over'],
  ['the same, before the reservation has heard', { reservation: 'waiting_for_deposit', payment: 'expired' }, 'over'],
  ['the buyer has cancelled instead of depositing', { reservation: 'cancelled', payment: 'expired' }, 'closed'],
  [
    'the same, before the reservation has heard',
    { reservation: 'waiting_for_deposit', payment: 'expired', paymentStatus: 'refund_requested' },
    'closed',
  ],
  ['declined as often as one hold allows', { reservation: 'pending', payment: 'failed' }, 'closed'],
  ['another order has paid', { reservation: 'confirmed', payment: 'failed' }, 'elsewhere'],
  ['another order waits for a deposit', { reservation: 'waiting_for_deposit', payment: null }, 'elsewhere'],
])('an order that is closed because %s', (_, closed, stage) => {
  expect(stageOfClosed(closed)).toBe(stage);
});
