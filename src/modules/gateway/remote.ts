import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Client, type Dispatcher, errors } from 'undici';
import type { Clock } from '#platform/clock.ts';
import { Fault, platformErrors } from '#platform/errors.ts';
import type { InternalSignature } from '#platform/http/internal-signature.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { answerHeaders, forwardedHeaders } from './forwarded-headers.ts';
import { createRoleConnections } from './role-connections.ts';

export interface RemoteOptions {
  /** The module that runs there. */
  readonly role: string;
  readonly url: string;
  readonly signature: InternalSignature;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Until the first byte of the answer. Bodies then stream as long as they like, for some are event streams. */
  readonly timeoutMs: number;
  readonly connectionsMax?: number;
}

export interface Remote {
  /** The body of the request is there, or it has none. */
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  close(): void;
}

const connectionsMaxDefault = 256;
/** Calls that wait for a connection. Each does so for `timeoutMs` at most. */
const waitingMax = 4_096;
/** Whoever reads slower than this no longer holds one of the connections that others wait for. */
const readingMaxMs = 1_000;
const failuresToOpen = 5;
const openMs = 2_000;

/** Another process that runs a role. Refuses with ROLE_UNAVAILABLE when it does not answer in time, or lately did not. */
export function createRemote(options: RemoteOptions): Remote {
  const { role, clock, logger, signature, timeoutMs } = options;
  const connections = createRoleConnections({
    url: new URL(options.url),
    connectionsMax: options.connectionsMax ?? connectionsMaxDefault,
    waitingMax,
    connectTimeoutMs: timeoutMs,
  });
  const breaker = createCircuitBreaker({
    failuresToOpen,
    openMs,
    clock,
    onChange: (state) => logger.warn({ role, state }, 'circuit to a remote role'),
  });

  function callOf(request: FastifyRequest): Dispatcher.RequestOptions {
    const { method = 'GET', url: path = '/' } = request.raw;
    const body = bodyOf(request);
    const { user, entry, ip: address } = request;
    return {
      // The router knows no others.
      method: method as Dispatcher.HttpMethod,
      path,
      headers: { ...forwardedHeaders(request), ...signature.sign({ role, method, path, body, user, entry, address }) },
      body,
    };
  }

  /** One try. However it ends but well, its connection ends with it. */
  function send(request: FastifyRequest, reply: FastifyReply): Promise<Dispatcher.ResponseData> {
    return new Promise((resolve, reject) => {
      let connection: Client | null = null;
      const end = () => {
        clearTimeout(timer);
        reply.raw.off('close', abandon);
      };
      const fail = (error: unknown) => {
        end();
        waiting?.cancel();
        if (connection !== null) connections.discard(connection);
        reject(error);
      };
      const timer = setTimeout(() => fail(new Unanswered(`no answer in ${timeoutMs} ms`)), timeoutMs);
      // Whoever no longer waits for the answer must not keep the other side working on it.
      const abandon = () => fail(new Abandoned());
      reply.raw.once('close', abandon);
      const waiting = connections.take((taken) => {
        connection = taken;
        // Signed only now: a signature is valid for seconds.
        taken.request(callOf(request)).then((answer) => {
          end();
          watchAnswer(taken, answer);
          resolve(answer);
        }, fail);
      });
      if (waiting === null)
        fail(platformErrors.fault('ROLE_UNAVAILABLE', { detail: `Too many calls wait for the role ${role}.` }));
    });
  }

  function watchAnswer(connection: Client, { headers, body }: Dispatcher.ResponseData): void {
    let isAside = false;
    const setAside = () => {
      isAside = true;
      connections.setAside(connection);
    };
    const isStream = String(headers['content-type'] ?? '').startsWith('text/event-stream');
    const timer = isStream ? undefined : setTimeout(setAside, readingMaxMs);
    if (isStream) setAside();
    body.once('close', () => {
      clearTimeout(timer);
      if (isAside || !body.readableEnded) connections.discard(connection);
      else connections.giveBack(connection);
    });
  }

  async function sendGuarded(request: FastifyRequest, reply: FastifyReply): Promise<Dispatcher.ResponseData> {
    // Reading is idempotent by definition.
    let triesLeft = request.method === 'GET' || request.method === 'HEAD' ? 2 : 1;
    for (;;) {
      if (!breaker.allow())
        throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${role} does not answer.` });
      try {
        const answer = await send(request, reply);
        breaker.succeeded();
        return answer;
      } catch (error) {
        if (error instanceof Fault || error instanceof Abandoned) throw error;
        // Not sent at all, and no fault of the role.
        if (error instanceof errors.InvalidArgumentError)
          throw platformErrors.fault('MALFORMED_REQUEST', { cause: error });
        breaker.failed();
        triesLeft -= 1;
        // Slowness is not cured by asking twice.
        if (triesLeft > 0 && !(error instanceof Unanswered)) continue;
        throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${role} does not answer.`, cause: error });
      }
    }
  }

  return {
    async forward(request, reply) {
      try {
        const { statusCode, headers, body } = await sendGuarded(request, reply);
        return reply.code(statusCode).headers(answerHeaders(headers)).send(body);
      } catch (error) {
        // There is nobody left to answer, and nothing went wrong here.
        if (error instanceof Abandoned) return reply.hijack();
        throw error;
      }
    },
    close: () => connections.close(),
  };
}

class Unanswered extends Error {}
/** The caller went away. */
class Abandoned extends Error {}

/** Collected before (`collected-bodies.ts`). An empty one is none. */
function bodyOf({ body }: FastifyRequest): Buffer | null {
  return Buffer.isBuffer(body) && body.length > 0 ? body : null;
}
