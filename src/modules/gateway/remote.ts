import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Client, type Dispatcher, errors } from 'undici';
import type { Clock } from '#platform/clock.ts';
import { Fault, platformErrors } from '#platform/errors.ts';
import { releaseBody } from '#platform/http/collected-bodies.ts';
import { slotsOf } from '#platform/http/entry.ts';
import type { InternalSignature } from '#platform/http/internal-signature.ts';
import { callerHeaders } from '#platform/http/names.ts';
import { createCircuitBreaker } from '#platform/resilience/circuit-breaker.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import { createCallers } from './callers.ts';
import { answerHeaders, forwardedHeaders } from './forwarded-headers.ts';
import { createRoleConnections } from './role-connections.ts';
import { createUnreadAnswers, type UnreadLimits, unreadLimits } from './unread-answers.ts';

export interface RemoteOptions {
  /** The module that runs there. */
  readonly role: string;
  readonly url: string;
  readonly signature: InternalSignature;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Until the first byte of the answer. Event streams then last as long as they like, other answers as `limits` say. */
  readonly timeoutMs: number;
  readonly limits?: Partial<RemoteLimits>;
}

export interface RemoteLimits extends UnreadLimits {
  readonly connectionsMax: number;
}

export interface Remote {
  /** The body of the request is there, or it has none. */
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  close(): void;
}

const remoteLimits: RemoteLimits = { ...unreadLimits, connectionsMax: 256 };
/** Calls that wait for a connection. Each does so for `timeoutMs` at most. */
const waitingMax = 4_096;
/** Of one caller's connection, sent without waiting for answers. Browsers and proxies send one at a time. */
const callsPerSocketMax = 16;
const failuresToOpen = 5;
const openMs = 2_000;

/** Another process that runs a role. Refuses with ROLE_UNAVAILABLE when it does not answer in time, or lately did not. */
export function createRemote(options: RemoteOptions): Remote {
  const { role, clock, logger, signature, timeoutMs } = options;
  const limits = { ...remoteLimits, ...options.limits };
  const callers = createCallers({ callsMax: callsPerSocketMax });
  const unreadAnswers = createUnreadAnswers(limits);
  const connections = createRoleConnections({
    url: new URL(options.url),
    connectionsMax: limits.connectionsMax,
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
    const { user, ip: address } = request;
    const slots = slotsOf(request);
    return {
      // The router knows no others.
      method: method as Dispatcher.HttpMethod,
      path,
      headers: { ...forwardedHeaders(request), ...signature.sign({ role, method, path, body, user, slots, address }) },
      body,
    };
  }

  /** One try. However it ends but well, its connection ends with it. */
  function send(request: FastifyRequest): Promise<Dispatcher.ResponseData> {
    return new Promise((resolve, reject) => {
      const { socket } = request.raw;
      let connection: Client | null = null;
      const fail = (error: unknown) => {
        clearTimeout(timer);
        leave?.();
        waiting?.cancel();
        if (connection !== null) connections.discard(connection);
        reject(error);
      };
      const timer = setTimeout(() => fail(connection === null ? crowded() : new Unanswered(timeoutMs)), timeoutMs);
      // The role must not go on working for a caller who went away, before its answer or in the middle of it.
      const leave = callers.begin(socket, () => fail(new Abandoned()));
      if (leave === null) {
        clearTimeout(timer);
        socket.destroy();
        return reject(new Abandoned());
      }
      const waiting = connections.take((taken) => {
        connection = taken;
        // Signed only now: a signature is valid for seconds.
        taken.request(callOf(request)).then((answer) => {
          if (!isStatus(answer.statusCode)) {
            answer.body.on('error', () => undefined);
            return fail(new Error(`an answer of status ${answer.statusCode}`));
          }
          clearTimeout(timer);
          const cutOff = () => {
            fail(new Abandoned());
            socket.destroy();
          };
          watchAnswer(taken, answer, { leave, cutOff });
          resolve(answer);
        }, fail);
      });
      if (waiting === null) fail(crowded());
    });
  }

  /** Says nothing about the role: others have its connections, and those calls count. */
  function crowded(): Fault {
    return platformErrors.fault('ROLE_UNAVAILABLE', { detail: `Too many calls wait for the role ${role}.` });
  }

  function watchAnswer(
    connection: Client,
    { headers, body }: Dispatcher.ResponseData,
    { leave, cutOff }: { leave: () => void; cutOff: () => void },
  ): void {
    let isAside = false;
    const setAside = () => {
      isAside = true;
      connections.setAside(connection);
    };
    const isStream = String(headers[callerHeaders.contentType] ?? '').startsWith('text/event-stream');
    if (isStream) setAside();
    const isOver = isStream ? undefined : unreadAnswers.watch({ setAside, cutOff });
    body.once('close', () => {
      leave();
      isOver?.();
      if (isAside || !body.readableEnded) connections.discard(connection);
      else connections.giveBack(connection);
    });
  }

  async function sendGuarded(request: FastifyRequest): Promise<Dispatcher.ResponseData> {
    // Reading is idempotent by definition.
    let triesLeft = request.method === 'GET' || request.method === 'HEAD' ? 2 : 1;
    for (;;) {
      if (!breaker.allow())
        // Said in the log when the circuit opened, and not again at every call.
        throw platformErrors.fault('ROLE_UNAVAILABLE', { detail: `The role ${role} does not answer.`, isKnown: true });
      try {
        const answer = await send(request);
        breaker.succeeded();
        return answer;
      } catch (error) {
        if (error instanceof Fault || error instanceof Abandoned) throw error;
        // Not sent at all, and no fault of the role.
        if (error instanceof errors.InvalidArgumentError)
          throw platformErrors.fault('MALFORMED_REQUEST', { cause: error });
        // What the caller sent made it so long; others are answered.
        if (error instanceof errors.HeadersOverflowError)
          throw platformErrors.fault('ROLE_UNAVAILABLE', {
            detail: 'The head of the answer is too long.',
            cause: error,
          });
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
        const { statusCode, headers, body } = await sendGuarded(request);
        return reply.code(statusCode).headers(answerHeaders(headers)).send(body);
      } catch (error) {
        // There is nobody left to answer, and nothing went wrong here.
        if (!(error instanceof Abandoned)) throw error;
        releaseBody(request);
        return reply.hijack();
      }
    },
    close: () => connections.close(),
  };
}

class Unanswered extends Error {
  constructor(ms: number) {
    super(`no answer in ${ms} ms`);
  }
}
/** The caller went away. */
class Abandoned extends Error {}

/** Of a final answer. Others cannot be passed on. */
function isStatus(code: number): boolean {
  return code >= 200 && code <= 599;
}

/** Collected before (`platform/http/collected-bodies.ts`). An empty one is none. */
function bodyOf({ body }: FastifyRequest): Buffer | null {
  return Buffer.isBuffer(body) && body.length > 0 ? body : null;
}
