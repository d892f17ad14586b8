import { inParallel } from '#platform/concurrency/in-parallel.ts';
import type { Job } from '#platform/module.ts';
import { namedId, refundIdOf } from '../domain/named-ids.ts';
import { nextQuestionMs, sagaTimes } from '../domain/schedule.ts';
import type { PaymentProvider, PaymentsDeps } from '../ports.ts';
import type { Captures } from '../service/captures.ts';
import type { ManualList } from '../service/manual-list.ts';
import type { Outcomes } from '../service/outcomes.ts';
import type { Payables } from '../service/payables.ts';
import { findOrder, type OrderRecord } from '../storage/orders.ts';
import { checkAgain, findPayment, type PaymentRecord, settle, takeDue, tellAgain } from '../storage/payments.ts';

const everyMs = 1_000;
const atOnce = 8;
const takenMax = 32;

type ChecksDeps = Pick<PaymentsDeps, 'database' | 'bus' | 'logger' | 'metrics'> & {
  readonly providerOf: (name: string) => PaymentProvider | null;
  readonly outcomes: Outcomes;
  readonly captures: Captures;
  readonly payables: Payables;
  readonly manual: ManualList;
};

/** By the database's clock, as all times of an attempt are. */
type Look = ChecksDeps & { readonly nowMs: number };

/**
 * The owner of every attempt that stands still: whatever process began it, and wherever it ended. An attempt says itself when it is to be
 * looked at next; the one who looks has it for a minute.
 */
export function createChecks(deps: ChecksDeps): Job {
  const { database, logger, metrics } = deps;
  const looked = metrics.counter('urr_payments_checked_total', 'Attempts that stood still and were looked at.', [
    'status',
  ]);
  return {
    name: 'payments-checks',
    everyMs,
    async run(signal) {
      for (;;) {
        const { due, nowMs } = await takeDue(database, takenMax);
        await inParallel(due, atOnce, async (payment) => {
          looked.inc({ status: payment.status });
          try {
            await lookAt(payment, { ...deps, nowMs });
          } catch (error) {
            logger.error(
              { err: error, paymentId: payment.paymentId },
              'a payment could not be looked at; it is in a minute',
            );
          }
        });
        if (due.length < takenMax || signal.aborted) return;
      }
    },
  };
}

async function lookAt(payment: PaymentRecord, deps: Look): Promise<void> {
  switch (payment.status) {
    case 'created':
      await deps.outcomes.failed(payment, 'abandoned', { code: 'ABANDONED', reason: 'not_started' });
      return;
    case 'capturing':
      return isInHand(payment, deps.nowMs)
        ? checkAgain(deps.database, payment.paymentId, sagaTimes.abandonedAfterMs)
        : ask(payment, deps);
    case 'unknown':
      return ask(payment, deps);
    case 'waiting_for_deposit':
      return closeAccount(payment, deps);
    case 'captured':
    case 'partially_refunded':
      return lookForTickets(payment, deps);
    case 'reversed':
      return closeReversed(payment, deps);
    default:
      return checkAgain(deps.database, payment.paymentId, null);
  }
}

/** The process that began it may still wait for the provider; two answers at once help nobody. */
function isInHand({ changedAtMs }: PaymentRecord, nowMs: number): boolean {
  return nowMs - changedAtMs < sagaTimes.abandonedAfterMs;
}

/** Only a state in which nothing more can happen is proof. Else the capture is repeated with the same key, or cancelled. */
async function ask(payment: PaymentRecord, deps: Look): Promise<void> {
  const { database, nowMs, outcomes, captures, manual } = deps;
  const { provider, order, paymentKey } = await whereItIs(payment, deps);
  const unknownForMs = nowMs - (payment.unknownSinceMs ?? payment.changedAtMs);
  const answer = await provider.find({ paymentKey });
  const now = answer.status === 'found' ? await outcomes.found(payment, answer.payment) : payment;
  if (now.status !== 'capturing' && now.status !== 'unknown') return;

  const unwanted = now.refundRequested || unknownForMs >= sagaTimes.cancelUnknownAfterMs;
  const isOpen =
    answer.status === 'not_found' ||
    (answer.status === 'found' && ['open', 'in_progress'].includes(answer.payment.status));
  // What the provider has never heard of it may refuse to close, and only its answer to the capture is proof: asked for as long as it is wanted.
  const mayRepeat = answer.status === 'not_found' || unknownForMs < sagaTimes.repeatCaptureMs;
  if (isOpen && unwanted) await close(now, deps);
  else if (isOpen && mayRepeat) await captures.begin(now, order);
  const after = await findPayment(database, now.paymentId);
  if (after?.status !== 'capturing' && after?.status !== 'unknown') return;
  if (unknownForMs >= sagaTimes.manualAfterMs)
    await manual.open({
      cause: `unknown_outcome:${now.paymentId}`,
      kind: 'unknown_outcome',
      payment: now,
      detail: 'The provider has not said for a day whether it took the money. The seats are still kept for it.',
    });
  await checkAgain(database, now.paymentId, nextQuestionMs(now.checks, unknownForMs));
}

/** Nobody wants it any more: it is closed at the provider, and then the provider is asked what it has become. */
async function close(payment: PaymentRecord, deps: Look): Promise<PaymentRecord> {
  const { nowMs, outcomes } = deps;
  const { provider, order, paymentKey } = await whereItIs(payment, deps);
  const closed = await provider.refund({
    refundId: refundIdOf.closing(payment.paymentId),
    paymentKey,
    amountKrw: null,
    balanceKrw: null,
    reason: 'no longer wanted',
    account: order.refundAccount,
    firstSentAtMs: nowMs,
  });
  const answer =
    closed.status === 'done' ? { ...closed, status: 'found' as const } : await provider.find({ paymentKey });
  return answer.status === 'found' ? outcomes.found(payment, answer.payment) : payment;
}

/** The deadline is over, or the buyer does not want it any more. A deposit that came in time and was not heard of counts: only what is still empty is closed. */
async function closeAccount(payment: PaymentRecord, deps: Look): Promise<void> {
  const { database, nowMs, outcomes, manual } = deps;
  const { provider, paymentKey } = await whereItIs(payment, deps);
  const answer = await provider.find({ paymentKey });
  const now = answer.status === 'found' ? await outcomes.found(payment, answer.payment) : payment;
  if (now.status !== 'waiting_for_deposit') return;
  const leftMs = (payment.depositUntilMs ?? 0) - nowMs;
  if (leftMs > 0 && !payment.refundRequested)
    return checkAgain(database, payment.paymentId, leftMs + sagaTimes.depositGraceMs);
  const closed = answer.status === 'unknown' ? now : await close(payment, deps);
  if (closed.status !== 'waiting_for_deposit') return;
  const overdueMs = payment.refundRequested ? nowMs - payment.changedAtMs : -leftMs;
  if (overdueMs >= sagaTimes.manualAfterMs)
    await manual.open({
      cause: `unknown_outcome:${payment.paymentId}`,
      kind: 'unknown_outcome',
      payment,
      detail: 'The provider has not closed this virtual account for a day. The seats are still kept for its deposit.',
    });
  await checkAgain(database, payment.paymentId, nextQuestionMs(payment.checks, nowMs - payment.changedAtMs));
}

/** The bank took a deposit back: its account is closed, so that no other comes. One that was faster goes back. */
async function closeReversed(payment: PaymentRecord, deps: Look): Promise<void> {
  const { database, nowMs, outcomes } = deps;
  const { provider, order, paymentKey } = await whereItIs(payment, deps);
  const answer = await provider.find({ paymentKey });
  if (answer.status === 'found' && answer.payment.balanceKrw > 0) {
    await outcomes.found(payment, answer.payment);
    return checkAgain(database, payment.paymentId, null);
  }
  const closed = await provider.refund({
    refundId: namedId('close', payment.paymentId),
    ...{ paymentKey, amountKrw: null, balanceKrw: null, reason: 'the deposit was taken back' },
    ...{ account: order.refundAccount, firstSentAtMs: payment.changedAtMs },
  });
  const isOver = closed.status === 'done' || closed.status === 'refused';
  const againMs = nextQuestionMs(payment.checks, nowMs - payment.changedAtMs);
  await checkAgain(database, payment.paymentId, isOver ? null : againMs);
}

/** Money was taken a while ago and nobody has said that its tickets are there: what is known of it is told once more. */
async function lookForTickets(
  payment: PaymentRecord,
  { database, bus, payables, logger, ...deps }: Look,
): Promise<void> {
  if (payment.isSettled) return checkAgain(database, payment.paymentId, null);
  const { order } = await whereItIs(payment, { database, ...deps });
  const reservation = await payables.shown(order);
  const isDone =
    reservation !== null &&
    reservation.attemptId === payment.paymentId &&
    ['confirmed', 'partially_cancelled', 'cancelled'].includes(reservation.status);
  if (isDone) {
    await settle(database, [payment.paymentId]);
    return checkAgain(database, payment.paymentId, null);
  }
  logger.error(
    { paymentId: payment.paymentId, orderId: payment.orderId },
    'money was taken and no ticket is there yet; told again',
  );
  await tellAgain(database, [payment.paymentId]);
  bus.wakeRelays();
  await checkAgain(database, payment.paymentId, sagaTimes.settledWithinMs);
}

async function whereItIs(
  payment: PaymentRecord,
  { database, providerOf }: Pick<ChecksDeps, 'database' | 'providerOf'>,
): Promise<{ provider: PaymentProvider; order: OrderRecord; paymentKey: string }> {
  const provider = providerOf(payment.provider);
  const order = await findOrder(database, payment.orderId);
  if (provider === null) throw new Error(`no provider ${payment.provider} is configured, and a payment is with it`);
  if (order === null || payment.paymentKey === null)
    throw new Error(`the payment ${payment.paymentId} has no order or no key`);
  return { provider, order, paymentKey: payment.paymentKey };
}
