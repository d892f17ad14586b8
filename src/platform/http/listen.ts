import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

export interface Listening {
  readonly port: number;
  /** Stops accepting, lets what is in flight finish within the limit, then closes what is left. */
  close(limitMs: number): Promise<void>;
}

/**
 * Listens by Node's own means, since Fastify does not pass `reusePort` on: with it the kernel spreads connections
 * over all workers that listen on the same port.
 */
export async function listen(
  app: FastifyInstance,
  options: { host: string; port: number; reusePort: boolean },
): Promise<Listening> {
  await app.ready();
  const { server } = app;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...options, backlog: 4_096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close(limitMs) {
      // A busy connection is never idle when the sweep looks, and its client would be served until the limit.
      server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      // Keep-alive connections go idle after their last answer; they are closed as they do.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      const limit = setTimeout(() => server.closeAllConnections(), limitMs);
      await closed;
      clearInterval(sweep);
      clearTimeout(limit);
      await app.close();
    },
  };
}
