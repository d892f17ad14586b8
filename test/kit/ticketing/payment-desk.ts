import { randomUUID } from 'node:crypto';
import { paymentEvents } from '#modules/payments/contract.ts';
import { ticketingInternalCalls } from '#modules/ticketing/contract.ts';
import { systemClock } from '#platform/clock.ts';
import { createInternalClient, httpTransport } from '#platform/http/internal-client.ts';
import { createInternalSignature } from '#platform/http/internal-signature.ts';
import type { InternalClient } from '#platform/internal-call.ts';
import type { Queryable } from '#platform/postgres/database.ts';
import { testSecrets } from '../secrets.ts';

type TicketingClient = InternalClient<typeof ticketingInternalCalls>;

export interface Attempt {
  readonly attemptId: string;
  readonly orderId: string;
  readonly reservationId: string;
  readonly userId: string;
  readonly amountKrw: number;
}

export function anAttempt(reservation: { id: string; totalKrw: number }, userId: string): Attempt {
  const attemptId = randomUUID();
  const orderId = `order-${attemptId}`;
  return { attemptId, orderId, reservationId: reservation.id, userId, amountKrw: reservation.totalKrw };
}

const signature = createInternalSignature({
  secrets: [testSecrets.URR_INTERNAL_SECRET],
  clock: systemClock,
  roles: ['payments'],
});
/** A slow machine takes its time; a call to a process that was killed ends at once. */
const timeoutMs = 120_000;
const clients = new Map<string, TicketingClient>();

/** Ticketing at this address, as payments asks it. */
export function ticketingAt(url: string): TicketingClient {
  const known = clients.get(url);
  if (known !== undefined) return known;
  const client = createInternalClient(
    ticketingInternalCalls,
    httpTransport({ module: 'ticketing', url, signature, clock: systemClock, timeoutMs }),
  );
  clients.set(url, client);
  return client;
}

export function pin(url: string, attempt: Attempt) {
  const { reservationId: referenceId, attemptId, userId, amountKrw } = attempt;
  return ticketingAt(url).pin({ paymentType: 'reservation', referenceId, attemptId, userId, amountKrw });
}

/** What payments would publish, into the outbox of the database: whichever process relays it. Repeating it is a redelivery. */
export async function publishOutcome(
  database: Queryable,
  type: 'PAYMENT_CONFIRMED' | 'PAYMENT_FAILED',
  attempt: Attempt,
): Promise<void> {
  const { attemptId, orderId, reservationId: referenceId, userId, amountKrw } = attempt;
  const data = {
    ...{ attemptId, orderId, version: 1, paymentType: 'reservation', referenceId, userId },
    ...{ provider: 'sandbox', paymentKey: null, amountKrw, refundedKrw: 0, at: new Date().toISOString() },
    ...(type === 'PAYMENT_CONFIRMED' ? { capturedKrw: amountKrw } : { capturedKrw: 0, reason: 'declined' }),
  };
  await database.query('SELECT urr.append_event($1, $2, $3, $4, $5, $6::jsonb, urr.now())', [
    ...[paymentEvents.name, paymentEvents.partitions, orderId, type],
    ...[paymentEvents.types[type].version, JSON.stringify(data)],
  ]);
}
