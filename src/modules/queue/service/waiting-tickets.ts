import { createSealedTexts, type SealedFields } from '#platform/tokens/sealed-text.ts';
import type { PlaceOrder } from '../domain/place-order.ts';

/** `predicted` of somebody who got a slot without waiting for it. */
export const slotAtOnce = 0;

/**
 * What keeps a place: anyone who holds it is put back at its order, unless that order is spent. Called `ticket` in answers;
 * not to be mixed up with a ticket that was bought.
 */
export interface WaitingTicket {
  readonly eventId: string;
  readonly userId: string;
  readonly order: PlaceOrder;
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

export interface WaitingTickets {
  seal(ticket: WaitingTicket): string;
  sealPending(ticket: PendingTicket): string;
  /** Null: not ours, or edited. Whose it is and of which event is for the caller to compare. */
  open(text: string): OpenWaitingTicket | null;
  /** The same ticket, sealed by the first secret. */
  renew(ticket: OpenWaitingTicket): string;
}

export type OpenWaitingTicket = (
  | ({ readonly kind: 'waiting' } & WaitingTicket)
  | ({ readonly kind: 'pending' } & PendingTicket)
) & {
  /** Not sealed by the first secret: anyone who shows it gets it anew, so that the other secret can go. */
  readonly isOld: boolean;
};

const waitingKind = 'uqw2';
const pendingKind = 'uqp2';

/**
 * Nothing is remembered between two polls: most of a large crowd polls once a minute, so that a memory which is worth
 * having would hold all of them, and a look-up by so long a text costs about as much as its MAC.
 */
export function createWaitingTickets({ secrets }: { secrets: readonly string[] }): WaitingTickets {
  const sealing = (kind: string) => createSealedTexts({ kind, purpose: `urr ticket ${kind}`, secrets });
  const [waiting, pending] = [sealing(waitingKind), sealing(pendingKind)];
  const seal: WaitingTickets['seal'] = ({ eventId, userId, order, epoch, takenAtMs, predicted }) =>
    waiting.seal([eventId, userId, order, epoch, takenAtMs, predicted === null ? null : Math.round(predicted * 10)]);
  const sealPending: WaitingTickets['sealPending'] = ({ eventId, userId, requestedAtMs }) =>
    pending.seal([eventId, userId, requestedAtMs]);
  return {
    seal,
    sealPending,
    renew: (ticket) => (ticket.kind === 'waiting' ? seal(ticket) : sealPending(ticket)),
    open(text) {
      const fields = waiting.open(text);
      if (fields === null) return openPending(pending.open(text));
      const eventId = fields.text();
      const userId = fields.text();
      const order = fields.number() ?? 0;
      const epoch = fields.number() ?? 0;
      const takenAtMs = fields.number() ?? 0;
      const tenths = fields.number();
      const predicted = tenths === null ? null : tenths / 10;
      return { kind: 'waiting', eventId, userId, order, epoch, takenAtMs, predicted, isOld: fields.isOld };
    },
  };
}

function openPending(fields: SealedFields | null): OpenWaitingTicket | null {
  if (fields === null) return null;
  return {
    kind: 'pending',
    eventId: fields.text(),
    userId: fields.text(),
    requestedAtMs: fields.number() ?? 0,
    isOld: fields.isOld,
  };
}
