import type { IncomingMessage, RequestListener } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onRequestHookHandler,
  type onResponseHookHandler,
} from 'fastify';
import { assert } from '../assert.ts';
import { platformErrors } from '../errors.ts';
import type { Ids } from '../ids.ts';
import type { HttpMetrics } from '../telemetry/http-metrics.ts';
import type { Logger } from '../telemetry/logger.ts';
import { safetyHeaders, strictPolicy } from './answer-policy.ts';
import { createBrokenRequests } from './broken-requests.ts';
import { createExpressLane, type ExpressLane } from './express-lane.ts';
import { parseJsonBodies } from './json-body.ts';
import { answerHeaders, callerHeaders } from './names.ts';
import { sendProblem } from './problem.ts';
import { refuseUnclearFraming } from './request-framing.ts';
import { TurnResponse } from './turn-response.ts';
import { validatorCompiler } from './validation.ts';
import './routes.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly express: ExpressLane;
    /** Where a call comes from, behind proxies that are trusted: what `request.ip` says, before there is a Fastify request. */
    readonly addressOf: (request: IncomingMessage) => string;
  }
  interface FastifyContextConfig {
    /** The content security policy of a page (`policyOf`), where it is not the strict one of all answers. */
    policy?: string;
  }
}

export interface HttpServerOptions {
  readonly logger: Logger;
  readonly ids: Ids;
  /** Addresses or networks of proxies in front, whose X-Forwarded-For is believed. None by default. */
  readonly trustedProxies?: readonly string[];
  readonly bodyLimitBytes?: number;
  readonly requestTimeoutMs?: number;
  readonly metrics?: HttpMetrics;
  /** One in this many ordinary requests is logged; failures always are. 0: none. */
  readonly logSampleEvery?: number;
  readonly rewriteUrl?: (request: IncomingMessage) => string;
  /** `TurnResponse` unless somebody wants to measure what that is worth. */
  readonly writesInTurns?: boolean;
}

const headerBytesMax = 16 * 1024;
const connectionIdleMs = 65_000;
const requestTimeoutDefaultMs = 15_000;
const headersTimeoutMs = 10_000;
const requestIdPattern = /^[\w.:-]{8,100}$/;

/** A Fastify that answers as this program does: problem documents, limits, request ids, sampled logs, metrics. Routes come from elsewhere. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { logger, requestTimeoutMs = requestTimeoutDefaultMs } = options;
  const nextRequestId = createRequestIds(options.ids);
  const requestIdOf = (request: IncomingMessage) => {
    const given = request.headers[callerHeaders.requestId];
    return typeof given === 'string' && requestIdPattern.test(given) ? given : nextRequestId();
  };
  const { trustedProxies = [] } = options;
  const trusts = trustedProxies.length > 0 ? proxyAddr.compile([...trustedProxies]) : null;
  const brokenRequests = createBrokenRequests();
  const app = Fastify({
    loggerInstance: childless(logger),
    // Logging every request costs a quarter of the throughput; see `logSampleEvery`.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimitBytes ?? 64 * 1024,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 0,
    keepAliveTimeout: connectionIdleMs,
    trustProxy: trusts ?? false,
    genReqId: requestIdOf,
    http: {
      maxHeaderSize: headerBytesMax,
      // Node takes the longer of the two for the whole request.
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      connectionsCheckingInterval: 5_000,
      ...(options.writesInTurns !== false && { ServerResponse: TurnResponse }),
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512, caseSensitive: true },
    ...(options.rewriteUrl && { rewriteUrl: options.rewriteUrl }),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply);
    },
    clientErrorHandler: brokenRequests.answer,
  });
  app.setValidatorCompiler(validatorCompiler);
  // Bodies are JSON; a page of another site may send plain text without being asked about it first.
  app.removeContentTypeParser('text/plain');
  parseJsonBodies(app);
  app.setErrorHandler(sendProblem);
  const observe = createObserver(options);
  app.decorate('addressOf', createAddressOf(trusts));
  openExpressLane(app, { requestIdOf, observe, remember: brokenRequests.remember });
  app.decorateRequest('user', null);
  observeRequests(app, observe);
  refuseUnclearFraming(app);
  letPagesNameTheirPolicy(app);
  return app;
}

/** By the very library that Fastify asks. */
function createAddressOf(trusts: ReturnType<typeof proxyAddr.compile> | null): FastifyInstance['addressOf'] {
  if (trusts === null) return ({ socket }) => socket.remoteAddress ?? '';
  return (request) => proxyAddr(request, trusts);
}

/** In front of Fastify's own listener. While the server closes, that one tells connections to go. */
function openExpressLane(
  app: FastifyInstance,
  {
    requestIdOf,
    observe,
    remember,
  }: { requestIdOf(request: IncomingMessage): string; observe: Observe; remember: RequestListener },
): void {
  const lane = createExpressLane({
    requestIdOf,
    observe({ route, startedMs, requestId, userId, param: eventId }) {
      observe({ method: 'GET', route, status: 200, ms: performance.now() - startedMs, requestId, userId, eventId });
    },
  });
  app.decorate('express', lane);
  app.addHook('preClose', async () => lane.close());
  // Fastify makes its server with this one listener.
  const [usual] = app.server.listeners('request') as RequestListener[];
  assert(usual, 'the server has no listener of Fastify');
  app.server.removeListener('request', usual);
  app.server.on('request', (request, response) => {
    if (lane.takes(request, response)) return;
    usual.call(app.server, request, response);
    // What the lane takes has no body that could break.
    remember(request, response);
  });
}

/**
 * One logger for all: a child per request costs more than the filters, and anyone who logs names the request. As Fastify's
 * base interface, so that the instance has the default type everywhere else.
 */
function childless(logger: Logger): FastifyBaseLogger {
  const one: FastifyBaseLogger = Object.create(logger, { child: { value: () => one } });
  return one;
}

/**
 * Unique without drawing randomness for each: a UUIDv7 of the process, then a count in an order that only this process
 * knows, so that nobody can read its traffic from two ids. An odd factor visits every number of 31 bits once; larger ones
 * are no small integers to V8, and writing one down would cost as much as finding the route.
 */
function createRequestIds(ids: Ids): () => string {
  let prefix = ids.next();
  const factor = Number.parseInt(prefix.slice(-8), 16) | 1;
  let count = 0;
  return () => {
    count = (count + 1) & smallIntegers;
    if (count === 0) prefix = ids.next();
    return `${prefix}-${Math.imul(count, factor) & smallIntegers}`;
  };
}

const smallIntegers = 2 ** 31 - 1;

interface Observed {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly requestId: string;
  readonly userId: string | undefined;
  readonly eventId: string | undefined;
}

type Observe = (observed: Observed) => void;

/** Metrics of every request, and a log of one in so many. */
function createObserver({ metrics, logSampleEvery = 0, logger }: HttpServerOptions): Observe {
  let seen = 0;
  return (observed) => {
    const { method, route, status, ms } = observed;
    metrics?.observe(method, route, status, ms / 1000);
    if (logSampleEvery === 0 || ++seen % logSampleEvery !== 0) return;
    logger.info({ ...observed, ms: Math.round(ms) }, 'request');
  };
}

/** Only the routes that declare one pay for it. */
function letPagesNameTheirPolicy(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const policy = route.config?.policy;
    if (policy === undefined) return;
    const setPolicy: onRequestHookHandler = (_request, reply, done) => {
      reply.header(safetyHeaders.policy, policy);
      done();
    };
    route.onRequest = [setPolicy, ...[route.onRequest ?? []].flat()];
  });
}

/** Request ids, metrics and sampled logs. What is known when a route is registered is not looked up at each request. */
function observeRequests(app: FastifyInstance, tell: Observe): void {
  const observe = (route: string, request: FastifyRequest, reply: FastifyReply) => {
    const { elapsedTime: ms, statusCode: status } = reply;
    const { id: requestId, method, user } = request;
    const { eventId } = (request.params ?? {}) as { eventId?: string };
    tell({ method, route, status, ms, requestId, userId: user?.userId, eventId });
  };
  app.addHook('onRequest', (request, reply, done) => {
    reply
      .header(answerHeaders.requestId, request.id)
      .header(safetyHeaders.nosniff, 'nosniff')
      .header(safetyHeaders.policy, strictPolicy);
    done();
  });
  app.addHook('onRoute', (route) => {
    const onResponse: onResponseHookHandler = (request, reply, done) => {
      observe(route.url, request, reply);
      done();
    };
    route.onResponse = [...[route.onResponse ?? []].flat(), onResponse];
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(platformErrors.fault('NOT_FOUND'), request, reply);
    observe('unmatched', request, reply);
  });
}
