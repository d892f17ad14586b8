import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { platformErrors } from '../errors.ts';
import { safetyHeaders, strictPolicy } from './answer-policy.ts';
import { problemContentType, problemOf } from './problem.ts';

export interface BrokenRequests {
  /** For the server's `request` event. */
  remember(request: IncomingMessage, response: ServerResponse): void;
  /** For its `clientError` event. */
  answer(error: NodeJS.ErrnoException, socket: Socket): void;
}

/** Answers requests that are no proper HTTP, by hand: there is no reply object for them. */
export function createBrokenRequests(): BrokenRequests {
  const newest = new WeakMap<Socket, ServerResponse>();
  return {
    remember(request, response) {
      // Only a body can break after its request was answered, and most requests have none.
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      if (length !== undefined || encoding !== undefined) newest.set(request.socket, response);
    },
    answer(error, socket) {
      if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return;
      const response = newest.get(socket);
      // The body broke after its request was answered. A second answer would be taken for that of the next request.
      // The first one is written at the end of this turn (`TurnResponse`), and the connection ends behind it.
      if (response?.headersSent && !response.req.complete) setImmediate(() => socket.destroy());
      // Behind the answers of this turn, to requests that came in the same packet.
      else setImmediate(() => socket.writable && write(error, socket));
    },
  };
}

function write(error: NodeJS.ErrnoException, socket: Socket): void {
  const fault =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? platformErrors.fault('HEADERS_TOO_LARGE')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? platformErrors.fault('REQUEST_TIMEOUT')
        : platformErrors.fault('MALFORMED_BODY', { detail: 'The request is not valid HTTP.' });
  const body = JSON.stringify(problemOf(fault, 'none'));
  socket.end(
    `HTTP/1.1 ${fault.definition.status} ${fault.definition.title}\r\nContent-Type: ${problemContentType}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${safetyHeaders.nosniff}: nosniff\r\n${safetyHeaders.policy}: ${strictPolicy}\r\nConnection: close\r\n\r\n${body}`,
  );
}
