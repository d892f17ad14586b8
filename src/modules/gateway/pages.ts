import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { safetyHeaders } from '#platform/http/answer-policy.ts';

/** Never pages, whatever the browser accepts: a typo in an API path must be a 404 and not the start page. */
const notPages = /^\/(?:api|internal|docs|health|ready|metrics|assets)(?:\/|$)/;
const yearSeconds = 31_536_000;
const notBuilt =
  'The pages are not built yet. Run `npm start`, which builds them, or use the API: /docs describes it.\n';

/** The built pages and their assets. Every address that is no file and no API is the application, which routes by itself. */
export async function servePages(app: FastifyInstance, folder: string): Promise<void> {
  const built = existsSync(join(folder, 'index.html'));
  await app.register(async (pages) => {
    // Not by helmet: it writes to the raw answer, where the policy of all other answers would replace it.
    await pages.register(helmet, { contentSecurityPolicy: false });
    pages.addHook('onRequest', (_request, reply, done) => {
      reply.header(safetyHeaders.policy, pagePolicyText);
      done();
    });
    if (built) {
      await pages.register(fastifyStatic, {
        root: folder,
        // Each file of the build becomes a route at start: no look into the file system for addresses that do not exist.
        wildcard: false,
        index: false,
        cacheControl: false,
        setHeaders(reply, path) {
          // Files under assets/ carry a hash of their content in their name.
          const immutable = path.includes(`${sep}assets${sep}`);
          reply.header('cache-control', immutable ? `public, max-age=${yearSeconds}, immutable` : 'no-cache');
        },
      });
    }
    pages.get('/*', (request, reply) => {
      const path = request.url.split('?', 1)[0] ?? '/';
      const wantsPage = path === '/' || request.headers.accept?.includes('text/html') === true;
      if (!wantsPage || notPages.test(path)) return reply.callNotFound();
      if (!built) return reply.code(503).header('retry-after', '10').type('text/plain; charset=utf-8').send(notBuilt);
      return reply.sendFile('index.html');
    });
  });
}

/** Everything from this site; pictures of events may come from anywhere by https. Styles set by scripts need no exception. */
const pagePolicy = {
  'default-src': ["'self'"],
  'script-src': ["'self'"],
  // React and the charts set style attributes; style sheets still come from this site only.
  'style-src': ["'self'"],
  'style-src-attr': ["'unsafe-inline'"],
  'img-src': ["'self'", 'data:', 'https:'],
  'font-src': ["'self'"],
  'connect-src': ["'self'"],
  'object-src': ["'none'"],
  'base-uri': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
};
const pagePolicyText = Object.entries(pagePolicy)
  .map(([directive, sources]) => `${directive} ${sources.join(' ')}`)
  .join('; ');
