import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { Fault, platformErrors } from '#platform/errors.ts';
import type { InternalSignature } from '#platform/http/internal-signature.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { answerHeaders, forwardedHeaders } from './forwarded-headers.ts';

export interface RemoteOptions {
  /** The module that runs there. */
  readonly role: string;
  readonly url: string;
  readonly signature: InternalSignature;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Until the first byte of the answer. Bodies then stream as long as they like, for some are event streams. */
  readonly timeoutMs: number;
}

export interface Remote {
  forward(request: FastifyRequest, reply: FastifyReply, bodyLimitBytes: number): Promise<FastifyReply>;
  close(): void;
}

const connectionsMax = 256;
const failuresToOpen = 5;
const openMs = 2_000;

/** Another process that runs a role. Refuses with ROLE_UNAVAILABLE when it does not answer in time, or lately did not. */
export function createRemote(options: RemoteOptions): Remote {
  const { role, clock, logger, signature, timeoutMs } = options;
  const base = new URL(options.url);
  const secure = base.protocol === 'https:';
  const open = secure ? httpsRequest : httpRequest;
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: connectionsMax });
  const streaming = new Set<Socket>();
  const breaker = createCircuitBreaker({
    failuresToOpen,
    openMs,
    clock,
    onChange: (state) => logger.warn({ role, state }, 'circuit to a remote role'),
  });

  function send(request: FastifyRequest, reply: FastifyReply, bodyLimitBytes: number): Promise<IncomingMessage> {
    const { method, url: path = '/' } = request.raw;
    const signed = signature.sign({
      method: method ?? 'GET',
      path,
      user: request.user,
      entry: request.entry,
      address: request.ip,
    });
    return new Promise((resolve, reject) => {
      const outgoing = open({
        agent,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port,
        method,
        path,
        headers: { ...forwardedHeaders(request), ...signed },
      });
      const body = request.body as Readable | null | undefined;
      const timer = setTimeout(() => {
        // A caller who is slow to send says nothing about the role, and must not be able to open its circuit.
        const waitsForCaller = body && !body.readableEnded && !outgoing.writableNeedDrain;
        const late = waitsForCaller
          ? platformErrors.fault('REQUEST_TIMEOUT')
          : new Unanswered(`no answer in ${timeoutMs} ms`);
        outgoing.destroy(late);
        // Without a connection yet it would say so only once it gets one.
        reject(late);
      }, timeoutMs);
      // Whoever no longer waits for the answer must not keep the other side working on it.
      const abandon = () => outgoing.destroy(new Abandoned());
      reply.raw.once('close', abandon);
      outgoing.once('error', (error) => {
        clearTimeout(timer);
        reply.raw.off('close', abandon);
        reject(error);
      });
      outgoing.once('response', (answer) => {
        clearTimeout(timer);
        if (isEventStream(answer)) takeOutOfPool(answer);
        resolve(answer);
      });
      if (body) stream(body, outgoing, bodyLimitBytes);
      else outgoing.end();
    });
  }

  /** It lasts as long as its reader: some hundreds of them would leave no connection for anything else. */
  function takeOutOfPool(answer: IncomingMessage): void {
    const { socket } = answer;
    streaming.add(socket);
    socket.emit('agentRemove');
    // The pool no longer takes it back, so nobody would ever close it.
    answer.once('close', () => socket.destroy());
    socket.once('close', () => streaming.delete(socket));
  }

  async function sendGuarded(
    request: FastifyRequest,
    reply: FastifyReply,
    bodyLimitBytes: number,
  ): Promise<IncomingMessage> {
    // Reading is idempotent by definition, and has no body that the first try might have used up.
    let triesLeft = request.method === 'GET' || request.method === 'HEAD' ? 2 : 1;
    for (;;) {
      if (!breaker.allow())
        throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${role} does not answer.` });
      try {
        const answer = await send(request, reply, bodyLimitBytes);
        breaker.succeeded();
        return answer;
      } catch (error) {
        if (error instanceof Fault || error instanceof Abandoned) throw error;
        breaker.failed();
        triesLeft -= 1;
        // Slowness is not cured by asking twice.
        if (triesLeft > 0 && !(error instanceof Unanswered)) continue;
        throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${role} does not answer.`, cause: error });
      }
    }
  }

  return {
    async forward(request, reply, bodyLimitBytes) {
      try {
        const answer = await sendGuarded(request, reply, bodyLimitBytes);
        return reply
          .code(answer.statusCode ?? 502)
          .headers(answerHeaders(answer.headers))
          .send(answer);
      } catch (error) {
        // There is nobody left to answer, and nothing went wrong here.
        if (error instanceof Abandoned) return reply.hijack();
        throw error;
      }
    },
    close() {
      agent.destroy();
      for (const socket of streaming) socket.destroy();
    },
  };
}

class Unanswered extends Error {}
/** The caller went away. */
class Abandoned extends Error {}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

function stream(body: Readable, outgoing: ClientRequest, bytesMax: number): void {
  let bytes = 0;
  body.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) outgoing.destroy(platformErrors.fault('PAYLOAD_TOO_LARGE'));
  });
  body.once('error', () => outgoing.destroy(new Abandoned()));
  body.pipe(outgoing);
}
