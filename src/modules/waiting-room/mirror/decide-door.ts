import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Decision } from '#edge/decide/decide.ts';
import { answerOf } from '#edge/decide/respond.ts';
import { platformErrors } from '#platform/errors.ts';
import { proxyHeaders } from '#platform/http/names.ts';
import type { DecideFor } from './edge-decision.ts';

type Raw = FastifyRequest['raw'];

/** How a proxy in front says which request it asks about. Each way has an address of its own: what one of them says a caller could say to another. */
interface Asked {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly target: string;
}

const door = '/vwr/decide';
const envoyPrefix = `${door}/at`;

/**
 * `GET /vwr/decide`: whether a request may go on, for a proxy that asks before it forwards. No user, no limit and no body: it says
 * nothing that the request itself would not be told.
 *
 * - nginx (`auth_request`), by `X-Original-URI` and `X-Original-Method`: 200, or 403 with what is to be answered in `x-urr-status`,
 *   `x-urr-location`, `x-urr-problem`, since nginx makes a 500 of everything else;
 * - Traefik (`forwardAuth` to `/vwr/decide/forwarded`), by `X-Forwarded-Uri` and `X-Forwarded-Method`, and Envoy (`ext_authz` with the prefix
 *   `/vwr/decide/at`), by path and method: 200, or the very answer.
 */
export function registerDecideDoor(app: FastifyInstance, decideFor: DecideFor): void {
  const at = (url: string, askedBy: (raw: Raw) => Asked | null, send: typeof sendAnswer) =>
    app.all(
      url,
      {
        // Before any body is looked at: Envoy sends the method and the type of the request it asks about.
        async onRequest(request, reply) {
          const asked = askedBy(request.raw);
          if (asked === null) throw platformErrors.fault('MALFORMED_REQUEST', { detail: 'Which request is it about?' });
          const { method, target } = asked;
          const queryAt = target.indexOf('?') === -1 ? target.length : target.indexOf('?');
          const call = { method, path: target.slice(0, queryAt), query: target.slice(queryAt) };
          return send(reply, await decideFor({ ...call, headers: request.raw.headers }), method);
        },
      },
      async () => undefined,
    );
  at(door, byHeaders(proxyHeaders.originalUri, proxyHeaders.originalMethod), sendVerdict);
  at(`${door}/forwarded`, byHeaders(proxyHeaders.forwardedUri, proxyHeaders.forwardedMethod), sendAnswer);
  // The start page is asked about without the slash at its end, as the router sees it.
  for (const url of [envoyPrefix, `${envoyPrefix}/*`]) at(url, byPath, sendAnswer);
}

function byPath({ method = '', url = '' }: Raw): Asked {
  const target = url.slice(envoyPrefix.length);
  return { method, target: target.startsWith('/') ? target : `/${target}` };
}

function byHeaders(uri: string, verb: string): (raw: Raw) => Asked | null {
  return ({ headers }) => {
    const [target, method] = [headers[uri], headers[verb]];
    return typeof target === 'string' && typeof method === 'string' ? { target, method } : null;
  };
}

/** As the request itself is to be answered. */
async function sendAnswer(reply: FastifyReply, decision: Decision, method: string): Promise<FastifyReply> {
  const answer = answerOf(decision, { method });
  if (answer === null) return sendPass(reply, decision);
  return reply
    .code(answer.status)
    .headers(Object.fromEntries(answer.headers))
    .send(await answer.text());
}

async function sendVerdict(reply: FastifyReply, decision: Decision): Promise<FastifyReply> {
  const answer = answerOf(decision, { method: 'GET' });
  if (answer === null) return sendPass(reply, decision);
  const location = decision.status === 'wait' || decision.status === 'enter' ? decision.location : '';
  return reply
    .code(403)
    .headers({
      'cache-control': 'no-store',
      [proxyHeaders.status]: answer.status,
      [proxyHeaders.location]: location,
      [proxyHeaders.problem]: await answer.text(),
    })
    .send('');
}

function sendPass(reply: FastifyReply, decision: Decision): FastifyReply {
  const isGuarded = decision.status === 'pass' && decision.isGuarded;
  return reply
    .code(200)
    .headers({ 'cache-control': 'no-store', ...(isGuarded && { [proxyHeaders.guarded]: '1' }) })
    .send('');
}
