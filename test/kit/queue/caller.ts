import type { QueueAnswer } from '#modules/queue/routes/schemas.ts';
import { createWaitingTickets } from '#modules/queue/service/waiting-tickets.ts';
import { createSendRaw, type RawAnswer, type SendRaw } from '../raw-http.ts';
import { testSecrets } from '../secrets.ts';
import type { SomebodySignedIn } from './show.ts';

/** One answer of the queue, and the times between which the queue gave it. */
export interface Answered {
  readonly http: number;
  readonly retryAfter: string | undefined;
  /** Null when it was no 200. */
  readonly answer: QueueAnswer | null;
  readonly text: string;
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface QueueCaller {
  check(who: SomebodySignedIn, ticket?: string | null): Promise<Answered>;
  /** With the ticket alone, as a page polls; without one by who is signed in. */
  status(who: SomebodySignedIn, ticket: string | null): Promise<Answered>;
  heartbeat(who: SomebodySignedIn, ticket: string): Promise<Answered>;
  /** A browser sends its ticket along. */
  leave(who: SomebodySignedIn, ticket?: string | null): Promise<Answered>;
  enter(who: SomebodySignedIn): Promise<Answered>;
}

const connectionsMax = 100;
const senders = new Map<string, SendRaw>();

function senderFor(url: string): SendRaw {
  const send = senders.get(url) ?? createSendRaw(url, { connectionsMax });
  senders.set(url, send);
  return send;
}

/** Calls one of the processes, whichever `pick` says at that moment. */
export function createQueueCaller(eventId: string, pick: () => string): QueueCaller {
  async function call(method: string, path: string, headers: Record<string, string>): Promise<Answered> {
    const sentMs = Date.now();
    const answer = await senderFor(pick())({ method, path: `/api/queue/${path}/${eventId}`, headers });
    return read(answer, sentMs);
  }
  const bearer = ({ accessToken }: SomebodySignedIn) => ({ authorization: `Bearer ${accessToken}` });
  const shown = (ticket: string | null | undefined) => (ticket ? { 'x-queue-ticket': ticket } : {});
  return {
    check: (who, ticket) => call('POST', 'check', { ...bearer(who), ...shown(ticket) }),
    status: (who, ticket) => call('GET', 'status', ticket === null ? bearer(who) : shown(ticket)),
    heartbeat: (_who, ticket) => call('POST', 'heartbeat', shown(ticket)),
    leave: (who, ticket) => call('POST', 'leave', { ...bearer(who), ...shown(ticket) }),
    enter: (who) => call('POST', 'enter', bearer(who)),
  };
}

function read({ status, headers, text }: RawAnswer, sentMs: number): Answered {
  const receivedMs = Date.now();
  const isAnswer = status === 200 || status === 202;
  const answer = isAnswer ? (JSON.parse(text) as QueueAnswer) : null;
  return { http: status, retryAfter: headers['retry-after'], answer, text, sentMs, receivedMs };
}

const tickets = createWaitingTickets({ secrets: [testSecrets.URR_TICKET_SECRET] });

/** What outsiders cannot read. */
export function orderIn(ticket: string): number {
  const opened = tickets.open(ticket);
  if (opened?.kind !== 'waiting') throw new Error(`not a waiting ticket: ${ticket}`);
  return opened.order;
}

/** A slot's id says whose place it was and when it was given: `event.order.ms`. */
export function slotIn(entryToken: string): { slotId: string; order: number; admittedMs: number } {
  const [, payload = ''] = entryToken.split('.');
  const { jti } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { jti: string };
  return parseSlotId(jti);
}

export function parseSlotId(slotId: string): { slotId: string; order: number; admittedMs: number } {
  const [, order, admittedMs] = slotId.split('.');
  return { slotId, order: Number(order), admittedMs: Number(admittedMs) };
}
