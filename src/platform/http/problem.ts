import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault, platformErrors } from '../errors.ts';
import { describeThrown } from '../telemetry/thrown.ts';
import { safetyHeaders, strictPolicy } from './answer-policy.ts';
import { answerHeaders } from './names.ts';

/** The body of every refusal, RFC 9457. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly requestId?: string;
  readonly errors?: readonly FieldError[];
  readonly [extension: string]: unknown;
}

export interface FieldError {
  /** Where: `body.email`, `query.limit`. */
  readonly field: string;
  readonly message: string;
}

export const problemContentType = 'application/problem+json; charset=utf-8';

/** The one place that decides status and body of a failure. Logs what is our fault, and only that, as an error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const fault = asFault(error);
  if (fault.definition.status >= 500 && !fault.isKnown) logFailure(fault, error, request);
  if (fault.retryAfterSeconds !== undefined)
    reply.header(answerHeaders.retryAfter, String(Math.max(1, Math.ceil(fault.retryAfterSeconds))));
  // Every reply is explicit about caching; a refusal must never be kept by a proxy.
  return (
    reply
      .code(fault.definition.status)
      .header('cache-control', 'no-store')
      // Set before in most cases; a request that never reached a hook gets them here.
      .header(answerHeaders.requestId, request.id)
      .header(safetyHeaders.nosniff, 'nosniff')
      .header(safetyHeaders.policy, strictPolicy)
      .type(problemContentType)
      .serializer(JSON.stringify)
      .send(problemOf(fault, request.id))
  );
}

/** In an outage every request fails in the same way, thousands a second. */
const inFullEveryMs = 1_000;
const waysMax = 1_000;
/** Of each server: when a way to fail was last logged in full, and how often it was not since. */
const waysToFail = new WeakMap<FastifyInstance, Map<string, { fullAtMs: number; unlogged: number }>>();

/** An outage in full once a second for each route, with how often it was met since. A fault of ours is a line each, with its stack once a second. */
function logFailure(fault: Fault, error: unknown, request: FastifyRequest): void {
  const { code } = fault;
  const { url: route } = request.routeOptions;
  const isOutage = fault.definition.status === 503;
  const cause = fault.cause ?? error;
  const way = `${code} ${route}`;
  const ways = waysToFail.get(request.server) ?? new Map<string, { fullAtMs: number; unlogged: number }>();
  waysToFail.set(request.server, ways);
  const known = ways.get(way);
  const isInFull = known === undefined || performance.now() - known.fullAtMs >= inFullEveryMs;
  if (!isInFull) {
    known.unlogged += 1;
    if (isOutage) return;
  }
  const facts = { code, route, requestId: request.id };
  const what = isInFull ? { err: cause, unlogged: known?.unlogged ?? 0 } : { reason: describeThrown(cause).reason };
  request.log[isOutage ? 'warn' : 'error']({ ...what, ...facts }, 'request failed');
  if (!isInFull) return;
  if (ways.size >= waysMax) ways.clear();
  ways.set(way, { fullAtMs: performance.now(), unlogged: 0 });
}

export function problemOf(fault: Fault, requestId: string): ProblemDocument {
  return {
    type: `/docs/errors#${fault.code}`,
    title: fault.definition.title,
    status: fault.definition.status,
    code: fault.code,
    ...(fault.detail !== undefined && { detail: fault.detail }),
    ...fault.extensions,
    requestId,
  };
}

/** Fastify's own refusals, in our words. Anything unknown is INTERNAL, and its text stays inside. */
function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const thrown = error as Partial<FastifyError>;
  if (thrown.validation) {
    const errors = thrown.validation
      .slice(0, fieldErrorsMax)
      .map((problem) => describe(problem, thrown.validationContext ?? 'body'));
    return platformErrors.fault('VALIDATION_FAILED', {
      detail: errors.map((field) => `${field.field} ${field.message}`).join('; '),
      extensions: { errors },
      cause: error,
    });
  }
  switch (thrown.code) {
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return platformErrors.fault('MALFORMED_BODY', { cause: error });
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return platformErrors.fault('PAYLOAD_TOO_LARGE', { cause: error });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return platformErrors.fault('UNSUPPORTED_MEDIA_TYPE', { cause: error });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return platformErrors.fault('MALFORMED_PATH', { cause: error });
  }
  // Body-parser failures (a syntax error, a broken upload, __proto__ in the body) carry 400 and no code of their own.
  if (thrown.statusCode === 400) return platformErrors.fault('MALFORMED_BODY', { cause: error });
  return platformErrors.fault('INTERNAL', { cause: error });
}

const fieldErrorsMax = 20;

function describe(problem: NonNullable<FastifyError['validation']>[number], context: string): FieldError {
  const path = problem.instancePath.split('/').slice(1);
  const params = problem.params as Record<string, unknown>;
  if (problem.keyword === 'required') path.push(String(params.missingProperty));
  if (problem.keyword === 'additionalProperties') path.push(String(params.additionalProperty));
  const where = context === 'querystring' ? 'query' : context;
  const message =
    problem.keyword === 'required'
      ? 'is missing'
      : problem.keyword === 'additionalProperties'
        ? 'is not a known field'
        : problem.keyword === 'enum'
          ? `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
          : (problem.message ?? 'is not valid');
  return { field: [where, ...path].join('.').slice(0, 200), message };
}
