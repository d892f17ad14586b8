import { reservationEvents } from '#modules/ticketing/contract.ts';
import { type Consumer, type ConsumerDeclaration, defineConsumer, type EventOf } from '#platform/bus/port.ts';
import type { Transaction } from '#platform/postgres/database.ts';
import { refundIdOf } from '../domain/named-ids.ts';
import type { ManualList } from '../service/manual-list.ts';
import { findPayment, markUnwanted, movePayment, paidBy, settle, settleOrphan } from '../storage/payments.ts';
import { requestRefund } from '../storage/refunds.ts';

export const reservationsDeclaration = {
  topic: reservationEvents,
  group: 'payments-reservations',
  mode: 'batch',
  commit: 'manual',
  retry: { times: 3, backoffMs: 200 },
  deadLetter: 'payments-reservations-dead',
  onPoison: 'park-key',
  retryAfterMin: [1, 5, 30],
  batchSizeMax: 200,
} as const satisfies ConsumerDeclaration<typeof reservationEvents>;

type ReservationEvent = EventOf<typeof reservationEvents>;
type DataOf<Type extends ReservationEvent['type']> = Extract<ReservationEvent, { type: Type }>['data'];

/**
 * What became of what was paid for. Deduplicated by the inbox and, beyond it, by the ids of refunds, which are made from the message: so any order
 * and any number of deliveries come to the same.
 */
export function createReservationsConsumer({ manual }: { manual: ManualList }): Consumer {
  return defineConsumer({
    declaration: reservationsDeclaration,
    async handle(events, { tx }) {
      const confirmed = events.flatMap((event) =>
        event.type === 'RESERVATION_CONFIRMED' && event.data.attemptId !== null ? [event.data.attemptId] : [],
      );
      if (confirmed.length > 0) await settle(tx, confirmed);
      for (const event of events) {
        if (event.type === 'RESERVATION_PAYMENT_REJECTED') await giveBackOrphan(tx, event.data);
        if (event.type === 'RESERVATION_CANCELLED') await followCancellation(tx, event.data);
        if (event.type === 'RESERVATION_REFUND_IN_USE') await askPerson(tx, event.data, manual);
      }
    },
  });
}

/** There was nothing to give for the money. */
async function giveBackOrphan(tx: Transaction, { attemptId, reason }: DataOf<'RESERVATION_PAYMENT_REJECTED'>) {
  await movePayment(tx, { paymentId: attemptId, from: ['captured', 'partially_refunded'], to: 'orphaned' });
  const payment = await findPayment(tx, attemptId);
  if (payment === null) throw new Error(`ticketing rejects the capture of ${attemptId}, which payments does not know`);
  // Whoever found it first has given it back already, and as nothing else: it bought nothing.
  if (payment.capturedKrw === payment.refundedKrw) return settleOrphan(tx, attemptId);
  await requestRefund(tx, {
    refundId: refundIdOf.orphan(attemptId),
    paymentId: attemptId,
    kind: 'orphan',
    cancellationId: null,
    ticketIds: [],
    amountKrw: payment.capturedKrw,
    reason: `nothing to give for it: ${reason}`,
  });
}

async function followCancellation(tx: Transaction, cancelled: DataOf<'RESERVATION_CANCELLED'>): Promise<void> {
  const { reservationId, cancellationId, refunds, reason } = cancelled;
  // Cancelled while it was being paid for: whatever is under way is not wanted any more.
  if (cancelled.ticketIds.length === 0) await markUnwanted(tx, [reservationId]);
  if (cancelled.alreadyRefunded) return;
  const paid = await paidBy(
    tx,
    refunds.map(({ orderId }) => orderId),
  );
  for (const { orderId, ticketIds, faceKrw, feeKrw, amountKrw = faceKrw + feeKrw } of refunds) {
    const [payment, other] = paid.get(orderId) ?? [];
    if (payment === undefined)
      throw new Error(`tickets of the order ${orderId} are cancelled, and nothing was paid for it`);
    // A second capture goes back by itself. Until it has been said which is which, this waits as a message that failed.
    if (!payment.isSettled && other !== undefined)
      throw new Error(`two payments for the order ${orderId} have money, and nobody has said which bought the tickets`);
    if (amountKrw === 0) continue;
    await requestRefund(tx, {
      refundId: refundIdOf.cancellation(cancellationId, orderId),
      paymentId: payment.paymentId,
      kind: 'cancellation',
      cancellationId,
      ticketIds,
      amountKrw,
      reason,
    });
  }
}

async function askPerson(
  tx: Transaction,
  data: DataOf<'RESERVATION_REFUND_IN_USE'>,
  manual: ManualList,
): Promise<void> {
  const { attemptId, orderId, ticketIds, amountKrw, reason } = data;
  await manual.open({
    on: tx,
    cause: `in_use:${attemptId}:${[...ticketIds].sort().join(',')}`,
    kind: reason === 'reversed' ? 'reversed_in_use' : 'tickets_in_use',
    orderId,
    paymentId: attemptId,
    amountKrw,
    detail: `${ticketIds.length} tickets are used or sold on although their money went back (${reason}).`,
  });
}
