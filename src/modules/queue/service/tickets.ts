import { createSealedTickets } from '#platform/tokens/sealed-ticket.ts';
import type { Order } from '../domain/order.ts';

/** What keeps a place: whoever holds it is put back at its order, unless that order is spent. */
export interface WaitingTicket {
  readonly eventId: string;
  readonly userId: string;
  readonly order: Order;
  /** Of the store's state when it was given. Another one at present: ask the store. */
  readonly epoch: number;
  /** When the place was taken and how long the wait was said to be then, in seconds; null: unknown. For measuring the estimate. */
  readonly takenAtMs: number;
  readonly predicted: number | null;
}

/** An entry that is still on the bus. */
export interface PendingTicket {
  readonly eventId: string;
  readonly userId: string;
  readonly requestedAtMs: number;
}

export interface Tickets {
  seal(ticket: WaitingTicket): string;
  sealPending(ticket: PendingTicket): string;
  /** Null: not ours, or edited. Whose it is and of which event is for the caller to compare. */
  open(text: string): OpenTicket | null;
}

type OpenTicket = ({ readonly kind: 'waiting' } & WaitingTicket) | ({ readonly kind: 'pending' } & PendingTicket);

const waitingKind = 'uqw2';
const pendingKind = 'uqp2';

/**
 * Nothing is remembered between two polls: most of a large crowd polls once a minute, so that a memory which is worth
 * having would hold all of them, and a look-up by so long a text costs about as much as its MAC.
 */
export function createTickets({ secrets }: { secrets: readonly string[] }): Tickets {
  const waiting = createSealedTickets({ kind: waitingKind, secrets });
  const pending = createSealedTickets({ kind: pendingKind, secrets });
  return {
    seal: ({ eventId, userId, order, epoch, takenAtMs, predicted }) =>
      waiting.seal([eventId, userId, String(order), String(epoch), String(takenAtMs), tenths(predicted)]),
    sealPending: ({ eventId, userId, requestedAtMs }) => pending.seal([eventId, userId, String(requestedAtMs)]),
    open(text) {
      const fields = waiting.open(text);
      if (fields === null) return openPending(pending.open(text));
      // Sealed by us, so the fields are the six that `seal` writes.
      const [eventId = '', userId = '', order, epoch, takenAt, predicted = ''] = fields;
      return {
        kind: 'waiting',
        eventId,
        userId,
        order: Number(order),
        epoch: Number(epoch),
        takenAtMs: Number(takenAt),
        predicted: predicted === '' ? null : Number(predicted) / 10,
      };
    },
  };
}

function openPending(fields: string[] | null): OpenTicket | null {
  if (fields === null) return null;
  const [eventId = '', userId = '', at] = fields;
  return { kind: 'pending', eventId, userId, requestedAtMs: Number(at) };
}

function tenths(seconds: number | null): string {
  return seconds === null ? '' : String(Math.round(seconds * 10));
}
