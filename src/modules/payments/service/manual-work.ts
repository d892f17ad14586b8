import type { AuditLog } from '#platform/audit/port.ts';
import type { Database, Transaction } from '#platform/postgres/database.ts';
import { namedId } from '../domain/named-ids.ts';
import { unpaidStatuses } from '../domain/payment.ts';
import type { ManualItem, resolutions } from '../schemas.ts';
import { lockManual, resolveManual } from '../storage/manual.ts';
import { checkAgain, findPayment, movePayment, pendingRefundKrw } from '../storage/payments.ts';
import { acceptRefund, putRefundOff, requestRefund } from '../storage/refunds.ts';

export interface ResolveCall {
  readonly manualId: string;
  readonly by: { readonly userId: string; readonly role: string };
  readonly resolution: (typeof resolutions)[number];
  readonly note: string;
  readonly requestId: string;
}

export type ResolveVerdict =
  | { readonly status: 'resolved'; readonly item: ManualItem }
  | { readonly status: 'unknown' | 'nothing-to-do' };

/** A person has decided. What that sets in motion, the resolution and its audit entry are one transaction. */
export function resolveManualItem(
  { database, audit }: { database: Database; audit: AuditLog },
  call: ResolveCall,
): Promise<ResolveVerdict> {
  return database.transaction(async (tx) => {
    const item = await lockManual(tx, call.manualId);
    if (item === null) return { status: 'unknown' };
    if (item.resolvedAt !== null) return { status: 'resolved', item };
    if (!(await setInMotion(tx, item, call.resolution))) return { status: 'nothing-to-do' };
    const { manualId, resolution, note } = call;
    const resolved = await resolveManual(tx, { manualId, resolution, note, by: call.by.userId });
    if (resolved === null) return { status: 'unknown' };
    await audit.record(tx, {
      actorId: call.by.userId,
      actorRole: call.by.role,
      action: 'payments.manual.resolve',
      subject: manualId,
      before: { kind: item.kind, orderId: item.orderId },
      after: { resolution, note },
      requestId: call.requestId,
    });
    return { status: 'resolved', item: resolved };
  });
}

/** Money has gone back for tickets that are there: to try again or to give more back would leave them unpaid for. */
const goneKinds: readonly ManualItem['kind'][] = ['refunded_elsewhere', 'tickets_in_use', 'reversed_in_use'];

/** False: this cannot be done about it. */
async function setInMotion(tx: Transaction, item: ManualItem, how: ResolveCall['resolution']): Promise<boolean> {
  if (goneKinds.includes(item.kind)) return how === 'accept';
  switch (how) {
    case 'accept':
      if (item.refundId !== null) await acceptRefund(tx, item.refundId);
      if (item.kind === 'unknown_outcome') await endAttempt(tx, item.paymentId);
      return true;
    case 'never_charged':
      return item.kind === 'unknown_outcome' && endAttempt(tx, item.paymentId);
    case 'retry':
      if (item.refundId !== null) {
        await putRefundOff(tx, { refundId: item.refundId, status: 'requested', why: 'tried again by hand', inMs: 0 });
        return true;
      }
      if (item.paymentId === null) return false;
      await checkAgain(tx, item.paymentId, 0);
      return true;
    case 'refund': {
      const payment = item.paymentId === null ? null : await findPayment(tx, item.paymentId);
      if (payment === null || item.refundId !== null) return false;
      const leftKrw = payment.capturedKrw - payment.refundedKrw - (await pendingRefundKrw(tx, payment.paymentId));
      if (leftKrw <= 0) return false;
      const verdict = await requestRefund(tx, {
        refundId: namedId('manual', item.id),
        paymentId: payment.paymentId,
        kind: 'goodwill',
        cancellationId: null,
        ticketIds: [],
        amountKrw: leftKrw,
        reason: 'given back by hand',
      });
      return verdict === 'requested' || verdict === 'known';
    }
  }
}

/** Its seats are let go. Money that shows up for it all the same is booked and goes back. False: it has money. */
async function endAttempt(tx: Transaction, paymentId: string | null): Promise<boolean> {
  if (paymentId === null) return false;
  await movePayment(tx, {
    paymentId,
    from: ['capturing', 'unknown', 'waiting_for_deposit'],
    to: 'failed',
    changes: { declineCode: 'ENDED_BY_HAND', declineReason: 'expired' },
    tell: { type: 'PAYMENT_FAILED', more: { reason: 'expired' } },
  });
  const payment = await findPayment(tx, paymentId);
  return unpaidStatuses.some((status) => status === payment?.status);
}
