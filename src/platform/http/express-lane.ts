import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { RouteContract } from './contract.ts';
import { answerHeaders, callerHeaders } from './names.ts';

/** A GET route whose answer is mostly at hand, asked so often that routing, hooks and reply objects are most of its cost. */
export interface ExpressRoute<Caller extends ExpressCaller = ExpressCaller> {
  /** Public, with one parameter of known length at the end of its path. */
  readonly contract: RouteContract;
  readonly paramLength: number;
  /** Whom the call proves to be of, by what this route knows; null: the usual way finds out. */
  callerOf(headers: IncomingHttpHeaders, param: string): Caller | null;
  /** JSON in ASCII; null: the usual way. Says no more than the usual way would, and refuses nothing. */
  answer(caller: Caller, param: string): string | null;
}

export interface ExpressCaller {
  readonly userId: string;
}

/** What stands in front of a route on this server, said once more without Fastify's objects. */
export interface ExpressGuard {
  /** Nothing in the call says that it is of anybody else. False: the usual way decides. */
  mayBe(request: IncomingMessage, userId: string): boolean;
  /** Counts the call. Headers of the answer, names and values by turns; null: the usual way says why not. */
  pass(userId: string): readonly string[] | null;
  /** The call takes the usual way after all, where it is counted again. */
  takeBack(userId: string): void;
}

export interface ExpressLane {
  /** Closed until somebody says what guards the routes of this server. Null: this route has no express lane here. */
  guardBy(guardOf: (contract: RouteContract) => ExpressGuard | null): void;
  add<Caller extends ExpressCaller>(route: ExpressRoute<Caller>): void;
  close(): void;
  /** False: nothing was done, the request takes the usual way. */
  takes(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface ExpressAnswered {
  readonly route: string;
  readonly startedMs: number;
  readonly requestId: string;
  readonly userId: string;
  readonly param: string;
}

interface OpenRoute extends ExpressRoute {
  readonly prefix: string;
  readonly guard: ExpressGuard;
}

/**
 * Answers calls before Fastify makes anything of them. Everything out of the ordinary (a query, a body, another version of
 * the path, a refusal, an answer that is not at hand) takes the usual way, whose answer is the same in every byte that counts.
 */
export function createExpressLane(options: {
  requestIdOf(request: IncomingMessage): string;
  observe(answered: ExpressAnswered): void;
}): ExpressLane {
  const { requestIdOf, observe } = options;
  let guardOf: (contract: RouteContract) => ExpressGuard | null = () => null;
  let routes: readonly OpenRoute[] = [];

  function routeOf({ method, url = '', headers }: IncomingMessage): OpenRoute | null {
    if (method !== 'GET' || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return null;
    if (headers.upgrade !== undefined) return null;
    for (const route of routes) {
      if (url.length === route.prefix.length + route.paramLength && url.startsWith(route.prefix)) return route;
    }
    return null;
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
      const param = (request.url ?? '').slice(prefix.length);
      const caller = route.callerOf(request.headers, param);
      if (caller === null || !guard.mayBe(request, caller.userId)) return false;
      const headers = guard.pass(caller.userId);
      if (headers === null) return false;
      const body = route.answer(caller, param);
      if (body === null) {
        guard.takeBack(caller.userId);
        return false;
      }
      const requestId = requestIdOf(request);
      response.writeHead(200, [
        ...common,
        answerHeaders.requestId,
        requestId,
        'content-length',
        String(body.length),
        ...headers,
      ]);
      response.end(body, 'latin1');
      observe({ route: contract.path, startedMs, requestId, userId: caller.userId, param });
      return true;
    },
  };
}

/** Answers that are made at each call are of one person and of one moment. */
const common = [callerHeaders.contentType, 'application/json; charset=utf-8', 'cache-control', 'no-store'] as const;
