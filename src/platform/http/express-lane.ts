import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { RouteContract } from './contract.ts';
import type { Identity } from './identity.ts';

/** A GET route whose answer is mostly at hand, asked so often that routing, hooks and reply objects are most of its cost. */
export interface ExpressRoute {
  /** Public, with one parameter of known length at the end of its path. */
  readonly contract: RouteContract;
  readonly paramLength: number;
  /** JSON in ASCII; null: the usual way. Says no more than the usual way would, and refuses nothing. */
  answer(call: ExpressCall): string | null;
}

export interface ExpressCall {
  readonly param: string;
  readonly headers: IncomingHttpHeaders;
  readonly user: Identity | null;
}

/** What stands in front of a route on this server, said once more without Fastify's objects. */
export interface ExpressGuard {
  /** Who calls; undefined: the usual way finds out. */
  identify(request: IncomingMessage): Identity | null | undefined;
  /** Headers of the answer, names and values by turns; null: the usual way says why not. */
  pass(request: IncomingMessage, user: Identity | null): readonly string[] | null;
}

export interface ExpressLane {
  /** Closed until somebody says what guards the routes of this server. Null: this route has no express lane here. */
  guardBy(guardOf: (contract: RouteContract) => ExpressGuard | null): void;
  add(route: ExpressRoute): void;
  close(): void;
  /** False: nothing was done, the request takes the usual way. */
  takes(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface ExpressAnswered {
  readonly route: string;
  readonly startedMs: number;
  readonly requestId: string;
  readonly userId: string | undefined;
  readonly param: string;
}

interface OpenRoute extends ExpressRoute {
  readonly prefix: string;
  readonly guard: ExpressGuard;
}

interface Unwritten {
  readonly response: ServerResponse;
  readonly body: string;
  readonly answered: ExpressAnswered;
}

/**
 * Answers calls before Fastify makes anything of them. Everything out of the ordinary (a query, a body, another version of
 * the path, a refusal, an answer that is not at hand) takes the usual way, whose answer is the same in every byte that counts.
 *
 * The answers to all requests of one turn of the event loop are written at its end, one right after the other. Written in
 * between, each wakes its reader, who has fallen asleep again by the next, and that costs more than everything else here.
 */
export function createExpressLane(options: {
  requestIdOf(request: IncomingMessage): string;
  observe(answered: ExpressAnswered): void;
}): ExpressLane {
  const { requestIdOf, observe } = options;
  let guardOf: (contract: RouteContract) => ExpressGuard | null = () => null;
  let routes: readonly OpenRoute[] = [];
  let unwritten: Unwritten[] = [];

  function routeOf({ method, url = '', headers }: IncomingMessage): OpenRoute | null {
    if (method !== 'GET' || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return null;
    for (const route of routes) {
      if (url.length === route.prefix.length + route.paramLength && url.startsWith(route.prefix)) return route;
    }
    return null;
  }

  function writeAll(): void {
    const turn = unwritten;
    unwritten = [];
    for (const { response, body, answered } of turn) {
      response.end(body, 'latin1');
      observe(answered);
    }
  }

  return {
    guardBy(next) {
      guardOf = next;
    },
    add(route) {
      const guard = guardOf(route.contract);
      const { method, path, access } = route.contract;
      if (guard === null || method !== 'GET' || access !== 'public') return;
      routes = [...routes, { ...route, guard, prefix: path.slice(0, path.indexOf(':')) }];
    },
    close() {
      routes = [];
    },
    takes(request, response) {
      const route = routeOf(request);
      if (route === null) return false;
      const startedMs = performance.now();
      const { guard, prefix, contract } = route;
      const user = guard.identify(request);
      if (user === undefined) return false;
      const param = (request.url ?? '').slice(prefix.length);
      const body = route.answer({ param, headers: request.headers, user });
      if (body === null) return false;
      const headers = guard.pass(request, user);
      if (headers === null) return false;
      const requestId = requestIdOf(request);
      response.writeHead(200, [
        ...common,
        'x-request-id',
        requestId,
        'content-length',
        String(body.length),
        ...headers,
      ]);
      if (unwritten.length === 0) setImmediate(writeAll);
      const answered = { route: contract.path, startedMs, requestId, userId: user?.userId, param };
      unwritten.push({ response, body, answered });
      return true;
    },
  };
}

/** Answers that are made at each call are of one person and of one moment. */
const common = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'] as const;
