import { callerHeaders } from '#platform/http/names.ts';
import { planOf } from './behaviours.ts';
import { seoulTime, shownPayment } from './shown.ts';
import type { FakePayment, FakeState, FakeWebhook } from './state.ts';

const minuteMs = 60_000;
/** Of one delivery. */
const limitMs = 10_000;
/** After 1, 4, 16, 64, 256, 1024 and 4096 minutes; then no more. */
const retriesMax = 7;

/** PAYMENT_STATUS_CHANGED, as often and in such an order as the payment's plan wants. */
export function announce(state: FakeState, payment: FakePayment, nowMs: number): void {
  push(state, payment, nowMs, (status) => ({
    eventType: 'PAYMENT_STATUS_CHANGED',
    createdAt: seoulTime(nowMs).slice(0, 19),
    data: { ...shownPayment(payment), status },
  }));
}

/** Deposits have a webhook of their own beside: flat, and it knows no payment key. */
export function announceDeposit(state: FakeState, payment: FakePayment, nowMs: number): void {
  announce(state, payment, nowMs);
  push(state, payment, nowMs, (status) => ({
    createdAt: seoulTime(nowMs).slice(0, 19),
    secret: `ps_${payment.paymentKey}`,
    orderId: payment.orderId,
    transactionKey: payment.lastTransactionKey,
    status,
  }));
}

function push(state: FakeState, payment: FakePayment, nowMs: number, bodyOf: (status: string) => object): void {
  const { webhooks } = planOf(payment.behaviour);
  if (webhooks === 'never') return;
  const dueAtMs = nowMs + (webhooks === 'late' ? 10 * minuteMs : 0);
  const statuses = {
    once: [payment.status],
    late: [payment.status],
    twice: [payment.status, payment.status],
    // What is so comes first; then what was before, and what never was.
    contradictory: [payment.status, 'CANCELED', 'IN_PROGRESS', 'DONE', 'WAITING_FOR_DEPOSIT', 'ABORTED'],
  }[webhooks ?? 'once'];
  for (const status of statuses) state.webhooks.push({ id: state.nextId++, body: bodyOf(status), dueAtMs, tries: 0 });
}

/** Sends what is due, one after the other. Only 200 counts as taken. */
export async function deliverDue(
  { state, url }: { state: FakeState; url: string },
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (const webhook of state.webhooks.filter(({ dueAtMs }) => dueAtMs <= now())) {
    if (signal.aborted) return;
    if (await isTaken(url, webhook, signal)) {
      drop(state, webhook);
      continue;
    }
    webhook.tries++;
    webhook.dueAtMs = now() + 4 ** (webhook.tries - 1) * minuteMs;
    if (webhook.tries <= retriesMax) continue;
    drop(state, webhook);
    state.given++;
  }
}

function drop(state: FakeState, { id }: FakeWebhook): void {
  state.webhooks = state.webhooks.filter((webhook) => webhook.id !== id);
}

async function isTaken(url: string, { body }: FakeWebhook, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { [callerHeaders.contentType]: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([signal, AbortSignal.timeout(limitMs)]),
    });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
