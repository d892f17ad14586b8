import type { IncomingMessage } from 'node:http';
import fastifyCookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { platformErrors } from '../errors.ts';
import type { Ids } from '../ids.ts';
import type { HttpMetrics } from '../telemetry/http-metrics.ts';
import type { Logger } from '../telemetry/logger.ts';
import { problemContentType, problemOf, sendProblem } from './problem.ts';
import { validatorCompiler } from './validation.ts';
import './routes.ts';

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
}

const headerBytesMax = 16 * 1024;
const connectionIdleMs = 65_000;
const requestIdPattern = /^[\w.:-]{8,100}$/;

/** A Fastify with our manners: problem documents, limits, request ids, sampled logs, metrics. Routes come from elsewhere. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { ids, logger } = options;
  const app = Fastify({
    // As its base interface, so that the instance has Fastify's default type everywhere else.
    loggerInstance: logger as FastifyBaseLogger,
    // Logging every request costs a quarter of the throughput; see `logSampleEvery`.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimitBytes ?? 64 * 1024,
    requestTimeout: options.requestTimeoutMs ?? 15_000,
    connectionTimeout: 0,
    keepAliveTimeout: connectionIdleMs,
    trustProxy: options.trustedProxies && options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && requestIdPattern.test(given) ? given : ids.next();
    },
    http: { maxHeaderSize: headerBytesMax, headersTimeout: 10_000 },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512, caseSensitive: true },
    ...(options.rewriteUrl && { rewriteUrl: options.rewriteUrl }),
    exposeHeadRoutes: true,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  app.setValidatorCompiler(validatorCompiler);
  app.setErrorHandler(sendProblem);
  app.decorateRequest('user', null);
  app.register(fastifyCookie);
  app.setNotFoundHandler((request, reply) => sendProblem(platformErrors.fault('NOT_FOUND'), request, reply));
  observeRequests(app, options);
  return app;
}

function observeRequests(app: FastifyInstance, { metrics, logSampleEvery = 0, logger }: HttpServerOptions): void {
  let seen = 0;
  app.addHook('onResponse', (request, reply, done) => {
    metrics?.observe(
      request.method,
      request.routeOptions.url ?? 'unmatched',
      reply.statusCode,
      reply.elapsedTime / 1000,
    );
    if (logSampleEvery > 0 && ++seen % logSampleEvery === 0) {
      logger.info(
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime),
          userId: request.user?.userId,
          eventId: (request.params as { eventId?: string } | undefined)?.eventId,
        },
        'request',
      );
    }
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    done(null, payload);
  });
}

/** Requests too broken to have a route: written by hand, since there is no reply object yet. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
  const fault =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? platformErrors.fault('HEADERS_TOO_LARGE')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? platformErrors.fault('REQUEST_TIMEOUT')
        : platformErrors.fault('MALFORMED_BODY', { detail: 'The request is not valid HTTP.' });
  const body = JSON.stringify(problemOf(fault, 'none'));
  socket.end(
    `HTTP/1.1 ${fault.definition.status} ${fault.definition.title}\r\nContent-Type: ${problemContentType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
