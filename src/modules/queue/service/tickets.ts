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

const waitingKind = 'uqw1';
const pendingKind = 'uqp1';

/** A page polls with the same ticket again and again. Only good ones are remembered: rubbish cannot push them out. */
const rememberedMax = 50_000;

export function createTickets({ secrets }: { secrets: readonly string[] }): Tickets {
  const waiting = createSealedTickets({ kind: waitingKind, secrets });
  const pending = createSealedTickets({ kind: pendingKind, secrets });
  // Two generations: a hit in the older one moves to the younger, and what nobody asked for since is forgotten.
  let young = new Map<string, OpenTicket>();
  let old = new Map<string, OpenTicket>();

  function remember(text: string, ticket: OpenTicket): OpenTicket {
    if (young.size >= rememberedMax) {
      old = young;
      young = new Map();
    }
    young.set(text, ticket);
    return ticket;
  }

  function openWaiting(text: string): OpenTicket | null {
    const fields = waiting.open(text);
    if (fields === null) return null;
    // Sealed by us, so the fields are the six that `seal` writes.
    const [eventId = '', userId = '', order, epoch, takenAt, predicted = ''] = fields;
    return remember(text, {
      kind: 'waiting',
      eventId,
      userId,
      order: Number(order),
      epoch: Number(epoch),
      takenAtMs: Number(takenAt),
      predicted: predicted === '' ? null : Number(predicted),
    });
  }

  return {
    seal: ({ eventId, userId, order, epoch, takenAtMs, predicted }) =>
      waiting.seal([eventId, userId, String(order), String(epoch), String(takenAtMs), predicted?.toFixed(1) ?? '']),
    sealPending: ({ eventId, userId, requestedAtMs }) => pending.seal([eventId, userId, String(requestedAtMs)]),
    open(text) {
      if (text.startsWith(pendingKind)) {
        const fields = pending.open(text);
        if (fields === null) return null;
        const [eventId = '', userId = '', at] = fields;
        return { kind: 'pending', eventId, userId, requestedAtMs: Number(at) };
      }
      const known = young.get(text);
      if (known !== undefined) return known;
      const older = old.get(text);
      return older === undefined ? openWaiting(text) : remember(text, older);
    },
  };
}
