import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { platformErrors } from '#platform/errors.ts';
import { safetyHeaders, strictPolicy } from '#platform/http/answer-policy.ts';
import type { RateClass, RouteContract } from '#platform/http/contract.ts';
import { entryRequired, eventSourceOf, holdSlots } from '#platform/http/entry.ts';
import type { ExpressGuard } from '#platform/http/express-lane.ts';
import { stripInternalHeaders } from '#platform/http/internal-signature.ts';
import { answerHeaders, cookieMark, cookieNames } from '#platform/http/names.ts';
import type { EdgeAnswer, WaitingTicketHolder } from './contract.ts';
import { addressKey } from './domain/address.ts';
import {
  countedByAddress,
  countedInProcess,
  type RateLimiter,
  type RateLimits,
  type RateVerdict,
} from './domain/rate-limits.ts';
import { isSameSite, type Site } from './domain/same-site.ts';
import { type AskEdge, edgeProblem } from './edge.ts';
import type { Entries } from './entries.ts';
import { credentialOf, type Identify, namesUser } from './identify.ts';
import { takeBoth } from './rate-limiter.ts';

export interface FilterParts {
  readonly identify: Identify;
  readonly limiter: (rate: RateClass) => RateLimiter;
  readonly limits: RateLimits;
  readonly entries: Entries;
  readonly waitingTicketHolder: WaitingTicketHolder;
  /** Null: there is no edge decision. */
  readonly askEdge: AskEdge | null;
  /** The pass of tier 1 that a call shows; null: none that is good. */
  readonly passOf: (headers: IncomingHttpHeaders) => string | null;
  readonly site: Site;
  /** Where a call comes from, as `request.ip` says on the usual way. */
  readonly addressOf: (request: IncomingMessage) => string;
}

/**
 * The filters of one route, in their order: who is calling, is it from this site, is it too often, has the caller
 * passed tier 1 and tier 2. One hook with callbacks and all that depends on the contract worked out beforehand, since
 * every request pays for it. Rate limits shared in Redis and the edge may make it wait; nothing else does.
 */
export function createRouteFilter(contract: RouteContract, parts: FilterParts): onRequestHookHandler {
  const { identify, site } = parts;
  const needsUser = contract.access !== 'public';
  const mutates = contract.method !== 'GET';
  const take = createTake(contract, parts);
  const limitText = String(parts.limits[contract.rate].capacity);
  const passTiers = createTierFilter(contract, parts);

  return function filter(request, reply, done) {
    const { headers } = request.raw;
    // Unless the handler knows better: a proxy that keeps what says nothing would hand one user's answer to another.
    reply.header('cache-control', 'no-store');
    const token = credentialOf(headers);
    const user = token === null ? null : identify(token);
    request.user = user;
    if (mutates && actsByCookie(headers) && !isSameSite(headers, request.host, site)) {
      return done(platformErrors.fault('CROSS_SITE_REFUSED'));
    }
    if (needsUser && user === null) {
      reply.header('www-authenticate', token === null ? 'Bearer' : 'Bearer error="invalid_token"');
      return done(platformErrors.fault('UNAUTHENTICATED'));
    }
    const verdict = take(request);
    if (verdict instanceof Promise) {
      // What breaks on the way goes to `done` as well: nobody else waits for this promise.
      verdict
        .then((later) => {
          if (spend(later, limitText, reply, done)) passTiers(request, reply, done);
        })
        .catch(done);
      return;
    }
    if (spend(verdict, limitText, reply, done)) passTiers(request, reply, done);
  };
}

/** As whom a call is counted: its user, else as below; and its address beside that where the class says so. */
function createTake(
  contract: RouteContract,
  parts: FilterParts,
): (request: FastifyRequest) => RateVerdict | Promise<RateVerdict> {
  const limiter = parts.limiter(contract.rate);
  const { take } = limiter;
  const anonymous = createAnonymousKey(contract, parts);
  const callerOf = (request: FastifyRequest) => request.user?.userId ?? anonymous(request);
  if (!countedByAddress.has(contract.rate)) return (request) => take(callerOf(request));
  return (request) => {
    const [caller, address] = [callerOf(request), addressKey(request.ip)];
    return caller === address ? take(address) : takeBoth(limiter, { caller, address });
  };
}

/**
 * Whom a call without a user is counted as. Where a waiting ticket is accepted it is the user it was given to: sessions run out
 * while people wait, and thousands of them may be behind one address.
 */
function createAnonymousKey(
  contract: RouteContract,
  { waitingTicketHolder, passOf }: FilterParts,
): (request: FastifyRequest) => string {
  const byPass = ({ raw, ip }: FastifyRequest) => passOf(raw.headers) ?? addressKey(ip);
  if (contract.waitingTicket !== 'accepted') return byPass;
  return (request) => waitingTicketHolder(request.raw.headers, paramOf(request, 'eventId')) ?? byPass(request);
}

/**
 * The same filters for the express lane, where they decide at once: a public route that is read, limited in this process. Where
 * a waiting ticket is accepted, only for the user whom it proves.
 */
export function createExpressGuard(contract: RouteContract, parts: FilterParts): ExpressGuard | null {
  const { access, method, rate, entry, waitingTicket, tier1 } = contract;
  if (access !== 'public' || method !== 'GET' || entry === 'required' || tier1 !== undefined) return null;
  if (!countedInProcess.has(rate) || countedByAddress.has(rate)) return null;
  const { askEdge, identify, passOf, addressOf } = parts;
  const { take, giveBack } = parts.limiter(rate);
  const limitText = String(parts.limits[rate].capacity);
  const takesTickets = waitingTicket === 'accepted';

  function goesOn(request: IncomingMessage): boolean {
    const { headers } = request;
    // What another site may see is for the usual way to say.
    if (headers.origin !== undefined) return false;
    if (askEdge === null) return true;
    // As on the usual way, where a hook has done it before.
    stripInternalHeaders(headers);
    const answer = askEdge(request, null);
    return !(answer instanceof Promise) && answer.status === 'continue';
  }

  return {
    mayBe(request, userId) {
      if (!takesTickets || !goesOn(request)) return false;
      const token = credentialOf(request.headers);
      return token === null || namesUser(token, userId);
    },
    countedOf(request) {
      if (takesTickets || !goesOn(request)) return null;
      const token = credentialOf(request.headers);
      const userId = token === null ? undefined : identify(token)?.userId;
      return { userId, countedAs: userId ?? passOf(request.headers) ?? addressKey(addressOf(request)) };
    },
    pass(countedAs, headers) {
      const verdict = take(countedAs);
      if (verdict instanceof Promise || !verdict.allowed) return false;
      const { remaining, fullInMs } = verdict;
      headers.push(...apiHeaders, answerHeaders.rateLimit, limitText);
      headers.push(answerHeaders.rateRemaining, String(remaining));
      headers.push(answerHeaders.rateReset, String(Math.ceil(fullInMs / 1000)));
      return true;
    },
    takeBack: giveBack,
  };
}

const apiHeaders = [safetyHeaders.nosniff, 'nosniff', safetyHeaders.policy, strictPolicy] as const;

/**
 * Whether a browser may have added what the call acts with: any cookie of ours (session, waiting ticket, visitor), unless
 * the caller put a token there on purpose. The session can be refreshed and ended by its cookie even then.
 */
function actsByCookie({ cookie, authorization }: IncomingHttpHeaders): boolean {
  if (cookie === undefined) return false;
  return cookie.includes(authorization === undefined ? cookieMark : cookieNames.refresh);
}

type Done = (error?: Error) => void;

function spend(verdict: RateVerdict, limitText: string, reply: FastifyReply, done: Done): boolean {
  reply.header(answerHeaders.rateLimit, limitText);
  reply.header(answerHeaders.rateRemaining, verdict.remaining);
  reply.header(answerHeaders.rateReset, Math.ceil(verdict.fullInMs / 1000));
  if (verdict.allowed) return true;
  done(platformErrors.fault('RATE_LIMITED', { retryAfterSeconds: verdict.waitMs / 1000 }));
  return false;
}

/** Tier 1 where somebody decides about it, then tier 2 for the routes that declare it. */
function createTierFilter(
  contract: RouteContract,
  { askEdge, entries }: FilterParts,
): (request: FastifyRequest, reply: FastifyReply, done: Done) => void {
  const { tier1 } = contract;
  const source = contract.entry === 'required' ? eventSourceOf(contract) : null;

  const checkEntry = (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
    if (source === null || request.user === null) return done();
    const slots = entries(request.raw.headers, request.user.userId);
    holdSlots(request, slots);
    // An event named in the body is checked once the body is there. One in the path is refused before.
    const named = source === 'param' ? paramOf(request, 'eventId') : null;
    const isHeld = named === null || slots.some(({ eventId }) => eventId === named);
    done(isHeld ? undefined : entryRequired(named));
  };

  if (askEdge === null) return source === null ? (_request, _reply, done) => done() : checkEntry;

  return (request, reply, done) => {
    const settle = (answer: EdgeAnswer) => {
      const problem = edgeProblem(answer, reply);
      if (problem === undefined) return checkEntry(request, reply, done);
      done(problem);
    };
    const answer = askEdge(request.raw, tier1 === undefined ? null : paramOf(request, tier1.eventParam));
    if (answer instanceof Promise) answer.then(settle).catch(done);
    else settle(answer);
  };
}

function paramOf(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string | undefined>)[name] ?? '';
}
