import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type SandboxBehaviour, sandboxCards } from '../../domain/sandbox-cards.ts';
import type { CaptureAnswer, CaptureCall } from '../../ports.ts';
import { aSandboxDatabase } from '../../testing/a-sandbox-database.ts';
import { providerLimits } from '../limits.ts';
import { createSandboxCallbacks, createSandboxProvider } from './index.ts';

const { database, passTime } = await aSandboxDatabase();
const waited: number[] = [];
/** With the limits of the program; waiting is only noted, and time passes by `passTime`. */
const sandbox = createSandboxProvider({ database, pause: async (ms) => waited.push(ms) });

const numberOf = (behaviour: SandboxBehaviour) =>
  sandboxCards.find((card) => card.behaviour === behaviour)?.number ?? 'no such card';

function orderBy(cardNumber: string): CaptureCall {
  const orderId = `order-${randomUUID()}`;
  return {
    ...{ attemptId: randomUUID(), orderId, orderName: 'Two seats', amountKrw: 30_000, method: 'card' },
    paymentKey: sandbox.keyOf({ cardNumber, salt: orderId }),
    depositUntilMs: null,
  };
}

async function standing({ paymentKey }: CaptureCall) {
  const answer = await sandbox.find({ paymentKey });
  return answer.status === 'found' ? answer.payment.status : answer.status;
}

/** What the webhooks about this payment that are due now claim. */
async function heard({ paymentKey }: CaptureCall): Promise<unknown[]> {
  const claims: unknown[] = [];
  const deliver = async (body: unknown) => {
    if (sandbox.readHint(body)?.paymentKey === paymentKey) claims.push((body as { status: unknown }).status);
  };
  await createSandboxCallbacks({ database, deliver }).run(new AbortController().signal);
  return claims;
}

const refundOf = ({ paymentKey }: CaptureCall) => ({
  ...{ refundId: randomUUID(), paymentKey, amountKrw: 10_000, balanceKrw: null, reason: 'cancelled', account: null },
  firstSentAtMs: 0,
});

type Card = (call: CaptureCall, answer: CaptureAnswer) => Promise<void>;
const declinesWith = (reason: string): Card => {
  return async (call, answer) => {
    expect(answer).toMatchObject({ status: 'declined', reason });
    expect(await standing(call)).toBe('failed');
  };
};
const repeatCaptures = async (call: CaptureCall) => {
  expect(await sandbox.capture(call)).toMatchObject({ status: 'captured', payment: { balanceKrw: 30_000 } });
};

const cards: Readonly<Record<SandboxBehaviour, Card>> = {
  async approves(call, answer) {
    expect(answer).toMatchObject({ status: 'captured' });
    expect(await heard(call)).toEqual([]);
  },
  declines: declinesWith('declined'),
  declines_funds: declinesWith('insufficient_funds'),
  declines_expired_card: declinesWith('card_expired'),
  declines_limit: declinesWith('limit_exceeded'),
  async times_out_before(call, answer) {
    expect(answer).toMatchObject({ status: 'unknown' });
    expect(waited).toEqual([providerLimits.captureMs]);
    expect(await standing(call)).toBe('in_progress');
    await repeatCaptures(call);
  },
  async times_out_after(call, answer) {
    expect(answer).toMatchObject({ status: 'unknown' });
    expect(waited).toEqual([providerLimits.captureMs]);
    expect(await standing(call)).toBe('captured');
  },
  async slow(call, answer) {
    expect(answer).toMatchObject({ status: 'unknown' });
    expect(waited).toEqual([providerLimits.captureMs]);
    await passTime(30_000);
    expect(await standing(call)).toBe('in_progress');
    expect(await heard(call)).toEqual([]);
    await passTime(35_000);
    expect(await standing(call)).toBe('captured');
    expect(await heard(call)).toEqual(['captured']);
    await repeatCaptures(call);
  },
  async calls_back_twice(call, answer) {
    expect(answer).toMatchObject({ status: 'captured' });
    await passTime(1_000);
    expect(await heard(call)).toEqual(['captured', 'captured']);
  },
  async contradicts(call, answer) {
    expect(answer).toMatchObject({ status: 'captured' });
    await passTime(3_000);
    expect(await heard(call)).toEqual(['failed']);
    expect(await standing(call)).toBe('captured');
    await passTime(5_000);
    expect(await heard(call)).toEqual(['captured']);
  },
  async fails_once(call, answer) {
    expect(answer).toMatchObject({ status: 'unknown' });
    await repeatCaptures(call);
  },
  async comes_back(call, answer) {
    expect(answer).toMatchObject({ status: 'unknown' });
    expect(await sandbox.capture(call)).toMatchObject({ status: 'unknown' });
    expect(await standing(call)).toBe('unknown');
    expect(await sandbox.refund(refundOf(call))).toMatchObject({ status: 'later', afterMs: expect.any(Number) });
    await passTime(10_000);
    expect(await standing(call)).toBe('in_progress');
    await repeatCaptures(call);
  },
  async refund_times_out_before(call) {
    const refund = refundOf(call);
    expect(await sandbox.refund(refund)).toMatchObject({ status: 'unknown' });
    expect(waited).toEqual([providerLimits.refundMs]);
    expect(await sandbox.refund(refund)).toMatchObject({ status: 'done', payment: { balanceKrw: 20_000 } });
  },
  async refund_times_out_after(call) {
    const refund = refundOf(call);
    expect(await sandbox.refund(refund)).toMatchObject({ status: 'unknown' });
    expect(await sandbox.find(call)).toMatchObject({ payment: { balanceKrw: 20_000 } });
    expect(await sandbox.refund(refund)).toMatchObject({ status: 'done', payment: { balanceKrw: 20_000 } });
  },
};

test.each(sandboxCards.map(({ summary, behaviour }) => [summary, behaviour] as const))('%s', async (_, behaviour) => {
  const call = orderBy(numberOf(behaviour));
  waited.length = 0;
  await cards[behaviour](call, await sandbox.capture(call));
});

test('any other card cannot be used', async () => {
  const call = orderBy('4111111111111111');
  expect(await sandbox.capture(call)).toMatchObject({ status: 'declined', reason: 'not_supported' });
});

test('equal salts give equal keys, and others do not', () => {
  const key = (salt: string) => sandbox.keyOf({ cardNumber: numberOf('approves'), salt });
  expect(key('one')).toBe(key('one'));
  expect(key('one')).not.toBe(key('two'));
});

test('no card number is kept', async () => {
  for (const table of ['sandbox_payments', 'sandbox_movements', 'sandbox_callbacks']) {
    const { rows } = await database.query<{ text: string }>(`SELECT t::text AS text FROM payments.${table} AS t`);
    for (const { number } of sandboxCards) expect(rows.filter(({ text }) => text.includes(number))).toEqual([]);
  }
});
