import { isoTime } from '#platform/clock.ts';
import type { Database } from '#platform/postgres/database.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { isWholeKrw } from '../domain/money.ts';
import { namedId, refundIdOf } from '../domain/named-ids.ts';
import { liveStatuses, type PaymentStatus, unpaidStatuses } from '../domain/payment.ts';
import { sagaTimes } from '../domain/schedule.ts';
import type { CaptureAnswer, PaymentsDeps, ProviderPayment } from '../ports.ts';
import { findOrder } from '../storage/orders.ts';
import { checkAgain, findPayment, movePayment, type PaymentRecord } from '../storage/payments.ts';
import { adoptRefund, depositAgain, finishRefund, refundsOf, reversePayment } from '../storage/refunds.ts';
import type { ManualList } from './manual-list.ts';
import type { Payables } from './payables.ts';

type OutcomesDeps = Pick<PaymentsDeps, 'database' | 'bus' | 'clock' | 'logger' | 'config'> & {
  readonly payables: Payables;
  readonly manual: ManualList;
};

/** What a provider says becomes the state of an attempt, here and nowhere else. Every call may be repeated, in any order. */
export interface Outcomes {
  /** The answer to a capture that was asked for. */
  captured(payment: PaymentRecord, answer: CaptureAnswer): Promise<PaymentRecord>;
  /** What the provider has now. */
  found(payment: PaymentRecord, now: ProviderPayment): Promise<PaymentRecord>;
  /** No money was taken, and none will be: seats are let go. */
  failed(
    payment: PaymentRecord,
    as: 'failed' | 'abandoned' | 'expired',
    why: { code: string; reason: string },
  ): Promise<PaymentRecord>;
}

const undecided: readonly PaymentStatus[] = ['capturing', 'unknown'];
const unpaid: readonly PaymentStatus[] = unpaidStatuses;

export function createOutcomes({ database, bus, clock, logger, config, payables, manual }: OutcomesDeps): Outcomes {
  async function move(payment: PaymentRecord, call: Omit<Parameters<typeof movePayment>[1], 'paymentId'>) {
    const moved = await movePayment(database, { paymentId: payment.paymentId, ...call });
    if (moved !== null && call.tell !== undefined) bus.wakeRelays();
    return moved;
  }

  async function takeIn(payment: PaymentRecord, now: ProviderPayment): Promise<PaymentRecord> {
    if (now.amountKrw !== payment.amountKrw)
      await manual.open({
        cause: `amount_differs:${payment.paymentId}`,
        kind: 'amount_differs',
        payment,
        amountKrw: now.amountKrw,
        detail: `The provider took ${now.amountKrw} KRW for an order of ${payment.amountKrw} KRW. It is given back unless somebody decides otherwise.`,
      });
    const moved = await move(payment, {
      // Also one that had ended: the provider's word is the last.
      from: [...liveStatuses, ...unpaidStatuses],
      to: 'captured',
      changes: {
        capturedKrw: now.amountKrw,
        paymentKey: now.paymentKey,
        // Somebody looks whether its tickets came.
        checkInMs: sagaTimes.settledWithinMs,
      },
      tell: { type: 'PAYMENT_CONFIRMED' },
    });
    return moved ?? payment;
  }

  async function awaitDeposit(payment: PaymentRecord, now: ProviderPayment): Promise<PaymentRecord> {
    if (now.account === null)
      throw new Error(`the provider awaits a deposit for ${payment.orderId} without an account`);
    const { bank, number } = now.account;
    // A provider may give an account more time than we have: it is closed at our own deadline then.
    const order = await findOrder(database, payment.orderId);
    const ownMs = Math.min(clock.now() + config.depositMs, order?.closesAtMs ?? Number.POSITIVE_INFINITY);
    const depositUntilMs = Math.min(now.account.depositUntilMs, ownMs);
    // Chosen in the provider's window instead of a card: nobody has said where its money could go back to, so it is closed at once.
    const isUnwanted = payment.refundRequested || payment.method !== 'virtual_account';
    const moved = await move(payment, {
      from: ['created', ...undecided],
      to: 'waiting_for_deposit',
      changes: {
        paymentKey: now.paymentKey,
        method: 'virtual_account',
        ...(isUnwanted && { refundRequested: true }),
        account: { bank, number },
        depositUntil: isoTime(depositUntilMs),
        checkInMs: Math.max(0, depositUntilMs - clock.now()) + sagaTimes.depositGraceMs,
      },
      tell: { type: 'PAYMENT_WAITING_FOR_DEPOSIT', more: { depositUntil: isoTime(depositUntilMs) } },
    });
    // Also where it was cancelled while its account was being opened.
    if (moved?.refundRequested === true) await checkAgain(database, moved.paymentId, 0);
    return moved ?? payment;
  }

  async function failed(...[payment, as, { code, reason }]: Parameters<Outcomes['failed']>): Promise<PaymentRecord> {
    const moved = await move(payment, {
      // Only from the state that was looked at: an attempt that somebody has taken further meanwhile may have money.
      from: undecided.includes(payment.status) ? undecided : [payment.status],
      to: as,
      changes: { declineCode: code, declineReason: reason },
      tell: { type: 'PAYMENT_FAILED', more: { reason } },
    });
    if (moved === null) return payment;
    // So that the buyer can try again at once; the message that was just written is the net.
    await payables.unpin(payment.paymentId).catch((error: unknown) => {
      logger.warn({ err: error, paymentId: payment.paymentId }, 'seats were not let go at once; the message will');
    });
    return moved;
  }

  /** A key that was paid with elsewhere buys nothing here, however the buyer came by it. No money moved for this attempt, and none will. */
  async function refuseKey(payment: PaymentRecord, now: ProviderPayment): Promise<PaymentRecord> {
    logger.error(
      { paymentId: payment.paymentId, orderId: payment.orderId, paidOrderId: now.orderId },
      'somebody tried to pay with the key of another order',
    );
    return failed(payment, 'failed', { code: 'KEY_OF_ANOTHER_ORDER', reason: 'not_supported' });
  }

  /** Of another currency, or no amount of won that there is: a person gives it back at the provider's console, and then the seats are let go. */
  async function cannotBeBooked(payment: PaymentRecord, now: ProviderPayment): Promise<PaymentRecord> {
    const isGone = now.balanceKrw === 0 && ['refunded', 'failed', 'expired'].includes(now.status);
    if (isGone && undecided.includes(payment.status))
      return failed(payment, 'failed', {
        code: now.currency === 'KRW' ? 'AMOUNT_NOT_BOOKABLE' : 'FOREIGN_CURRENCY',
        reason: 'not_supported',
      });
    await manual.open({
      cause: `currency:${payment.paymentId}`,
      kind: 'amount_differs',
      payment,
      detail: `The provider has taken ${now.amountKrw} ${now.currency} for this payment. Nothing was booked; give it back at the provider's console.`,
    });
    const moved = await move(payment, { from: ['capturing'], to: 'unknown', changes: { checkInMs: 5_000 } });
    return moved ?? payment;
  }

  return {
    failed,

    async captured(payment, answer) {
      switch (answer.status) {
        case 'captured':
        case 'waiting_for_deposit':
          if (answer.payment.orderId !== payment.orderId) return refuseKey(payment, answer.payment);
          if (!isBookable(answer.payment)) return cannotBeBooked(payment, answer.payment);
          return answer.status === 'captured' ? takeIn(payment, answer.payment) : awaitDeposit(payment, answer.payment);
        case 'declined':
          return failed(payment, 'failed', answer);
        case 'unknown': {
          logger.warn({ paymentId: payment.paymentId, why: answer.why }, 'the outcome of a capture is not known');
          const moved = await move(payment, { from: ['capturing'], to: 'unknown', changes: { checkInMs: 5_000 } });
          return moved ?? payment;
        }
      }
    },

    async found(payment, now) {
      if (!isBookable(now)) return cannotBeBooked(payment, now);
      if (payment.capturedKrw > 0) return followRefunds(payment, now);
      if ((now.wasCaptured || now.status === 'waiting_for_deposit') && now.orderId !== payment.orderId)
        return undecided.includes(payment.status) ? refuseKey(payment, now) : payment;
      switch (now.status) {
        case 'captured':
        case 'refunded': {
          if (!now.wasCaptured) return failed(payment, 'expired', { code: 'CANCELLED', reason: 'cancelled_by_buyer' });
          const taken = await takeIn(payment, now);
          if (taken.capturedKrw > 0) return followRefunds(taken, now);
          // Somebody was faster and may have seen more than this. What went back did go back, whenever it was seen.
          const latest = (await findPayment(database, payment.paymentId)) ?? payment;
          if (latest.capturedKrw === 0) return latest;
          const followed = await followProviderRefunds({ database, logger, manual }, latest, now);
          bus.wakeRelays();
          return followed.latest;
        }
        case 'waiting_for_deposit':
          return undecided.includes(payment.status) ? awaitDeposit(payment, now) : payment;
        case 'failed':
        case 'expired':
          // Said before.
          if (unpaid.includes(payment.status)) return payment;
          if (payment.status === 'waiting_for_deposit')
            return failed(payment, 'expired', { code: 'EXPIRED', reason: 'expired' });
          return failed(payment, 'failed', { code: now.status.toUpperCase(), reason: noMoneyReason[now.status] });
        case 'open':
        case 'in_progress':
          return payment;
      }
    },
  };

  /** Money that is known to have been taken: has any of it gone back without us? */
  async function followRefunds(payment: PaymentRecord, now: ProviderPayment): Promise<PaymentRecord> {
    const followed = await followBank(
      database,
      await followProviderRefunds({ database, logger, manual }, payment, now),
    );
    if (followed.version > payment.version) bus.wakeRelays();
    return followed;
  }
}

/** Money that came has to be whole won, and no more than can be counted. */
function isBookable({ currency, wasCaptured, amountKrw }: ProviderPayment): boolean {
  return currency === 'KRW' && (!wasCaptured || isWholeKrw(amountKrw));
}

const noMoneyReason = { failed: 'declined', expired: 'expired' } as const;

/** `moreKrw`: what a virtual account has beyond what is known of it, or lacks. */
interface Followed {
  readonly latest: PaymentRecord;
  readonly moreKrw: number;
}

async function followProviderRefunds(
  { database, logger, manual }: { database: Database; logger: Logger; manual: ManualList },
  payment: PaymentRecord,
  now: ProviderPayment,
): Promise<Followed> {
  let latest = payment;
  const ours = await refundsOf(database, payment.paymentId);
  const known = new Set(ours.flatMap(({ reference }) => (reference === null ? [] : [reference])));
  const underWay = ours.filter(({ status }) => status !== 'done');
  // Gone without a refund of ours: deposits that the bank took back before.
  const takenBackKrw = Math.max(0, payment.refundedKrw - sumOf(ours.filter(({ status }) => status === 'done')));
  for (const refund of now.refunds) {
    if (known.has(refund.reference)) continue;
    const own = underWay.find(({ refundId }) => refundId === refund.refundId);
    // One of ours whose answer was lost and that the provider does not name: the refund itself will find out whose it is.
    if (own === undefined && refund.refundId === null && underWay.some((one) => one.amountKrw === refund.amountKrw))
      return { latest, moreKrw: 0 };
    if (own === undefined && !isPlausible(refund.amountKrw, latest)) {
      await manual.open({
        cause: `refund_not_bookable:${payment.paymentId}:${refund.reference}`,
        kind: 'amount_differs',
        payment,
        amountKrw: refund.amountKrw,
        detail: `The provider says that ${refund.amountKrw} KRW went back, of ${latest.capturedKrw} KRW of which ${latest.refundedKrw} had gone. It was not booked.`,
      });
      continue;
    }
    const { paymentId } = payment;
    const done =
      own === undefined
        ? await adoptRefund(database, {
            ...{ paymentId, amountKrw: refund.amountKrw, reference: refund.reference },
            refundId: refundIdOf.found(paymentId, refund.reference),
          })
        : await finishRefund(database, { refundId: own.refundId, reference: refund.reference });
    if (done !== null && own === undefined) {
      logger.error({ paymentId, refund }, 'money went back at the provider without us');
      // Which tickets it was for, nobody has said.
      if (done.refundedKrw < done.capturedKrw && refund.refundId === null)
        await manual.open({
          cause: `refunded_elsewhere:${paymentId}:${refund.reference}`,
          kind: 'refunded_elsewhere',
          payment,
          amountKrw: refund.amountKrw,
          detail: `${refund.amountKrw} of ${done.capturedKrw} KRW went back at the provider without us, and no ticket is void for it.`,
        });
    }
    latest = done ?? latest;
  }
  const expectedKrw = latest.capturedKrw - takenBackKrw;
  return {
    latest,
    moreKrw: latest.method === 'virtual_account' ? now.balanceKrw + sumOf(now.refunds) - expectedKrw : 0,
  };
}

/** An account may have had deposits that are not booked yet. */
function isPlausible(refundKrw: number, { method, capturedKrw, refundedKrw }: PaymentRecord): boolean {
  return isWholeKrw(refundKrw) && (method === 'virtual_account' || refundedKrw + refundKrw <= capturedKrw);
}

async function followBank(database: Database, { latest, moreKrw }: Followed): Promise<PaymentRecord> {
  // Neither here nor given back: the bank took the deposit back.
  if (moreKrw < 0)
    return (await reversePayment(database, latest.paymentId, 'the bank took the deposit back')) ?? latest;
  if (moreKrw > 0) {
    const refundId = namedId('deposit again', latest.paymentId, String(latest.capturedKrw));
    return (await depositAgain(database, { refundId, payment: latest, amountKrw: moreKrw })) ?? latest;
  }
  return latest;
}

function sumOf(refunds: readonly { readonly amountKrw: number }[]): number {
  return refunds.reduce((sum, { amountKrw }) => sum + amountKrw, 0);
}
