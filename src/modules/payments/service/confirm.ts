import { assertNever } from '#platform/assert.ts';
import { isFault } from '#platform/errors.ts';
import { liveStatuses, type PaymentStatus } from '../domain/payment.ts';
import { sagaTimes } from '../domain/schedule.ts';
import type { PaymentProvider, PaymentsDeps } from '../ports.ts';
import type { PaidReservation } from '../schemas.ts';
import { findOrder, type OrderRecord } from '../storage/orders.ts';
import { type BeginCall, beginAttempt, findPayment, movePayment, type PaymentRecord } from '../storage/payments.ts';
import type { Captures } from './captures.ts';
import type { Outcomes } from './outcomes.ts';
import type { Payables, PinVerdict } from './payables.ts';
import { until } from './until.ts';

/*
 * (1) attempt CREATED │ (2) pin │ (3) CAPTURING │ (4) the provider │ (5) CAPTURED, with its message │ (6) tickets
 *
 * What fails between each two, and who goes on:
 * 1–2, 2–3  nothing was charged. After a minute the attempt is ABANDONED by compare-and-set, and PAYMENT_FAILED lets the seats go and ends
 *           the attempt: a process that thaws afterwards can neither pin nor come past step 3.
 * 3–4, 4–5  money may have moved. After a minute the provider is asked (jobs/checks.ts), and only its word decides.
 * 5–6       the message is in the outbox, and is delivered until it is heard.
 */

export interface ConfirmCall {
  readonly userId: string;
  readonly orderId: string;
  readonly paymentKey: string;
  /** What the caller believes that it is; null: does not say. */
  readonly amountKrw: number | null;
  readonly intent: BeginCall['intent'];
}

export type ConfirmVerdict =
  | { readonly status: 'settled'; readonly payment: PaymentRecord; readonly reservation: PaidReservation | null }
  | { readonly status: 'undecided'; readonly payment: PaymentRecord; readonly reservation: PaidReservation | null }
  | { readonly status: 'declined'; readonly payment: PaymentRecord }
  | { readonly status: 'amount'; readonly amountKrw: number }
  | {
      readonly status: 'unknown-order' | 'other-provider' | 'expired' | 'closed' | 'in-progress' | 'paid' | 'mismatch';
    };

export interface Confirm {
  confirm(call: ConfirmCall): Promise<ConfirmVerdict>;
}

type ConfirmDeps = Pick<PaymentsDeps, 'database' | 'clock' | 'ids' | 'config' | 'logger'> & {
  /** The provider whose orders can be paid. Orders of another one are from before it was changed. */
  readonly payable: PaymentProvider['name'];
  readonly payables: Payables;
  readonly outcomes: Outcomes;
  readonly captures: Captures;
};

const isLive = (status: PaymentStatus) => (liveStatuses as readonly PaymentStatus[]).includes(status);

export function createConfirm(deps: ConfirmDeps): Confirm {
  const { database, clock, ids, config, logger, payable, payables, outcomes, captures } = deps;

  /** Steps 2 to 5, for an attempt that was just begun. */
  async function carryOut(order: OrderRecord, begun: PaymentRecord, deadline: number): Promise<ConfirmVerdict> {
    const { paymentId } = begun;
    const pinned = await pin(order, begun);
    if (pinned !== 'pinned') {
      await outcomes.failed(begun, 'abandoned', { code: pinned.toUpperCase(), reason: 'not_started' });
      return refusalOf(pinned, order);
    }
    const capturing = await movePayment(database, {
      ...{ paymentId, from: ['created'], to: 'capturing', changes: { checkInMs: sagaTimes.abandonedAfterMs } },
    });
    // Given up meanwhile, by a cancellation or since this process was frozen for a minute.
    if (capturing === null) return { status: 'in-progress' };
    // Goes on when the buyer is told to wait: the answer still counts, however late.
    const decided = captures.begin(capturing, order);
    await until(decided, deadline - clock.monotonicMs());
    return answer(order, (await findPayment(database, paymentId)) ?? capturing, deadline);
  }

  async function pin(order: OrderRecord, { paymentId }: PaymentRecord): Promise<PinVerdict> {
    try {
      const { paymentType, referenceId, userId, amountKrw } = order;
      return await payables.pin({ paymentType, referenceId, userId, amountKrw, attemptId: paymentId });
    } catch (error) {
      // Whether it is pinned is not known. Nothing was charged: the attempt ends here, and its message lets the seats go.
      const begun = await findPayment(database, paymentId);
      if (begun !== null) await outcomes.failed(begun, 'abandoned', { code: 'NOT_PINNED', reason: 'not_started' });
      throw error;
    }
  }

  async function answer(order: OrderRecord, payment: PaymentRecord, deadline: number): Promise<ConfirmVerdict> {
    switch (payment.status) {
      case 'created':
      case 'capturing':
      case 'unknown':
        return { status: 'undecided', payment, reservation: await shown(order) };
      case 'waiting_for_deposit':
        return { status: 'settled', payment, reservation: await shownSoon(order, 'waiting_for_deposit', deadline) };
      case 'captured':
      case 'partially_refunded':
        return { status: 'settled', payment, reservation: await shownSoon(order, 'confirmed', deadline) };
      case 'refunded':
      case 'orphaned':
      case 'reversed':
        return { status: 'settled', payment, reservation: await shown(order) };
      case 'failed':
        return { status: 'declined', payment };
      case 'expired':
      case 'abandoned':
        return { status: 'closed' };
      default:
        return assertNever(payment.status);
    }
  }

  async function shown(order: OrderRecord): Promise<PaidReservation | null> {
    try {
      const found = await payables.shown(order);
      if (found === null) return null;
      const { attemptId: _, ...reservation } = found;
      return reservation;
    } catch (error) {
      // The money is what the answer is about; the page asks for the rest.
      if (!isFault(error)) throw error;
      logger.warn({ err: error, orderId: order.orderId }, 'a payment is answered without its reservation');
      return null;
    }
  }

  async function shownSoon(order: OrderRecord, wanted: string, deadline: number): Promise<PaidReservation | null> {
    const end = Math.min(deadline, clock.monotonicMs() + config.ticketsWithinMs);
    for (let waitMs = 20; ; waitMs = Math.min(2 * waitMs, 200)) {
      const reservation = await shown(order);
      if (reservation === null || reservation.status === wanted || clock.monotonicMs() + waitMs > end)
        return reservation;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }

  /** The same request again: what became of the first, which may still be under way here or elsewhere. */
  async function follow(order: OrderRecord, first: PaymentRecord, deadline: number): Promise<ConfirmVerdict> {
    let payment = first;
    for (let waitMs = 50; isLive(payment.status) && payment.status !== 'waiting_for_deposit'; waitMs = 200) {
      if (payment.status === 'unknown' || clock.monotonicMs() + waitMs > deadline) break;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      payment = (await findPayment(database, payment.paymentId)) ?? payment;
    }
    return answer(order, payment, deadline);
  }

  return {
    async confirm({ userId, orderId, paymentKey, amountKrw, intent }) {
      const deadline = clock.monotonicMs() + config.answerWithinMs;
      const order = await findOrder(database, orderId);
      if (order === null || order.userId !== userId) return { status: 'unknown-order' };
      if (order.provider !== payable) return { status: 'other-provider' };
      // Before the database is asked, which cannot count as far as a number can.
      if (amountKrw !== null && amountKrw !== order.amountKrw) return { status: 'amount', amountKrw: order.amountKrw };
      const { verdict, payment } = await beginAttempt(database, {
        ...{ paymentId: ids.next(), orderId, userId, paymentKey, provider: order.provider, amountKrw, intent },
      });
      switch (verdict) {
        case 'begun':
        case 'known':
          if (payment === null) throw new Error('an attempt was neither begun nor found');
          return verdict === 'begun' ? carryOut(order, payment, deadline) : follow(order, payment, deadline);
        case 'unknown_order':
          return { status: 'unknown-order' };
        case 'in_progress':
          return { status: 'in-progress' };
        case 'amount':
          return { status: 'amount', amountKrw: order.amountKrw };
        case 'mismatch':
        case 'paid':
          return { status: verdict };
        default:
          return assertNever(verdict);
      }
    },
  };
}

function refusalOf(verdict: Exclude<PinVerdict, 'pinned'>, order: OrderRecord): ConfirmVerdict {
  switch (verdict) {
    case 'expired':
      return { status: 'expired' };
    case 'unknown':
    case 'closed':
    case 'attempts_used':
      return { status: 'closed' };
    case 'amount':
      return { status: 'amount', amountKrw: order.amountKrw };
    case 'pinned_by_another':
    case 'attempt_ended':
      return { status: 'in-progress' };
    default:
      return assertNever(verdict);
  }
}
