import type { Reservation, SeatMap } from '#modules/ticketing/schemas.ts';
import { createSendRaw, type RawAnswer, type SendRaw } from '../raw-http.ts';
import type { Shopper } from './entry.ts';

/** One answer of ticketing, read. */
export interface Answer<Body> {
  readonly status: number;
  /** Of a problem. */
  readonly code: string | null;
  readonly retryAfter: string | undefined;
  readonly isReplay: boolean;
  /** What was answered, problem or not. */
  readonly body: Body;
  readonly text: string;
}

export interface StandingItem {
  readonly ticketTypeId: string;
  readonly quantity: number;
}

export interface TicketCounter {
  map(who: Shopper): Promise<Answer<SeatMap>>;
  reserve(who: Shopper, seatIds: readonly string[], key: string): Promise<Answer<Reservation>>;
  /** The best that fit, beside each other or not. */
  bestAvailable(who: Shopper, wish: { count: number; section?: string }, key: string): Promise<Answer<Reservation>>;
  standing(who: Shopper, items: readonly StandingItem[], key: string): Promise<Answer<Reservation>>;
  reservation(who: Shopper, reservationId: string): Promise<Answer<Reservation>>;
  confirm(who: Shopper, reservationId: string): Promise<Answer<Reservation>>;
  cancel(who: Shopper, reservationId: string): Promise<Answer<Reservation>>;
}

const connectionsMax = 100;
const senders = new Map<string, SendRaw>();

function senderFor(url: string): SendRaw {
  const send = senders.get(url) ?? createSendRaw(url, { connectionsMax });
  senders.set(url, send);
  return send;
}

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: object;
}

/** One call of somebody in a slot. Goes to one of the processes, whichever `pick` says at that moment. */
export function createCaller(pick: () => string): <Body>(who: Shopper, call: Call) => Promise<Answer<Body>> {
  return async (who, { method = 'GET', path, key, body }) => {
    const headers = {
      authorization: `Bearer ${who.accessToken}`,
      'x-queue-entry-token': who.entryToken,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return read(await senderFor(pick())({ method, path, headers, ...sent }));
  };
}

export const post = (path: string, body?: object) => ({ method: 'POST', path, ...(body && { body }) });

export function createTicketCounter(eventId: string, pick: () => string): TicketCounter {
  const call = createCaller(pick);
  return {
    map: (who) => call(who, { path: `/api/seats/events/${eventId}` }),
    reserve: (who, seatIds, key) => call(who, { ...post('/api/seats/reserve', { eventId, seatIds }), key }),
    bestAvailable: (who, wish, key) =>
      call(who, { ...post('/api/seats/best-available', { eventId, ...wish, together: false }), key }),
    standing: (who, items, key) => call(who, { ...post('/api/reservations', { eventId, items }), key }),
    reservation: (who, id) => call(who, { path: `/api/reservations/${id}` }),
    confirm: (who, id) => call(who, post(`/api/reservations/${id}/confirm`)),
    cancel: (who, id) => call(who, post(`/api/reservations/${id}/cancel`, {})),
  };
}

function read<Body>({ status, headers, text }: RawAnswer): Answer<Body> {
  const body = text === '' ? null : JSON.parse(text);
  return {
    status,
    code: status >= 400 ? ((body as { code?: string } | null)?.code ?? '') : null,
    retryAfter: headers['retry-after'],
    isReplay: headers['idempotent-replayed'] === 'true',
    // The caller says what it has asked for.
    body: body as Body,
    text,
  };
}
