import { assertNever } from '#platform/assert.ts';
import { platformErrors } from '#platform/errors.ts';
import type { RouteHandlers } from '#platform/http/contract.ts';
import { paymentErrors } from '../errors.ts';
import type { PaymentsDeps } from '../ports.ts';
import type { Cancel } from '../service/cancel.ts';
import type { Hints } from '../service/hints.ts';
import { resolveManualItem } from '../service/manual-work.ts';
import { listManual } from '../storage/manual.ts';
import { findOrders } from '../storage/orders.ts';
import { listPayments, pendingRefundKrw } from '../storage/payments.ts';
import type { paymentRoutes } from './contracts.ts';
import { intentOf } from './intent.ts';
import { shownPayment } from './shown.ts';

type AfterRoutes = Pick<
  typeof paymentRoutes,
  'cancelPayment' | 'listMyPayments' | 'paymentWebhook' | 'listManualPayments' | 'resolveManualPayment'
>;

type AfterDeps = Pick<PaymentsDeps, 'database' | 'bus' | 'ids' | 'audit'> & {
  readonly cancel: Cancel;
  readonly hints: Hints;
};

const limitDefault = 20;
const staffRoles: readonly string[] = ['operator', 'admin'];

/** What comes after paying: money back, the list of a person, what providers tell. */
export function createAfterHandlers({
  database,
  bus,
  ids,
  audit,
  cancel,
  hints,
}: AfterDeps): RouteHandlers<AfterRoutes> {
  return {
    async cancelPayment({ user, params, body, headers, id: requestId }) {
      const verdict = await cancel.cancel({
        paymentKey: params.paymentKey,
        by: { userId: user.userId, role: user.role, isStaff: staffRoles.includes(user.role) },
        ticketIds: body.ticketIds ?? null,
        amountKrw: body.amountKrw ?? null,
        reason: body.reason,
        refundAccount: body.refundAccount ?? null,
        intentKey: intentOf({ headers, body })?.key ?? ids.next(),
        requestId,
      });
      switch (verdict.status) {
        case 'done': {
          const { payment, order } = verdict;
          return { payment: shownPayment(payment, order, await pendingRefundKrw(database, payment.paymentId)) };
        }
        case 'unknown':
          throw platformErrors.fault('NOT_FOUND');
        case 'staff-only':
          throw platformErrors.fault('FORBIDDEN', { detail: 'Only staff may name an amount.' });
        case 'either':
          throw platformErrors.fault('VALIDATION_FAILED', {
            detail: 'body.amountKrw is goodwill and goes without body.ticketIds',
            extensions: { errors: [{ field: 'body.amountKrw', message: 'goes without ticketIds' }] },
          });
        case 'not-cancellable':
          throw paymentErrors.fault('PAYMENT_NOT_REFUNDABLE');
        case 'mismatch':
          throw platformErrors.fault('IDEMPOTENCY_MISMATCH');
        case 'nothing-left':
          throw paymentErrors.fault('PAYMENT_NOT_REFUNDABLE', { extensions: { left: verdict.leftKrw } });
        default:
          return assertNever(verdict);
      }
    },

    async listMyPayments({ user, query }) {
      const { limit = limitDefault, cursor } = query;
      const payments = await listPayments(database, { userId: user.userId, before: cursorId(cursor), limit });
      const orders = new Map(
        (
          await findOrders(
            database,
            payments.map(({ orderId }) => orderId),
          )
        ).map((o) => [o.orderId, o]),
      );
      const items = [];
      for (const payment of payments) {
        const order = orders.get(payment.orderId);
        if (order === undefined) throw new Error('a payment without its order');
        items.push(shownPayment(payment, order, await pendingRefundKrw(database, payment.paymentId)));
      }
      return { items, nextCursor: payments.length === limit ? (payments.at(-1)?.paymentId ?? null) : null };
    },

    async paymentWebhook({ params, body }) {
      if (!(await hints.hear(params.provider, body))) throw paymentErrors.fault('WEBHOOK_UNREADABLE');
      return { received: true };
    },

    async listManualPayments({ query }) {
      const { limit = limitDefault, cursor, kind = null, resolved = false } = query;
      const items = await listManual(database, { kind, resolved, after: cursorId(cursor), limit });
      return { items, nextCursor: items.length === limit ? (items.at(-1)?.id ?? null) : null };
    },

    async resolveManualPayment({ user, params, body, id: requestId }) {
      const { userId, role } = user;
      const verdict = await resolveManualItem(
        { database, audit },
        { ...params, ...body, by: { userId, role }, requestId },
      );
      bus.wakeRelays();
      if (verdict.status === 'resolved') return verdict.item;
      if (verdict.status === 'unknown') throw platformErrors.fault('NOT_FOUND');
      throw paymentErrors.fault('PAYMENT_NOT_REFUNDABLE', {
        detail: 'This cannot be done about it; choose another resolution.',
      });
    },
  };
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Cursors of these lists are ids. */
function cursorId(cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  if (uuidForm.test(cursor)) return cursor;
  throw platformErrors.fault('VALIDATION_FAILED', {
    detail: 'query.cursor is none of ours',
    extensions: { errors: [{ field: 'query.cursor', message: 'is none of ours' }] },
  });
}
