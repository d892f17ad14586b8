import type { FastifyInstance } from 'fastify';
import { provesBody, unproven } from './signed-body.ts';

/** Bodies are JSON. */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer;
    if (!provesBody(request.raw, bytes)) return done(unproven());
    // Many clients say "JSON" on every call. Nothing at all is no body; a route that needs one says so itself.
    if (bytes.length === 0) return done(null, undefined);
    parse(request, bytes.toString('utf8'), done);
  });
}
