import type { FastifyReply } from 'fastify';
import { platformErrors } from '#platform/errors.ts';
import { PreparedJson, type RouteHandlers } from '#platform/http/contract.ts';
import type { BufferedEntry } from '../service/buffered-entry.ts';
import type { Answer, Caller, Queue } from '../service/queue.ts';
import { type Callers, vwrTokensOf } from './caller.ts';
import type { queueContracts } from './contracts.ts';
import type { QueueCookies } from './cookies.ts';
import type { StreamHandler } from './stream.ts';

export function createQueueHandlers(deps: {
  queue: Queue;
  entry: BufferedEntry;
  callers: Callers;
  cookies: QueueCookies;
  stream: StreamHandler;
}): RouteHandlers<typeof queueContracts> {
  const { queue, entry, callers, cookies, stream } = deps;

  function send(reply: FastifyReply, eventId: string, { caller, answer }: Sent): PreparedJson {
    const { ticket = renewedTicket(caller), entry } = answer;
    const owner = { eventId, userId: caller.userId };
    cookies.write(reply, owner, { ...(ticket !== undefined && { ticket }), ...(entry !== undefined && { entry }) });
    return new PreparedJson(answer.json);
  }

  return {
    async checkQueue(request, reply) {
      const { eventId } = request.params;
      refuseBody(request.body);
      neverKept(reply);
      const caller = callers.user(request, eventId, request.user);
      return send(reply, eventId, {
        caller,
        answer: await queue.check(eventId, caller, vwrTokensOf(request, eventId)),
      });
    },

    getQueueStatus(request, reply) {
      const { eventId } = request.params;
      neverKept(reply);
      const caller = callers.any(request, eventId, request.user);
      const known = queue.poll(eventId, caller);
      if (known !== null) return send(reply, eventId, { caller, answer: { json: known } });
      return queue.status(eventId, caller).then((answer) => send(reply, eventId, { caller, answer }));
    },

    async sendQueueHeartbeat(request, reply) {
      const { eventId } = request.params;
      refuseBody(request.body);
      neverKept(reply);
      const caller = callers.any(request, eventId, request.user);
      await queue.heartbeat(eventId, caller);
      const ticket = renewedTicket(caller);
      if (ticket !== undefined) cookies.write(reply, { eventId, userId: caller.userId }, { ticket });
      return null;
    },

    async leaveQueue(request, reply) {
      const { eventId } = request.params;
      refuseBody(request.body);
      neverKept(reply);
      const caller = callers.user(request, eventId, request.user);
      const { left } = await queue.leave(eventId, caller);
      cookies.write(reply, { eventId, userId: caller.userId }, { ticket: null, entry: null });
      return { left };
    },

    async enterQueue(request, reply) {
      const { eventId } = request.params;
      refuseBody(request.body);
      neverKept(reply);
      const caller = callers.user(request, eventId, request.user);
      return send(reply, eventId, {
        caller,
        answer: await entry.request(eventId, caller, vwrTokensOf(request, eventId)),
      });
    },

    streamQueue: stream,
  };
}

interface Sent {
  readonly caller: Caller;
  readonly answer: Answer;
}

/** To be set also where the answer changes nothing. */
function renewedTicket({ isRenewed, ticketText }: Caller): string | undefined {
  return isRenewed === true && ticketText !== null ? ticketText : undefined;
}

/** Places and tokens are of one person and of this moment. */
function neverKept(reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
}

/** A place is never taken from what a client says, and anyone who tries is not left in doubt about it. */
function refuseBody(body: unknown): void {
  if (body === undefined || body === null) return;
  const [field] = Object.keys(body);
  if (field === undefined) return;
  const errors = [{ field: `body.${field.slice(0, fieldLengthMax)}`, message: 'is not a known field' }];
  throw platformErrors.fault('VALIDATION_FAILED', { detail: 'This call takes no body.', extensions: { errors } });
}

const fieldLengthMax = 100;
