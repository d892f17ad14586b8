import type { FastifyInstance } from 'fastify';
import { answerHeaders, callerHeaders } from '#platform/http/names.ts';

const preflightSeconds = 600;
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const headers = Object.values(callerHeaders).join(', ');
const exposed = Object.values(answerHeaders).join(', ');

/** Pages of the configured origins may call the API with credentials; with none configured, no other origin may. */
export function allowOrigins(app: FastifyInstance, origins: ReadonlySet<string>): void {
  if (origins.size === 0) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    // Caches must not hand the answer for one origin to another.
    reply.header('vary', 'Origin');
    if (origin === undefined || !origins.has(origin)) return done();
    reply.header('access-control-allow-origin', origin).header('access-control-allow-credentials', 'true');
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', exposed);
      return done();
    }
    reply
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', headers)
      .header('access-control-max-age', preflightSeconds)
      .code(204)
      .send();
  });
}
