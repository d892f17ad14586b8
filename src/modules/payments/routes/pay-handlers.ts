import type { FastifyReply } from 'fastify';
import { assertNever } from '#platform/assert.ts';
import { isFault, platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { answerHeaders } from '#platform/http/names.ts';
import { fingerprintOf } from '#platform/idempotency.ts';
import { wordsOfDecline } from '../domain/declines.ts';
import { paymentErrors } from '../errors.ts';
import type { PaymentProvider, PaymentsDeps } from '../ports.ts';
import type { Settled } from '../schemas.ts';
import type { Confirm, ConfirmCall } from '../service/confirm.ts';
import type { Orders } from '../service/orders.ts';
import { findOrder } from '../storage/orders.ts';
import { pendingRefundKrw } from '../storage/payments.ts';
import type { paymentRoutes } from './contracts.ts';
import { intentOf } from './intent.ts';
import { shownOrder, shownPayment } from './shown.ts';

type PayRoutes = Pick<
  typeof paymentRoutes,
  'preparePayment' | 'confirmPayment' | 'processPayment' | 'sandboxDeposit' | 'getOrder'
>;

type PayDeps = Pick<PaymentsDeps, 'database' | 'ids' | 'sandbox'> & {
  readonly providerOf: (name: string) => PaymentProvider | null;
  readonly orders: Orders;
  readonly confirm: Confirm;
};

/** Paying for an order. */
export function createPayHandlers({
  database,
  ids,
  sandbox,
  providerOf,
  orders,
  confirm,
}: PayDeps): RouteHandlers<PayRoutes> {
  async function settle(call: ConfirmCall, reply: FastifyReply): Promise<Settled> {
    const verdict = await confirm.confirm(call);
    switch (verdict.status) {
      case 'settled':
      case 'undecided': {
        const order = await findOrder(database, call.orderId);
        if (order === null) throw new Error('an order that was there a moment ago is gone');
        if (verdict.status === 'undecided') reply.status(202);
        const pendingKrw = await pendingRefundKrw(database, verdict.payment.paymentId);
        return {
          payment: shownPayment(verdict.payment, order, pendingKrw),
          ...(verdict.reservation !== null && { reservation: verdict.reservation }),
        };
      }
      case 'declined': {
        const reason = verdict.payment.declineReason;
        throw paymentErrors.fault('PAYMENT_DECLINED', { detail: wordsOfDecline(reason), extensions: { reason } });
      }
      case 'unknown-order':
        throw platformErrors.fault('NOT_FOUND');
      case 'other-provider':
        throw paymentErrors.fault('METHOD_MISMATCH');
      case 'amount':
        throw paymentErrors.fault('AMOUNT_MISMATCH', { extensions: { amountKrw: verdict.amountKrw } });
      case 'expired':
        throw paymentErrors.fault('RESERVATION_EXPIRED');
      case 'closed':
        throw paymentErrors.fault('ORDER_CLOSED');
      case 'in-progress':
        throw paymentErrors.fault('PAYMENT_IN_PROGRESS');
      case 'paid':
        throw paymentErrors.fault('ORDER_PAID');
      case 'mismatch':
        throw platformErrors.fault('IDEMPOTENCY_MISMATCH');
      default:
        return assertNever(verdict);
    }
  }

  return {
    async preparePayment({ user, body }) {
      const { refundAccount = null, ...what } = body;
      const verdict = await orders.prepare({ ...what, refundAccount, userId: user.userId });
      switch (verdict.status) {
        case 'ready':
          return shownOrder(verdict.order, providerOf(verdict.order.provider));
        case 'unknown':
          throw platformErrors.fault('NOT_FOUND');
        case 'expired':
          throw paymentErrors.fault('RESERVATION_EXPIRED');
        case 'closed':
          throw paymentErrors.fault('ORDER_CLOSED');
        case 'paying':
          throw paymentErrors.fault('PAYMENT_IN_PROGRESS');
        case 'account-needed':
          throw paymentErrors.fault('REFUND_ACCOUNT_NEEDED');
        case 'too-small':
          throw paymentErrors.fault('AMOUNT_TOO_SMALL', { extensions: { minimumKrw: verdict.minimumKrw } });
        default:
          return assertNever(verdict);
      }
    },

    async confirmPayment({ user, body, headers }, reply) {
      const { paymentKey, orderId, amount: amountKrw } = body;
      return settle(
        { userId: user.userId, paymentKey, orderId, amountKrw, intent: intentOf({ headers, body }) },
        reply,
      );
    },

    async processPayment({ user, body, headers }, reply) {
      const { userId } = user;
      const order = await findOrder(database, body.orderId);
      if (order === null || order.userId !== userId) throw platformErrors.fault('NOT_FOUND');
      if (
        sandbox === null ||
        order.provider !== sandbox.name ||
        (order.method === 'card') !== (body.card !== undefined)
      )
        throw paymentErrors.fault('METHOD_MISMATCH');
      // The card itself goes no further: its number only chooses what the sandbox will do.
      const cardNumber = body.card?.number.replaceAll(' ', '') ?? null;
      const named = intentOf({ headers, body: {} }) ?? { key: ids.next() };
      reply.header(answerHeaders.idempotencyKey, named.key);
      const paymentKey = sandbox.keyOf({ cardNumber, salt: `${order.orderId} ${named.key}` });
      // Of what the card does, not of its number: a print of a number could be searched for.
      const intent = { key: named.key, print: fingerprintOf({ orderId: order.orderId, paymentKey }) };
      return settle({ userId, orderId: order.orderId, paymentKey, amountKrw: null, intent }, reply);
    },

    async sandboxDeposit({ user, params }) {
      const order = await findOrder(database, params.orderId);
      if (sandbox === null || order === null || order.userId !== user.userId || order.method !== 'virtual_account')
        throw platformErrors.fault('NOT_FOUND');
      const act = params.act === 'deposit' ? sandbox.deposit(order.orderId) : sandbox.reverse(order.orderId);
      const done = await act.catch((cause: unknown) => {
        throw isFault(cause) ? cause : paymentErrors.fault('PROVIDER_UNAVAILABLE', { cause });
      });
      return { done };
    },

    async getOrder({ user, params }) {
      const found = await orders.standing({ orderId: params.orderId, userId: user.userId });
      if (found === null) throw platformErrors.fault('NOT_FOUND');
      const { order, payment, refundPendingKrw, reservation, state } = found;
      return {
        ...shownOrder(order, providerOf(order.provider)),
        // The hold may have been extended by another order of the same reservation.
        ...(reservation !== null && { expiresAt: reservation.expiresAt }),
        state,
        payment: payment === null ? null : shownPayment(payment, order, refundPendingKrw),
        reservation,
      };
    },
  };
}
