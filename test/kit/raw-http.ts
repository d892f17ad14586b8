import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface RawCall {
  readonly method?: string;
  /** Sent as it is, while `fetch` tidies `..` and `//` up before anybody sees them. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** An array is sent in chunks, without a Content-Length. */
  readonly body?: string | Buffer | readonly Buffer[];
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type SendRaw = (call: RawCall) => Promise<RawAnswer>;

/** Bounds a hang: a process that floods itself on a busy machine may take half a minute for one answer. */
const answerLimitMs = 180_000;

export const eventStream = 'text/event-stream';
const firstMessage = /^data:.*\n\n/m;

/**
 * A caller that keeps to nothing: any path, any headers, any body. An answer that does not come in time is an error. A stream of events
 * never ends by itself: it is left after its first message.
 */
export function createSendRaw(url: string, options: { connectionsMax?: number } = {}): SendRaw {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: options.connectionsMax ?? 50 });
  return ({ method = 'GET', path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ agent, hostname, port, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        const text = () => Buffer.concat(chunks).toString('utf8');
        const isStream = answer.headers['content-type']?.startsWith(eventStream) ?? false;
        const finish = () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: text() });
        };
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (isStream && firstMessage.test(text())) {
            finish();
            outgoing.destroy();
          }
        });
        answer.on('error', reject);
        answer.on('end', finish);
      });
      // Else Node sends the body of a DELETE without its length.
      if (body !== undefined) outgoing.useChunkedEncodingByDefault = true;
      outgoing.setTimeout(answerLimitMs, () =>
        outgoing.destroy(new Error(`${method} ${path.slice(0, 100)} was not answered in ${answerLimitMs} ms`)),
      );
      outgoing.on('error', reject);
      if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return void outgoing.end(body);
      for (const chunk of body) outgoing.write(chunk);
      outgoing.end();
    });
}

/** Bytes on a bare connection; resolves with all that came back until the server hung up. */
export async function sendBytes(url: string, bytes: string | Buffer): Promise<string> {
  const connection = openBytes(url, bytes);
  await connection.closed;
  return connection.received();
}

export interface OpenBytes {
  /** Everything so far. */
  received(): string;
  /** Something came back, or the server hung up. */
  readonly answered: Promise<void>;
  readonly closed: Promise<void>;
  write(bytes: string | Buffer): void;
  end(): void;
  destroy(): void;
}

/** The same on a connection that stays open. One on which nothing happens for long is an error. */
export function openBytes(url: string, bytes: string | Buffer): OpenBytes {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const chunks: Buffer[] = [];
  const answered = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  // Anyone who waits for one of them need not wait for the other.
  for (const { promise } of [answered, closed]) promise.catch(() => undefined);
  socket.setTimeout(answerLimitMs, () => socket.destroy(new Error(`no hang-up within ${answerLimitMs} ms`)));
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    answered.resolve();
  });
  // A server that refuses early may reset the connection while bytes are still on their way to it.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return;
    answered.reject(error);
    closed.reject(error);
  });
  socket.on('close', () => {
    answered.resolve();
    closed.resolve();
  });
  socket.write(bytes);
  return {
    received: () => Buffer.concat(chunks).toString('utf8'),
    answered: answered.promise,
    closed: closed.promise,
    write: (more) => void socket.write(more),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
  };
}
