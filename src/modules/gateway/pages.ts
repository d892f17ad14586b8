import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler, RouteHandlerMethod } from 'fastify';
import { assertNever } from '#platform/assert.ts';
import type { Fault } from '#platform/errors.ts';
import { type ContentPolicy, policyOf, safetyHeaders, strictPolicy, withMore } from '#platform/http/answer-policy.ts';
import { takesEncoding } from '#platform/http/compressed-bodies.ts';
import { answerHeaders } from '#platform/http/names.ts';
import type { PageDeclaration } from '#platform/module.ts';
import type { EdgeAnswer } from './contract.ts';
import { type AskEdge, setCookies } from './edge.ts';
import { serveStaticPages, staticPageFiles } from './static-pages.ts';

/** Never pages, whatever the browser accepts: a typo in an API path must be a 404 and not the start page. */
const notPages = /^\/(?:api|internal|docs|health|ready|metrics|assets)(?:\/|$)/;
const yearSeconds = 31_536_000;
const notBuilt =
  'The pages are not built yet. Run `npm start`, which builds them, or use the API: /docs describes it.\n';
const notNow =
  '지금은 페이지를 열 수 없습니다. 잠시 뒤 다시 시도해 주세요.\nThis page cannot be opened right now. Please try again in a moment.\n';

export interface PagesOptions {
  /** Of the built pages. */
  readonly folder: string;
  /** Pages that may load more than the others. */
  readonly declared: readonly PageDeclaration[];
  /** Asked before the application is sent, not for the files that it loads. Null: there is no edge decision. */
  readonly askEdge: AskEdge | null;
}

/** The built pages and their assets. Every address that is no file and no API is the application, which routes by itself. */
export async function servePages(app: FastifyInstance, { folder, declared, askEdge }: PagesOptions): Promise<void> {
  const built = existsSync(join(folder, 'index.html'));
  await app.register(async (pages) => {
    // Not by helmet: it writes to the raw answer, where the policy of all other answers would replace it.
    await pages.register(helmet, { contentSecurityPolicy: false });
    pages.addHook('onRequest', (request, reply, done) => {
      reply.header(safetyHeaders.policy, appPolicy);
      preferSmallest(request.raw);
      done();
    });
    if (built) {
      await pages.register(fastifyStatic, {
        root: folder,
        // Each file of the build becomes a route at start: no look into the file system for addresses that do not exist.
        wildcard: false,
        // The application is sent by the page's own route below, behind the edge decision; compressed files in place of the others.
        globIgnore: ['index.html', ...staticPageFiles, '**/*.br', '**/*.gz'],
        preCompressed: true,
        index: false,
        cacheControl: false,
        setHeaders(reply, path) {
          // Decided already: a page behind a waiting room is kept nowhere.
          if (reply.hasHeader('cache-control')) return;
          // Files under assets/ carry a hash of their content in their name.
          const immutable = path.includes(`${sep}assets${sep}`);
          reply.header('cache-control', immutable ? `public, max-age=${yearSeconds}, immutable` : 'no-cache');
        },
      });
    }
    if (built) serveStaticPages(pages, folder);
    const page: RouteHandlerMethod = (request, reply) => {
      const path = request.url.split('?', 1)[0] ?? '/';
      const wantsPage = path === '/' || request.headers.accept?.includes('text/html') === true;
      if (!wantsPage || notPages.test(path)) return reply.callNotFound();
      if (!built) return sendText(reply.code(503).header(answerHeaders.retryAfter, '10'), notBuilt);
      if (askEdge === null) return reply.sendFile('index.html');
      const answer = askEdge(request.raw, null);
      return answer instanceof Promise ? answer.then((later) => sendAnswer(reply, later)) : sendAnswer(reply, answer);
    };
    pages.get('/*', page);
    for (const { path, loads, opensWindows = false } of declared) {
      const policy = policyOf(withMore(appLoads, loads));
      pages.get(path, { config: { policy }, ...(opensWindows && { onRequest: allowWindows }) }, page);
    }
  });
}

/** Browsers name gzip first and mean nothing by it; brotli is a tenth smaller. */
function preferSmallest({ headers }: FastifyRequest['raw']): void {
  const taken = headers['accept-encoding'];
  if (typeof taken === 'string' && takesEncoding(taken, 'br')) headers['accept-encoding'] = 'br';
}

const allowWindows: onRequestHookHandler = (_request, reply, done) => {
  // Otherwise a window of another site is cut off from the page that opened it.
  reply.header('cross-origin-opener-policy', 'same-origin-allow-popups');
  done();
};

function sendAnswer(reply: FastifyReply, answer: EdgeAnswer): FastifyReply {
  if (answer.status === 'continue' && answer.isGuarded !== true) return reply.sendFile('index.html');
  reply.header('cache-control', 'no-store');
  switch (answer.status) {
    case 'continue':
      return reply.sendFile('index.html');
    case 'redirect':
      setCookies(reply, answer.setCookies);
      return reply.header(safetyHeaders.policy, strictPolicy).redirect(answer.location, 302);
    case 'refuse':
      return sendRefusal(reply, answer.problem);
    default:
      return assertNever(answer);
  }
}

/** Anyone who opens a page during an outage gets words to read; any other refusal is one of the request itself. */
function sendRefusal(reply: FastifyReply, problem: Fault): FastifyReply {
  if (problem.definition.status !== 503) throw problem;
  reply.header(answerHeaders.retryAfter, String(problem.retryAfterSeconds ?? 1));
  return sendText(reply.code(503).header(safetyHeaders.policy, strictPolicy), notNow);
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('text/plain; charset=utf-8').send(text);
}

/** Everything from this site; pictures of events may come from anywhere by https. Styles set by scripts need no exception. */
const appLoads: ContentPolicy = {
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
const appPolicy = policyOf(appLoads);
