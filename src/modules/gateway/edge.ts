import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertNever } from '#platform/assert.ts';
import type { Clock } from '#platform/clock.ts';
import type { Fault } from '#platform/errors.ts';
import { waitingRoomRequired } from '#platform/http/tier1.ts';
import { withTimeout } from '#platform/resilience/timeout.ts';
import type { Logger } from '#platform/telemetry/logger.ts';
import type { EdgeAnswer, EdgeDecision } from './contract.ts';
import { gatewayErrors } from './errors.ts';

/** Asks the decision about a request. It neither throws nor takes long. */
export type AskEdge = (request: FastifyRequest['raw'], eventId: string | null) => EdgeAnswer | Promise<EdgeAnswer>;

/** Rooms are known in memory, so a decision takes microseconds. A page that waits longer than this is worse than none. */
const edgeLimitMs = 250;
/** A decision that is broken is broken at every call. */
const logEveryMs = 1_000;

/**
 * There is no circuit that opens after some failures: a request that makes the decision throw would then decide for
 * everybody else.
 */
export function createAskEdge(options: { edge: EdgeDecision; clock: Clock; logger: Logger }): AskEdge {
  const { edge, clock, logger } = options;
  const { failMode } = edge;
  let quietUntilMs = 0;
  let unlogged = 0;

  function failed(err: unknown): EdgeAnswer {
    if (clock.monotonicMs() >= quietUntilMs) {
      logger.error({ err, failMode, unlogged }, 'the edge decision failed');
      quietUntilMs = clock.monotonicMs() + logEveryMs;
      unlogged = 0;
    } else unlogged += 1;
    if (failMode === 'open') return { status: 'continue' };
    return { status: 'refuse', problem: gatewayErrors.fault('WAITING_ROOM_UNAVAILABLE', { isKnown: true }) };
  }

  return ({ method = '', url = '/', headers }, eventId) => {
    const queryAt = url.indexOf('?');
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const query = queryAt === -1 ? '' : url.slice(queryAt);
    try {
      const answer = edge.decide({ method, path, query, headers, eventId });
      if (!(answer instanceof Promise)) return wellFormed(answer);
      return withTimeout(answer, edgeLimitMs, () => new Error(`no decision in ${edgeLimitMs} ms`))
        .then(wellFormed)
        .catch(failed);
    } catch (error) {
      return failed(error);
    }
  };
}

/** A path of this site: `//host` and `/\host` lead a browser elsewhere, and a line feed would begin another header. */
const ownPath = /^\/(?![/\\])[\x21-\x7e]*$/;
const cookieLine = /^[\x20-\x7e]+$/;

function wellFormed(answer: EdgeAnswer): EdgeAnswer {
  if (answer.status !== 'redirect') return answer;
  const { location, setCookies = [] } = answer;
  if (!ownPath.test(location)) throw new Error(`not a path of this site: ${location}`);
  if (!setCookies.every((line) => cookieLine.test(line))) throw new Error('a cookie that cannot be sent');
  return answer;
}

/** What a call of the API is told; undefined: it goes on. Nobody follows a redirect there, so it says where to go instead. */
export function edgeProblem(answer: EdgeAnswer, reply: FastifyReply): Fault | undefined {
  switch (answer.status) {
    case 'continue':
      return undefined;
    case 'redirect':
      setCookies(reply, answer.setCookies);
      return waitingRoomRequired(answer.location);
    case 'refuse':
      return answer.problem;
    default:
      return assertNever(answer);
  }
}

export function setCookies(reply: FastifyReply, lines: readonly string[] = []): void {
  if (lines.length > 0) reply.header('set-cookie', [...lines]);
}
