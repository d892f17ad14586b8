import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { RouteContract } from './contract.ts';
import { answerHeaders, callerHeaders } from './names.ts';
import { framingProblem } from './request-framing.ts';

/** A GET route whose answer is mostly at hand, asked so often that routing, hooks and reply objects are most of its cost. */
export type ExpressRoute<Caller extends ExpressCaller = ExpressCaller> = ProvingRoute<Caller> | OpenRoute;

interface AnyRoute {
  /** Public. Its first parameter is an event's, of known length; another one may follow. */
  readonly contract: RouteContract;
  readonly paramLength: number;
}

/** Answers the one user whom the call itself proves to be of. */
export interface ProvingRoute<Caller extends ExpressCaller = ExpressCaller> extends AnyRoute {
  /** Whom the call proves to be of, by what this route knows; null: the usual way finds out. */
  callerOf(headers: IncomingHttpHeaders, param: string): Caller | null;
  /** JSON, each character one byte; null: the usual way. Says no more than the usual way would, and refuses nothing. */
  answer(caller: Caller, param: string): string | null;
}

/** Answers whoever asks: who that is changes nothing but as whom the call is counted. */
export interface OpenRoute extends AnyRoute {
  readonly cacheControl: string;
  /** As above. `rest`: its second parameter, as it was sent. */
  answerTo(headers: IncomingHttpHeaders, param: string, rest: string): string | null;
}

export interface ExpressCaller {
  readonly userId: string;
}

/** Whose call it is, for the log and for the limits. */
export interface ExpressCounted {
  readonly userId: string | undefined;
  readonly countedAs: string;
}

/** What stands in front of a route on this server, said once more without Fastify's objects. */
export interface ExpressGuard {
  /** Nothing in the call says that it is of anybody else. False: the usual way decides. */
  mayBe(request: IncomingMessage, userId: string): boolean;
  /** Of a route that proves nobody. Null: the usual way decides. */
  countedOf(request: IncomingMessage): ExpressCounted | null;
  /** Counts the call, and adds to the headers of its answer, names and values by turns. False: the usual way says why not. */
  pass(countedAs: string, headers: string[]): boolean;
  /** The call takes the usual way after all, where it is counted again. */
  takeBack(countedAs: string): void;
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
  readonly userId: string | undefined;
  readonly param: string;
}

interface Lane {
  readonly route: string;
  readonly prefix: string;
  /** Where its first parameter ends. */
  readonly paramEnd: number;
  /** Another one follows. */
  readonly hasRest: boolean;
  readonly headers: readonly string[];
  readonly take: Take;
}

/** Null: nothing was done. */
type Take = (request: IncomingMessage, call: Call) => Taken | null;

interface Call {
  readonly param: string;
  readonly rest: string;
  /** Of the answer. */
  readonly headers: string[];
}

interface Taken {
  readonly userId: string | undefined;
  readonly body: string;
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
  let lanes: readonly Lane[] = [];

  function laneOf(url: string): Lane | null {
    for (const lane of lanes) {
      const { prefix, paramEnd, hasRest } = lane;
      if ((hasRest ? url[paramEnd] === '/' : url.length === paramEnd) && url.startsWith(prefix)) return lane;
    }
    return null;
  }

  return {
    guardBy(next) {
      guardOf = next;
    },
    add(route) {
      const { method, path, access } = route.contract;
      const guard = guardOf(route.contract);
      if (guard === null || method !== 'GET' || access !== 'public') return;
      const isOpen = 'answerTo' in route;
      const [prefix = '', ...behind] = path.split(/:\w+/);
      const lane: Lane = {
        route: path,
        prefix,
        paramEnd: prefix.length + route.paramLength,
        hasRest: behind.length > 1,
        headers: [...contentHeaders, 'cache-control', isOpen ? route.cacheControl : personal],
        take: isOpen ? takeOpen(route, guard) : takeProven(route, guard),
      };
      lanes = [...lanes, lane];
    },
    close() {
      lanes = [];
    },
    takes(request, response) {
      if (!isPlainRead(request)) return false;
      const { url = '' } = request;
      const lane = laneOf(url);
      if (lane === null) return false;
      const startedMs = performance.now();
      const param = url.slice(lane.prefix.length, lane.paramEnd);
      const headers = [...lane.headers];
      const taken = lane.take(request, { param, rest: url.slice(lane.paramEnd + 1), headers });
      if (taken === null) return false;
      const { userId, body } = taken;
      const requestId = requestIdOf(request);
      headers.push(answerHeaders.requestId, requestId, 'content-length', String(body.length));
      response.writeHead(200, headers);
      response.end(body, 'latin1');
      observe({ route: lane.route, startedMs, requestId, userId, param });
      return true;
    },
  };
}

const contentHeaders = [callerHeaders.contentType, 'application/json; charset=utf-8'] as const;
/** Answers that are made at each call are of one person and of one moment. */
const personal = 'no-store';

function takeProven<Caller extends ExpressCaller>(route: ProvingRoute<Caller>, guard: ExpressGuard): Take {
  return (request, { param, headers }) => {
    const caller = route.callerOf(request.headers, param);
    if (caller === null || !guard.mayBe(request, caller.userId)) return null;
    const { userId } = caller;
    if (!guard.pass(userId, headers)) return null;
    const body = route.answer(caller, param);
    if (body !== null) return { userId, body };
    guard.takeBack(userId);
    return null;
  };
}

function takeOpen(route: OpenRoute, guard: ExpressGuard): Take {
  return (request, { param, rest, headers }) => {
    const counted = guard.countedOf(request);
    if (counted === null) return null;
    const { userId, countedAs } = counted;
    if (!guard.pass(countedAs, headers)) return null;
    const body = route.answerTo(request.headers, param, rest);
    if (body !== null) return { userId, body };
    guard.takeBack(countedAs);
    return null;
  };
}

/** Without a body, and framed so that nobody can read it otherwise. */
function isPlainRead(request: IncomingMessage): boolean {
  const { method, headers } = request;
  if (method !== 'GET' || headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
    return false;
  return headers.upgrade === undefined && framingProblem(request) === null;
}
