import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.ts';
import { Fault, platformErrors } from '../errors.ts';
import type { InternalCall, InternalCalls, InternalClient, InternalHandlers } from '../internal-call.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../resilience/circuit-breaker.ts';
import { retry } from '../resilience/retry.ts';
import type { InternalSignature } from './internal-signature.ts';
import { answerHeaders, callerHeaders } from './names.ts';
import { missesBody } from './signed-body.ts';

/** How a call travels. The caller cannot tell which: answers and faults look the same. */
export type InternalTransport = (name: string, call: InternalCall, input: unknown) => Promise<unknown>;

export function createInternalClient<Calls extends InternalCalls>(
  calls: Calls,
  transport: InternalTransport,
): InternalClient<Calls> {
  const methods = Object.entries(calls).map(([name, call]) => [name, (input: unknown) => transport(name, call, input)]);
  // The methods are those of `calls`, and each transport answers what the handler of that name answers.
  return Object.fromEntries(methods) as InternalClient<Calls>;
}

/** The callee runs in this process: types have checked the input, so it is not parsed again. */
export function inProcessTransport(
  handlers: Readonly<Record<string, (input: never) => Promise<unknown>>>,
): InternalTransport {
  return async (name, _call, input) => {
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`no handler for the internal call ${name}`);
    return await handler(input as never);
  };
}

export interface HttpTransportOptions {
  readonly module: string;
  /** Where the module runs: `http://catalog:3000`. */
  readonly url: string;
  readonly signature: InternalSignature;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

const timeoutDefaultMs = 2_000;
const answerBytesMax = 8 * 1024 * 1024;
const connectionsMax = 64;
const retryBackoffMs = 20;
const failuresToOpen = 5;
const openMs = 1_000;

/** `POST /internal/<module>/<call>` with signature, timeout, one more try for idempotent calls, and a circuit breaker. */
export function httpTransport(options: HttpTransportOptions): InternalTransport {
  const base = new URL(options.url);
  const { module: role, signature, timeoutMs = timeoutDefaultMs } = options;
  const post = createPost({ base, role, signature, timeoutMs });
  const breaker = createCircuitBreaker({ failuresToOpen, openMs, clock: options.clock });
  return async (name, call, input) => {
    const path = `/internal/${options.module}/${name}`;
    const send = () => guarded(breaker, () => post(path, JSON.stringify(input ?? null)));
    const answer = await retry(send, {
      times: call.idempotent ? 1 : 0,
      backoffMs: retryBackoffMs,
      retryable: (error) => error instanceof ConnectionFailure,
    }).catch((error: unknown) => {
      throw platformErrors.fault('ROLE_UNAVAILABLE', {
        detail: `The role ${options.module} did not answer.`,
        cause: error,
      });
    });
    if (answer.status === 200) return (JSON.parse(answer.body) as { output?: unknown }).output;
    throw remoteFault(options.module, answer);
  };
}

/** The callee's side. Without a valid signature there is nothing here: outsiders get the same 404 as for any unknown address. */
export function registerInternalCalls<Calls extends InternalCalls>(
  app: FastifyInstance,
  options: { module: string; calls: Calls; handlers: InternalHandlers<Calls>; signature: InternalSignature },
): void {
  const { module, calls, handlers, signature } = options;
  for (const [name, call] of Object.entries(calls)) {
    const handler = handlers[name];
    if (handler === undefined) throw new Error(`no handler for the internal call ${module}.${name}`);
    app.route({
      method: 'POST',
      url: `/internal/${module}/${name}`,
      schema: { body: call.input },
      onRequest: (request, _reply, done) =>
        done(signature.verify(request.raw) === null ? platformErrors.fault('NOT_FOUND') : undefined),
      preValidation: (request, _reply, done) =>
        done(missesBody(request.raw) ? platformErrors.fault('NOT_FOUND') : undefined),
      handler: async (request) => ({ output: await handler(request.body as never) }),
    });
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly body: string;
}

class ConnectionFailure extends Error {}

async function guarded(breaker: CircuitBreaker, send: () => Promise<Answer>): Promise<Answer> {
  if (!breaker.allow()) throw new Error('the circuit is open');
  try {
    const answer = await send();
    breaker.succeeded();
    return answer;
  } catch (error) {
    breaker.failed();
    throw error;
  }
}

function createPost(options: { base: URL; role: string; signature: InternalSignature; timeoutMs: number }) {
  const { base, role, signature, timeoutMs } = options;
  const secure = base.protocol === 'https:';
  const send = secure ? httpsRequest : httpRequest;
  const agent = new (secure ? HttpsAgent : HttpAgent)({ keepAlive: true, maxSockets: connectionsMax });
  return (path: string, body: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const outgoing = send(new URL(path, base), {
        agent,
        method: 'POST',
        headers: {
          [callerHeaders.contentType]: 'application/json',
          'content-length': Buffer.byteLength(body),
          ...signature.sign({ role, method: 'POST', path, body, user: null, slots: [] }),
        },
      });
      // One limit for all of it, connection to last byte: a trickle is no answer either.
      const timer = setTimeout(
        () => outgoing.destroy(new ConnectionFailure(`no answer in ${timeoutMs} ms`)),
        timeoutMs,
      );
      const fail = (error: Error) => {
        clearTimeout(timer);
        reject(error instanceof ConnectionFailure ? error : new ConnectionFailure(error.message, { cause: error }));
      };
      outgoing.on('error', fail);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > answerBytesMax) outgoing.destroy(new ConnectionFailure(`more than ${answerBytesMax} bytes`));
          else chunks.push(chunk);
        });
        incoming.on('error', fail);
        incoming.on('end', () => {
          clearTimeout(timer);
          const retryAfter = incoming.headers[answerHeaders.retryAfter];
          resolve({
            status: incoming.statusCode ?? 0,
            retryAfterSeconds: retryAfter === undefined ? undefined : Number(retryAfter),
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
      });
      outgoing.end(body);
    });
}

/** A fault crosses the wire as its problem document and is the same fault again on this side. */
function remoteFault(module: string, { status, retryAfterSeconds, body }: Answer): Fault {
  const problem = parseProblem(body);
  if (problem === null) {
    return platformErrors.fault('ROLE_UNAVAILABLE', {
      cause: new Error(`${module} answered ${status}: ${body.slice(0, 200)}`),
    });
  }
  const { code, title, detail, type: _type, status: _status, requestId: _requestId, ...extensions } = problem;
  return new Fault(
    code,
    { status, title, help: '' },
    {
      ...(typeof detail === 'string' && { detail }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      extensions,
    },
  );
}

function parseProblem(body: string): ({ code: string; title: string } & Record<string, unknown>) | null {
  try {
    const value = JSON.parse(body) as Record<string, unknown> | null;
    if (typeof value?.code !== 'string' || typeof value.title !== 'string') return null;
    return { ...value, code: value.code, title: value.title };
  } catch {
    return null;
  }
}
