import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { platformErrors } from '../errors.ts';

/**
 * Refuses requests whose end two readers could see in different places, before anything else looks at them: what a proxy in
 * front, this server and a role behind it must agree on is where one request ends and the next begins. Node's parser already
 * refuses both lengths at once, different lengths, signs, folded headers and bare line feeds; this refuses what it lets pass.
 * The connection ends with the refusal, because what follows may be the body or the next request.
 */
export function refuseUnclearFraming(app: FastifyInstance): void {
  /** Connections that end with an answer which is under way. */
  const ending = new WeakSet<Socket>();
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    // Nobody waits for an answer where the connection broke, or where what looks like a request may be a body.
    if (raw.socket.destroyed || ending.has(raw.socket)) return void reply.hijack();
    const problem = framingProblem(raw);
    // Of a packet that offers another protocol Node drops what follows the request, so the next packet begins anywhere.
    if (problem === null && raw.headers.upgrade === undefined) return done();
    ending.add(raw.socket);
    reply.raw.shouldKeepAlive = false;
    reply.header('connection', 'close');
    done(problem === null ? undefined : platformErrors.fault('MALFORMED_REQUEST', { detail: problem }));
  });
}

const withBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** What `Connection` may name. Anything else would make headers of the call vanish at the next hop. */
const connectionOptions: ReadonlySet<string> = new Set(['close', 'keep-alive', 'te', 'upgrade', 'http2-settings']);
const plainLength = /^(?:0|[1-9]\d*)$/;

/** In words for the caller; null: there is one way to read it. */
export function framingProblem(request: Pick<IncomingMessage, 'method' | 'headers' | 'httpVersion'>): string | null {
  const { method = '', headers, httpVersion } = request;
  const { connection, upgrade, 'content-length': length, 'transfer-encoding': encoding } = headers;
  if (length !== undefined) {
    if (!plainLength.test(length)) return 'Content-Length is not a plain number.';
    if (length !== '0' && !withBody.has(method)) return `${method} takes no body.`;
  }
  if (encoding !== undefined) {
    if (encoding.toLowerCase() !== 'chunked') return 'The only Transfer-Encoding is chunked.';
    if (length !== undefined) return 'A body has a length or is chunked, not both.';
    if (httpVersion !== '1.1') return 'Chunks need HTTP/1.1.';
    if (!withBody.has(method)) return `${method} takes no body.`;
  }
  if (connection !== undefined && !isPlainConnection(connection)) return 'Connection names other headers.';
  // Some clients offer HTTP/2 with their first request. Nobody takes it up, and the connection ends with the answer.
  if (upgrade !== undefined && upgrade.toLowerCase() !== 'h2c') return 'There is nothing to upgrade to.';
  return null;
}

function isPlainConnection(connection: string): boolean {
  if (connection === 'keep-alive' || connection === 'close') return true;
  return connection
    .toLowerCase()
    .split(',')
    .every((option) => connectionOptions.has(option.trim()));
}
