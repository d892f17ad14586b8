import { isoTime } from '#platform/clock.ts';
import type { InternalHandlers } from '#platform/internal-call.ts';
import type { personalDataCalls } from '#platform/personal-data-calls.ts';
import type { Random } from '#platform/random.ts';
import { holdTimes } from '../domain/reservation.ts';
import type { ticketingInternalCalls } from '../internal-calls.ts';
import type { TicketingDeps } from '../ports.ts';
import type { OwnReservation, RefundQuote } from '../schemas.ts';
import { findReservation } from '../storage/one-reservation.ts';
import { ownReservation } from '../storage/own-reservations.ts';
import { isBarred } from '../storage/personal-data.ts';
import { reservationOf } from '../storage/reservation-row.ts';
import * as transitions from '../storage/transitions.ts';
import type { Aftermath } from './aftermath.ts';

export type ConfirmVerdict =
  | { readonly status: 'confirmed'; readonly reservation: OwnReservation }
  | { readonly status: 'unknown' | 'expired' | 'payment-needed' | 'over' }
  | { readonly status: 'closed'; readonly now: OwnReservation['status'] };

export type CancelVerdict =
  | { readonly status: 'done'; readonly reservation: OwnReservation }
  | { readonly status: 'unknown' | 'expired' }
  | { readonly status: 'closed'; readonly now: OwnReservation['status'] }
  | { readonly status: 'not-cancellable'; readonly tickets: transitions.Cancelled['refusals'] }
  | { readonly status: 'refund-changed'; readonly quote: RefundQuote };

interface BuyerCancelCall {
  readonly reservationId: string;
  readonly userId: string;
  readonly ticketIds: readonly string[] | null;
  /** What the buyer was shown: nothing is cancelled for less. */
  readonly refundKrw?: number | null;
}

/** What becomes of a reservation after its hold. Every call may be repeated. */
export interface Reservations {
  confirm(call: { reservationId: string; userId: string }): Promise<ConfirmVerdict>;
  cancel(call: BuyerCancelCall): Promise<CancelVerdict>;
  /** What payments asks. */
  readonly internal: Omit<InternalHandlers<typeof ticketingInternalCalls>, keyof typeof personalDataCalls>;
}

type ReservationsDeps = Pick<TicketingDeps, 'database' | 'ids' | 'random'> & { readonly aftermath: Aftermath };

export function createReservations(deps: ReservationsDeps): Reservations {
  const { database, ids, random, aftermath } = deps;

  async function shown(of: { reservationId: string; userId: string }): Promise<OwnReservation> {
    const found = await ownReservation(database, of);
    if (found === null) throw new Error('a reservation that was there a moment ago is gone');
    return found;
  }

  async function cancelWith(call: Omit<transitions.CancelCall, 'seed'>): Promise<transitions.Cancelled> {
    const cancelled = await transitions.cancel(database, { ...call, seed: drawSeed(random) });
    aftermath.follow(cancelled.freed);
    return cancelled;
  }

  return {
    async confirm(call) {
      if (await isBarred(database, call.userId)) return { status: 'unknown' };
      const verdict = await transitions.confirmFree(database, call);
      switch (verdict) {
        case 'confirmed':
          aftermath.follow();
          return { status: 'confirmed', reservation: await shown(call) };
        case 'closed':
          return { status: 'closed', now: (await shown(call)).status };
        case 'payment_needed':
          return { status: 'payment-needed' };
        default:
          return { status: verdict };
      }
    },

    async cancel({ reservationId, userId, ticketIds, refundKrw: atLeastKrw = null }) {
      const what = { reservationId, userId, ticketIds, atLeastKrw };
      const { verdict, refusals, quote } = await cancelWith({ ...what, cancellationId: ids.next(), reason: 'buyer' });
      switch (verdict) {
        case 'cancelled':
        case 'released':
        case 'refund_requested':
          return { status: 'done', reservation: await shown({ reservationId, userId }) };
        case 'closed':
          return { status: 'closed', now: (await shown({ reservationId, userId })).status };
        case 'not_cancellable':
          return { status: 'not-cancellable', tickets: refusals };
        case 'refund_changed':
          if (quote === null) throw new Error('a refund that has changed comes with its quote');
          return { status: 'refund-changed', quote };
        default:
          return { status: verdict };
      }
    },

    internal: {
      async prepareReservation(call) {
        if (await isBarred(database, call.userId)) return { verdict: 'unknown', reservation: null };
        const row = await transitions.prepare(database, call);
        if (row.verdict !== 'ready') return { verdict: row.verdict, reservation: null };
        return { verdict: 'ready', reservation: preparedOf(call.reservationId, row) };
      },

      async pin({ paymentType, referenceId, ...call }) {
        // Nothing is transferred yet.
        if (paymentType === 'transfer' || (await isBarred(database, call.userId))) return { verdict: 'unknown' };
        return { verdict: await transitions.pin(database, { ...call, reservationId: referenceId }) };
      },

      async unpin({ attemptId }) {
        const { wasPinned, freed } = await transitions.unpin(database, attemptId);
        aftermath.follow(freed);
        return { unpinned: wasPinned };
      },

      async reservationState({ reservationId }) {
        const found = await findReservation(database, reservationId);
        if (found === null) return { reservation: null };
        const { user_id: userId, attempt_id: attemptId, attempts } = found.row;
        const attemptsLeft = Math.max(0, holdTimes.attemptsMax - attempts);
        const shown = reservationOf(found.row, found.nowMs);
        const { reservationNumber, eventId, status, paymentStatus, expiresAt, totalKrw } = shown;
        return {
          reservation: {
            ...{ userId, reservationNumber, eventId, status, paymentStatus },
            ...{ attemptId, attemptsLeft, expiresAt, totalKrw },
          },
        };
      },

      async cancelTickets({ terms, ...call }) {
        const { verdict, ticketIds } = await cancelWith({ ...call, inFull: terms === 'full' });
        switch (verdict) {
          case 'released':
          case 'refund_requested':
            return { verdict: 'cancelled', ticketIds: [] };
          case 'expired':
            return { verdict: 'closed', ticketIds: [] };
          case 'refund_changed':
            throw new Error('no sum was insisted on');
          default:
            return { verdict, ticketIds: [...ticketIds] };
        }
      },
    },
  };
}

/** Below 2^48, which a number and PostgreSQL's bigint both hold. */
export function drawSeed(random: Random): number {
  return random.bytes(6).readUIntBE(0, 6);
}

function preparedOf(reservationId: string, row: transitions.PreparedRow) {
  return {
    reservationId,
    reservationNumber: row.reservation_number,
    eventId: row.event_id,
    title: row.title,
    ticketCount: row.ticket_count,
    amountKrw: row.amount_krw,
    expiresAt: isoTime(row.expires_at.getTime()),
    saleClosesAt: isoTime(row.sale_closes_at.getTime()),
  };
}
